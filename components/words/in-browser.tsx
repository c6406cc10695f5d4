"use client";

import { createContext, type ReactNode, use, useMemo } from "react";
import type { Namespace } from "#lib/i18n/catalogue.ts";
import type { Messages } from "#lib/i18n/format.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { reader, type Words } from "./words.ts";

/** What `#words` means in client components: the namespaces that the page sent along. */

type Given = { locale: Locale; messages: Partial<Record<Namespace, Messages>> };

const Context = createContext<Given>({ locale: "en", messages: {} });

/** Adds namespaces to those that a frame further out has given. Pages use `ClientWords`. */
export function WordsProvider({ locale, messages, children }: Given & { children: ReactNode }) {
  const outer = use(Context);
  const value = useMemo(
    () => ({ locale, messages: { ...outer.messages, ...messages } }),
    [locale, messages, outer],
  );
  return <Context value={value}>{children}</Context>;
}

type Sent = { locale: Locale; /** Namespaces as JSON. */ text: string; children: ReactNode };

/** The namespaces that `ClientWords` sends. */
export function SentWords({ locale, text, children }: Sent) {
  return (
    <WordsProvider locale={locale} messages={read(text)}>
      {children}
    </WordsProvider>
  );
}

const known = new Map<string, Given["messages"]>();

/** There are as many texts as there are places in the pages that send words, in each language. */
function read(text: string): Given["messages"] {
  const messages = known.get(text) ?? (JSON.parse(text) as Given["messages"]);
  known.set(text, messages);
  return messages;
}

/** The language of the page. */
export function useLocale(): Locale {
  return use(Context).locale;
}

/** @throws Error where the page doesn't send the namespace along: see `ClientWords` */
export function useWords<Name extends Namespace>(namespace: Name): Words<Name> {
  const { locale, messages } = use(Context);
  const given = messages[namespace];
  if (!given) throw new Error(`The words "${namespace}" aren't sent to the browser on this page.`);
  return useMemo(() => reader<Name>(locale, given), [locale, given]);
}
