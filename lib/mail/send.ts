import { recordSuccess } from "#lib/jobs/outcomes.ts";
import { withFooter } from "./footer.ts";
import type { Message } from "./messages.ts";
import { MailRefused, toRefusal } from "./refusal.ts";
import { transport } from "./transport.ts";

/**
 * Sends one mail to one address. Called by jobs, which are tried again when it throws.
 * @throws MailRefused when the address can't be one, or the mail server refuses this mail
 * @throws Error when the mail server fails
 */
export async function deliver({ to, message }: { to: string; message: Message }): Promise<void> {
  assertAddress(to);
  if (/[\r\n]/.test(message.subject)) throw new Error("a subject is one line");
  const letter = { to, message: await withFooter(message) };
  await transport()
    .send(letter)
    .catch((error: unknown) => {
      throw toRefusal(error, to);
    });
  await recordSuccess("mail");
}

/** One plain address: nothing that could end the header, name a second recipient or quote. */
function assertAddress(to: string): void {
  if (to.length > 254 || !/^[^\s\p{Cc},;:<>()[\]"\\@]+@[^\s\p{Cc},;:<>()"\\@]+$/u.test(to)) {
    throw new MailRefused(to, { code: "EADDRESS" }, "a mail goes to one plain address");
  }
}
