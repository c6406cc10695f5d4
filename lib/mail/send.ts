import { resetJobQueueFailures } from "#lib/jobs/outcomes.ts";
import { addMailFooter } from "./footer.ts";
import type { MailMessage } from "./messages.ts";
import { MailRefusedError, toMailRefusedOrOriginalError } from "./refusal.ts";
import { getMailTransport } from "./transport.ts";

/**
 * Sends one mail to one address. Jobs call it and are retried when it throws.
 * @throws MailRefusedError when the address is invalid or the mail server refuses this mail
 * @throws Error when the mail server fails
 */
export async function sendMail({ to, message }: { to: string; message: MailMessage }): Promise<void> {
  assertPlainAddress(to);
  if (/[\r\n]/.test(message.subject)) throw new Error("a subject is one line");
  const mail = { to, message: await addMailFooter(message) };
  await getMailTransport()
    .send(mail)
    .catch((error: unknown) => {
      throw toMailRefusedOrOriginalError(error, to);
    });
  await resetJobQueueFailures("mail");
}

/**
 * Checks that a recipient is one plain address, with nothing that could end the header, add a second recipient or begin
 * a quoted part.
 * @throws MailRefusedError for any other text
 */
function assertPlainAddress(to: string): void {
  if (to.length > 254 || !/^[^\s\p{Cc},;:<>()[\]"\\@]+@[^\s\p{Cc},;:<>()"\\@]+$/u.test(to)) {
    throw new MailRefusedError(to, { code: "EADDRESS" }, "a mail goes to one plain address");
  }
}
