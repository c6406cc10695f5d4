import type { ReactNode } from "react";
import { useLocale, useTimeFormatOptions } from "#i18n";
import { getMessages, type MessageNamespace } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { SerializedMessagesProvider } from "./client-translator.tsx";

type Props = {
  /** Namespaces that the client components inside use, besides those of all signed-in pages (lib/build/app-messages.ts). */
  of: readonly MessageNamespace[];
  children: ReactNode;
};

/** Sends message namespaces and the page's time zone to the browser, for the client components inside. */
export function ClientMessagesProvider({ of: namespaces, children }: Props) {
  const locale = useLocale();
  const { timeZone } = useTimeFormatOptions();
  return (
    <SerializedMessagesProvider
      locale={locale}
      timeZone={timeZone}
      text={serializeMessages(locale, namespaces)}
    >
      {children}
    </SerializedMessagesProvider>
  );
}

const serializedMessages = new Map<string, string>();

/**
 * Serializes the messages of the namespaces into one string, because React would process every message separately, for
 * each page. The string is cached for each language and set of namespaces.
 */
function serializeMessages(locale: Locale, namespaces: readonly MessageNamespace[]): string {
  const name = [locale, ...namespaces].join(" ");
  const cached = serializedMessages.get(name);
  if (cached) return cached;
  const messages = namespaces.map((namespace) => [namespace, getMessages(locale, namespace)]);
  const text = JSON.stringify(Object.fromEntries(messages));
  serializedMessages.set(name, text);
  return text;
}
