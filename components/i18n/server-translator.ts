import { cache } from "react";
import { getMessages, type MessageNamespace } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { createTranslator, type Translator } from "./translator.ts";

/** Implements `#i18n` for server components: all messages, in the language of this request. */

const requestState = cache(() => ({ locale: DEFAULT_LOCALE as Locale, path: "/" }));

/**
 * Sets the language and path once per request and part of the page, before anything renders; called by
 * `definePage`.
 */
export function setPageLocale(locale: Locale, path: string): void {
  Object.assign(requestState(), { locale, path });
}

/**
 * Returns the path and query of the page, for forms that return to it. Not for layouts, which outlive a page.
 */
export function usePath(): string {
  return requestState().path;
}

/** Returns the language of the page. */
export function useLocale(): Locale {
  return requestState().locale;
}

export function useTranslator<Name extends MessageNamespace>(namespace: Name): Translator<Name> {
  const locale = useLocale();
  return createTranslator<Name>(locale, getMessages(locale, namespace));
}
