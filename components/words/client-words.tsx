import type { ReactNode } from "react";
import { useLocale } from "#words";
import { messagesOf, type Namespace } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { SentWords } from "./in-browser.tsx";

type Props = { /** What the client components inside say. */ of: readonly Namespace[]; children: ReactNode };

/** Sends namespaces along to the browser, for the client components inside. */
export function ClientWords({ of, children }: Props) {
  const locale = useLocale();
  return (
    <SentWords locale={locale} text={textOf(locale, of)}>
      {children}
    </SentWords>
  );
}

const texts = new Map<string, string>();

/** As one text, made once: React would look at every message by itself, for each page anew. */
function textOf(locale: Locale, namespaces: readonly Namespace[]): string {
  const name = [locale, ...namespaces].join(" ");
  const present = texts.get(name);
  if (present) return present;
  const messages = namespaces.map((namespace) => [namespace, messagesOf(locale, namespace)]);
  const text = JSON.stringify(Object.fromEntries(messages));
  texts.set(name, text);
  return text;
}
