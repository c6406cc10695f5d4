import type { ReactNode } from "react";
import { useLocale } from "#words";
import { getMessages, type MessageNamespace } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { SerializedMessagesProvider } from "./in-browser.tsx";

type Props = {
  /** What the client components inside say. */ of: readonly MessageNamespace[];
  children: ReactNode;
};

/** Sends namespaces along to the browser, for the client components inside. */
export function ClientMessages({ of: namespaces, children }: Props) {
  const locale = useLocale();
  return (
    <SerializedMessagesProvider locale={locale} text={serializeMessages(locale, namespaces)}>
      {children}
    </SerializedMessagesProvider>
  );
}

const serializedMessages = new Map<string, string>();

/** As one text, made once: React would look at every message by itself, for each page anew. */
function serializeMessages(locale: Locale, namespaces: readonly MessageNamespace[]): string {
  const name = [locale, ...namespaces].join(" ");
  const cached = serializedMessages.get(name);
  if (cached) return cached;
  const messages = namespaces.map((namespace) => [namespace, getMessages(locale, namespace)]);
  const text = JSON.stringify(Object.fromEntries(messages));
  serializedMessages.set(name, text);
  return text;
}
