import { DEFAULT_SYSTEM_SETTINGS, loadSystemSettings } from "#lib/settings/settings.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { escapeHtml, type MailMessage } from "./messages.ts";

/**
 * Appends the installation's name and support contact, as set by a SystemAdmin. If the settings can't be read, the
 * mail goes without them.
 */
export async function addMailFooter(message: MailMessage): Promise<MailMessage> {
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
