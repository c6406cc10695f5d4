import { resetJobQueueFailures } from "#lib/jobs/outcomes.ts";
import { DEFAULT_SYSTEM_SETTINGS, loadSystemSettings } from "#lib/settings/settings.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { type MailMessage, escapeHtml } from "./messages.ts";
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

/**
 * Appends the installation's name and support contact, as set by a SystemAdmin. If the settings can't be read, the
 * mail goes without them.
 */
async function addMailFooter(message: MailMessage): Promise<MailMessage> {
  const line = await readFooterLine(message.locale ?? DEFAULT_LOCALE).catch((error: unknown) => {
    log.warn({ reason: describeErrorForLog(error) }, "a mail goes without its footer");
    return null;
  });
  if (line === null) return message;
  return {
    ...message,
    text: `${message.text}\n-- \n${line}\n`,
    html: message.html.replace("</body>", () => `<hr>\n<p>${escapeHtml(line)}</p>\n</body>`),
  };
}

/** Loads the line of the footer; null if nothing is set, since the mail's sender says enough. */
async function readFooterLine(locale: Locale): Promise<string | null> {
  const { name, supportContact } = await loadSystemSettings();
  if (name === DEFAULT_SYSTEM_SETTINGS.name && supportContact === null) return null;
  const t = createTranslatorForLocale(locale, "mails");
  return supportContact === null
    ? t("footer", { name })
    : t("footerContact", { name, contact: supportContact });
}
