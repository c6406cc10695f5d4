import { getTranslator } from "#components/i18n/request-translator.ts";
import { buildAttachmentHeaders } from "#lib/files/download/download.ts";
import { formatSetCookieHeader } from "#lib/http/identify.ts";
import { sealMailboxCookie } from "#lib/incidents/mailbox-session.ts";
import { findShownReceipt } from "#lib/mailbox/hand-over.ts";
import { readOpenedMailbox } from "../opened-mailbox.ts";

/**
 * Returns the words as a text file with a neutral name. Downloading it counts as saving the receipt, so the page then
 * lets the person continue, with and without script.
 */
export async function GET(): Promise<Response> {
  const session = await readOpenedMailbox();
  const receipt = session && (await findShownReceipt(session));
  if (!receipt) return new Response(null, { status: 303, headers: { Location: "/mailbox" } });
  const t = await getTranslator("mailbox");
  const lines = receipt.split(" ").map((word, at) => `${at + 1}. ${word}`);
  const bytes = new TextEncoder().encode(`${lines.join("\r\n")}\r\n`);
  const headers = buildAttachmentHeaders(t("fileName"), "text/plain", bytes.length);
  headers.set("Set-Cookie", formatSetCookieHeader(await sealMailboxCookie({ ...session, saved: true })));
  return new Response(bytes, { headers });
}
