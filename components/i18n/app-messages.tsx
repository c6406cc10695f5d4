"use client";

import { type ReactNode, use } from "react";
import type { MessageNamespace } from "#lib/i18n/catalogue.ts";
import type { CompiledNamespaceMessages } from "#lib/i18n/format.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { MessagesProvider } from "./client-translator.tsx";

type Messages = Partial<Record<MessageNamespace, CompiledNamespaceMessages>>;

/** Files that the build writes (lib/build/app-messages.ts). */
const MESSAGE_FILES: Record<Locale, () => Promise<{ default: unknown }>> = {
  en: () => import("./generated/en.json"),
  de: () => import("./generated/de.json"),
  es: () => import("./generated/es.json"),
  fr: () => import("./generated/fr.json"),
  ar: () => import("./generated/ar.json"),
};

const loadedMessages = new Map<Locale, Promise<Messages>>();

/** If the file can't be loaded, the page stays as it is without script, instead of turning into an error. */
function loadMessages(locale: Locale): Promise<Messages> {
  const loaded =
    loadedMessages.get(locale) ??
    MESSAGE_FILES[locale]().then(
      (file) => file.default as Messages,
      () => new Promise<never>(() => {}),
    );
  loadedMessages.set(locale, loaded);
  return loaded;
}

type Props = {
  locale: Locale;
  /** The zone in which pages of no event write times. */
  timeZone: string;
  children: ReactNode;
};

/** Provides the messages that signed-in pages have in common, from a file that the browser keeps. */
export function AppMessagesProvider({ locale, timeZone, children }: Props) {
  return (
    <MessagesProvider locale={locale} timeZone={timeZone} messages={use(loadMessages(locale))}>
      {children}
    </MessagesProvider>
  );
}
