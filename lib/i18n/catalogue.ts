import compile from "icu-minify/compile";
import { fill, type Compiled, type Messages, type Values } from "./format.ts";
import type { Locale } from "./locales.ts";
import ar from "#lib/i18n/messages/ar/index.ts";
import de from "#lib/i18n/messages/de/index.ts";
import en from "#lib/i18n/messages/en/index.ts";
import es from "#lib/i18n/messages/es/index.ts";
import fr from "#lib/i18n/messages/fr/index.ts";

/**
 * Every word of the interface, by language, namespace and key, in ICU MessageFormat: one JSON file a namespace in
 * messages/<language>/. Every language has every key.
 */

export type Namespace = keyof typeof en;
export type Key<Name extends Namespace> = keyof (typeof en)[Name] & string;

type Catalogue = { [Name in Namespace]: Record<Key<Name>, string> };

const CATALOGUE: Record<Locale, Catalogue> = { en, de, es, fr, ar };

export const NAMESPACES = Object.keys(en) as Namespace[];

const compiled = new Map<string, Messages>();

/** The messages of a namespace in a language, compiled once. */
export function messagesOf(locale: Locale, namespace: Namespace): Messages {
  const name = `${locale} ${namespace}`;
  const present = compiled.get(name);
  if (present) return present;
  const messages = Object.fromEntries(
    Object.entries<string>(CATALOGUE[locale][namespace]).map(([key, source]): [string, Compiled] => [
      key,
      plain(compile(source)),
    ]),
  );
  compiled.set(name, messages);
  return messages;
}

/** As plain objects: the compiler's own have no prototype, and React sends no such thing to the browser. */
const plain = (message: Compiled): Compiled => JSON.parse(JSON.stringify(message)) as Compiled;

/** The words of a namespace for what isn't a page: mails, files for download. */
export function wordsIn<Name extends Namespace>(
  locale: Locale,
  namespace: Name,
): (key: Key<Name>, values?: Values) => string {
  const messages = messagesOf(locale, namespace);
  return (key, values) => fill(messages[key] ?? key, locale, values);
}
