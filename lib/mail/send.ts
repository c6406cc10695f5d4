import { recordSuccess } from "#lib/jobs/outcomes.ts";
import { withFooter } from "./footer.ts";
import type { Message } from "./messages.ts";
import { transport } from "./transport.ts";

/**
 * Sends one mail to one address. Called by jobs, which are tried again when it throws.
 * @throws Error when the address can't be one, or the mail server doesn't take the mail
 */
export async function deliver({ to, message }: { to: string; message: Message }): Promise<void> {
  assertAddress(to);
  if (/[\r\n]/.test(message.subject)) throw new Error("a subject is one line");
  await transport().send({ to, message: await withFooter(message) });
  await recordSuccess("mail");
}

/** One plain address: nothing that could end the header, name a second recipient or quote. */
function assertAddress(to: string): void {
  if (to.length > 254 || !/^[^\s\p{Cc},;:<>()[\]"\\@]+@[^\s\p{Cc},;:<>()"\\@]+$/u.test(to)) {
    throw new Error("a mail goes to one plain address");
  }
}
