"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import type { TimeFormatOptions } from "#lib/design/time.ts";
import type { MessageNamespace } from "#lib/i18n/catalogue.ts";
import type { CompiledNamespaceMessages } from "#lib/i18n/format.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { createTranslator, type Translator } from "./translator.ts";

/** Implements `#i18n` for client components, with the namespaces that the page sends. */

type ProvidedMessages = {
  locale: Locale;
  /** The zone in which the page writes times. */
  timeZone: string;
  messages: Partial<Record<MessageNamespace, CompiledNamespaceMessages>>;
};

const MessagesContext = createContext<ProvidedMessages>({ locale: "en", timeZone: "UTC", messages: {} });

/** Adds namespaces to those of an outer provider. Pages use `ClientMessagesProvider`. */
export function MessagesProvider({
  locale,
  timeZone,
  messages,
  children,
}: ProvidedMessages & { children: ReactNode }) {
  const outer = use(MessagesContext);
  const value = useMemo(
    () => ({ locale, timeZone, messages: { ...outer.messages, ...messages } }),
    [locale, timeZone, messages, outer],
  );
  return <MessagesContext value={value}>{children}</MessagesContext>;
}

type SerializedMessages = {
  locale: Locale;
  timeZone: string;
  /** Namespaces as JSON. */ text: string;
  children: ReactNode;
};

/** Provides the namespaces that `ClientMessagesProvider` sends. */
export function SerializedMessagesProvider({ locale, timeZone, text, children }: SerializedMessages) {
  return (
    <MessagesProvider locale={locale} timeZone={timeZone} messages={parseMessages(text)}>
      {children}
    </MessagesProvider>
  );
}

const parsedMessages = new Map<string, ProvidedMessages["messages"]>();

/**
 * Caches the parsed messages. The cache has as many entries as there are sets of namespaces in pages, per
 * language.
 */
function parseMessages(text: string): ProvidedMessages["messages"] {
  const messages = parsedMessages.get(text) ?? (JSON.parse(text) as ProvidedMessages["messages"]);
  parsedMessages.set(text, messages);
  return messages;
}

/** Returns the language of the page. */
export function useLocale(): Locale {
  return use(MessagesContext).locale;
}

/** Returns the language and time zone in which the page writes times. */
export function useTimeFormatOptions(): TimeFormatOptions {
  const { locale, timeZone } = use(MessagesContext);
  return useMemo(() => ({ locale, timeZone }), [locale, timeZone]);
}

/**
 * Returns the translator of a namespace.
 * @throws Error if the page doesn't send the namespace: see `ClientMessagesProvider`
 */
export function useTranslator<Name extends MessageNamespace>(namespace: Name): Translator<Name> {
  const { locale, messages } = use(MessagesContext);
  const namespaceMessages = messages[namespace];
  if (!namespaceMessages)
    throw new Error(`The messages "${namespace}" aren't sent to the browser on this page.`);
  return useMemo(() => createTranslator<Name>(locale, namespaceMessages), [locale, namespaceMessages]);
}
