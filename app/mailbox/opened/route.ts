import { createPageCallContext, loadOptionalPageData } from "#lib/http/page.ts";
import { showMailbox } from "#lib/conversations/operations.ts";
import { readOpenedMailboxTag } from "../opened-mailbox.ts";

/** Returns the tag of the mailbox that is open on this device, as text; blank if none is. */
export async function GET(): Promise<Response> {
  const isOpen =
    (await createPageCallContext()).mailbox !== null && (await loadOptionalPageData(showMailbox)) !== null;
  return new Response(isOpen ? await readOpenedMailboxTag() : "", {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}
