import { getTranslator } from "#components/i18n/request-translator.ts";
import { buildAttachmentHeaders } from "#lib/files/download/download.ts";
import { createSeeOtherResponse } from "#lib/http/upload-form.ts";
import { findShownReceiptCode } from "#lib/conversations/hand-over.ts";
import { readOpenedMailboxSession } from "../opened-mailbox.ts";
import { submitReceiptSavedConfirmation } from "./saved-receipt.ts";

/**
 * Returns the words as a text file with a neutral name, if the mailbox of the page is still the one that is open on
 * this device: another one may have been opened since. Downloading the file counts as saving the receipt, so the page
 * then lets the person continue, with and without script.
 */
export async function POST(request: Request): Promise<Response> {
  const saved = await submitReceiptSavedConfirmation(request);
  if (!saved.ok) return createSeeOtherResponse(saved.otherOpened ? "/mailbox?done=other" : "/mailbox");
  const session = await readOpenedMailboxSession();
  const receipt = session && (await findShownReceiptCode(session));
  if (!receipt) return createSeeOtherResponse("/mailbox");
  const t = await getTranslator("mailbox");
  const lines = receipt.split(" ").map((word, at) => `${at + 1}. ${word}`);
  const bytes = new TextEncoder().encode(`${lines.join("\r\n")}\r\n`);
  return new Response(bytes, {
    headers: buildAttachmentHeaders(t("fileName"), "text/plain", bytes.length),
  });
}

/** Redirects to the mailbox: a plain link would download the words of whichever mailbox is open by then. */
export const GET = async (): Promise<Response> => createSeeOtherResponse("/mailbox");
