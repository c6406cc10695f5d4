import compile from "icu-minify/compile";
import {
  formatMessage,
  type CompiledIcuMessage,
  type CompiledNamespaceMessages,
  type MessageValues,
} from "./format.ts";
import type { Locale } from "./locales.ts";
import ar from "#lib/i18n/messages/ar/index.ts";
import de from "#lib/i18n/messages/de/index.ts";
import en from "#lib/i18n/messages/en/index.ts";
import es from "#lib/i18n/messages/es/index.ts";
import fr from "#lib/i18n/messages/fr/index.ts";

/**
 * The messages of the interface by language, namespace and key, in ICU MessageFormat: one file per namespace in
 * messages/<language>/. Every language has every key.
 */

export type MessageNamespace = keyof typeof en;
export type MessageKey<Name extends MessageNamespace> = keyof (typeof en)[Name] & string;

type MessageCatalog = { [Name in MessageNamespace]: Record<MessageKey<Name>, string> };

const CATALOGS: Record<Locale, MessageCatalog> = { en, de, es, fr, ar };

export const MESSAGE_NAMESPACES = Object.keys(en) as MessageNamespace[];

const messagesCache = new Map<string, CompiledNamespaceMessages>();

/** Returns the messages of a namespace in a language; compiles them once. */
export function getMessages(locale: Locale, namespace: MessageNamespace): CompiledNamespaceMessages {
  const name = `${locale} ${namespace}`;
  const cached = messagesCache.get(name);
  if (cached) return cached;
  const messages = Object.fromEntries(
    Object.entries<string>(CATALOGS[locale][namespace]).map(([key, source]): [string, CompiledIcuMessage] => [
      key,
      toPlainObject(compile(source)),
    ]),
  );
  messagesCache.set(name, messages);
  return messages;
}

/**
 * Converts to plain objects: the compiler's objects have no prototype, and React doesn't send such objects to the
 * browser.
 */
const toPlainObject = (message: CompiledIcuMessage): CompiledIcuMessage =>
  JSON.parse(JSON.stringify(message)) as CompiledIcuMessage;

/** Creates a translator of a namespace for use outside pages: emails, files for download. */
export function createTranslatorForLocale<Name extends MessageNamespace>(
  locale: Locale,
  namespace: Name,
): (key: MessageKey<Name>, values?: MessageValues) => string {
  const messages = getMessages(locale, namespace);
  return (key, values) => formatMessage(messages[key] ?? key, locale, values);
}
