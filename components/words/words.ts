import { createElement, Fragment, type ReactNode } from "react";
import type { Key, Namespace } from "#lib/i18n/catalogue.ts";
import { fill, fillRich, type Messages, type Values } from "#lib/i18n/format.ts";
import type { Locale } from "#lib/i18n/locales.ts";

/** The words of one namespace, in the reader's language. */
export type Words<Name extends Namespace> = {
  (key: Key<Name>, values?: Values): string;
  /** Where a message has tags; each is a function that gets the words between. */
  rich: (key: Key<Name>, values: Values<ReactNode>) => ReactNode;
};

/** Reads messages: the same on the server and in the browser. */
export function reader<Name extends Namespace>(locale: Locale, messages: Messages): Words<Name> {
  const message = (key: string) => messages[key] ?? key;
  const words = (key: Key<Name>, values?: Values) => fill(message(key), locale, values);
  const rich = (key: Key<Name>, values: Values<ReactNode>) =>
    createElement(Fragment, null, ...fillRich<ReactNode>(message(key), locale, values));
  return Object.assign(words, { rich });
}
