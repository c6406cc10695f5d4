import { createElement, Fragment, type ReactNode } from "react";
import type { MessageKey, MessageNamespace } from "#lib/i18n/catalogue.ts";
import {
  formatMessage,
  formatRichMessage,
  type CompiledNamespaceMessages,
  type MessageValues,
} from "#lib/i18n/format.ts";
import type { Locale } from "#lib/i18n/locales.ts";

/** Translates messages of one namespace into the reader's language. */
export type Translator<Name extends MessageNamespace> = {
  (key: MessageKey<Name>, values?: MessageValues): string;
  /** For messages with tags; each tag is a function that gets the text inside. */
  rich: (key: MessageKey<Name>, values: MessageValues<ReactNode>) => ReactNode;
};

/** Creates a translator, the same on the server and in the browser. */
export function createTranslator<Name extends MessageNamespace>(
  locale: Locale,
  messages: CompiledNamespaceMessages,
): Translator<Name> {
  const message = (key: string) => messages[key] ?? key;
  const translate = (key: MessageKey<Name>, values?: MessageValues) =>
    formatMessage(message(key), locale, values);
  const rich = (key: MessageKey<Name>, values: MessageValues<ReactNode>) =>
    createElement(Fragment, null, ...formatRichMessage<ReactNode>(message(key), locale, values));
  return Object.assign(translate, { rich });
}
