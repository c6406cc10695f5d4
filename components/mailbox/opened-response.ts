import { findOpenedMailboxOrLetterboxFormTag } from "#lib/http/opened-tag.ts";
import { createPageCallContext, loadOptionalPageData } from "#lib/http/page.ts";
import type { showLetterbox } from "#lib/letterboxes/operations.ts";
import type { showMailbox } from "#lib/mailbox/operations.ts";

/** Responds with the form tag of the mailbox or letterbox that is opened on this device; blank if none is. */
export async function createOpenedTagResponse(
  can: Parameters<typeof findOpenedMailboxOrLetterboxFormTag>[0],
  read: typeof showMailbox | typeof showLetterbox,
): Promise<Response> {
  const tag = await findOpenedMailboxOrLetterboxFormTag(can, await createPageCallContext());
  const isOpen = tag !== null && (await loadOptionalPageData(read as typeof showMailbox)) !== null;
  return new Response(isOpen ? tag : "", {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}
