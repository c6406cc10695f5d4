import { findOpenedSessionTag } from "#lib/http/opened-tag.ts";
import { createPageCall, loadOptionalPageData } from "#lib/http/page.ts";
import type { showLetterbox } from "#lib/letterboxes/operations.ts";
import type { showMailbox } from "#lib/mailbox/operations.ts";

/** Responds with the tag of the mailbox or letterbox that is open on this device; blank if none is. */
export async function respondWithOpenedTag(
  can: Parameters<typeof findOpenedSessionTag>[0],
  read: typeof showMailbox | typeof showLetterbox,
): Promise<Response> {
  const tag = await findOpenedSessionTag(can, await createPageCall());
  const isOpen = tag !== null && (await loadOptionalPageData(read as typeof showMailbox)) !== null;
  return new Response(isOpen ? tag : "", {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}
