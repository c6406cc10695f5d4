import { DEFAULTS, settings } from "#lib/settings/settings.ts";
import { reasonOf } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { wordsIn } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { escape, type Message } from "./messages.ts";

/**
 * The mail with who sent it at its end, and where to ask, as a SystemAdmin has set it. A mail doesn't wait
 * for that: where the settings can't be read it goes without.
 */
export async function withFooter(message: Message): Promise<Message> {
  const line = await footerLine(message.locale ?? DEFAULT_LOCALE).catch((error: unknown) => {
    log.warn({ reason: reasonOf(error) }, "a mail goes without its footer");
    return null;
  });
  if (line === null) return message;
  return {
    ...message,
    text: `${message.text}\n-- \n${line}\n`,
    html: message.html.replace("</body>", () => `<hr>\n<p>${escape(line)}</p>\n</body>`),
  };
}

/** Null while nothing is set: then the sender of the mail says enough. */
async function footerLine(locale: Locale): Promise<string | null> {
  const { name, supportContact } = await settings();
  if (name === DEFAULTS.name && supportContact === null) return null;
  const t = wordsIn(locale, "mails");
  return supportContact === null
    ? t("footer", { name })
    : t("footerContact", { name, contact: supportContact });
}
