"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import type { MessageNamespace } from "#lib/i18n/catalogue.ts";
import type { CompiledMessages } from "#lib/i18n/format.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { createTranslator, type Translator } from "./words.ts";

/** What `#words` means in client components: the namespaces that the page sent along. */

type ProvidedMessages = { locale: Locale; messages: Partial<Record<MessageNamespace, CompiledMessages>> };

const MessagesContext = createContext<ProvidedMessages>({ locale: "en", messages: {} });

/** Adds namespaces to those that a frame further out has given. Pages use `ClientMessages`. */
export function MessagesProvider({ locale, messages, children }: ProvidedMessages & { children: ReactNode }) {
  const outer = use(MessagesContext);
  const value = useMemo(
    () => ({ locale, messages: { ...outer.messages, ...messages } }),
    [locale, messages, outer],
  );
  return <MessagesContext value={value}>{children}</MessagesContext>;
}

type SerializedMessages = { locale: Locale; /** Namespaces as JSON. */ text: string; children: ReactNode };

/** The namespaces that `ClientMessages` sends. */
export function SerializedMessagesProvider({ locale, text, children }: SerializedMessages) {
  return (
    <MessagesProvider locale={locale} messages={parseMessages(text)}>
      {children}
    </MessagesProvider>
  );
}

const parsedMessages = new Map<string, ProvidedMessages["messages"]>();

/** There are as many texts as there are places in the pages that send words, in each language. */
function parseMessages(text: string): ProvidedMessages["messages"] {
  const messages = parsedMessages.get(text) ?? (JSON.parse(text) as ProvidedMessages["messages"]);
  parsedMessages.set(text, messages);
  return messages;
}

/** The language of the page. */
export function useLocale(): Locale {
  return use(MessagesContext).locale;
}

/** @throws Error where the page doesn't send the namespace along: see `ClientMessages` */
export function useTranslator<Name extends MessageNamespace>(namespace: Name): Translator<Name> {
  const { locale, messages } = use(MessagesContext);
  const namespaceMessages = messages[namespace];
  if (!namespaceMessages)
    throw new Error(`The words "${namespace}" aren't sent to the browser on this page.`);
  return useMemo(() => createTranslator<Name>(locale, namespaceMessages), [locale, namespaceMessages]);
}
