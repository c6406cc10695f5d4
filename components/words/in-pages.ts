import { cache } from "react";
import { getMessages, type MessageNamespace } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { createTranslator, type Translator } from "./words.ts";

/** What `#words` means in server components: the whole catalogue, in the language of this request. */

const requestState = cache(() => ({ locale: DEFAULT_LOCALE as Locale, path: "/" }));

/** Said once a request and part of the page, before anything is shown: by the page's door. */
export function setPageLocale(locale: Locale, path: string): void {
  Object.assign(requestState(), { locale, path });
}

/** The path and query of the page, for forms that come back to it. Not for layouts: they outlive a page. */
export function usePath(): string {
  return requestState().path;
}

/** The language of the page. */
export function useLocale(): Locale {
  return requestState().locale;
}

export function useTranslator<Name extends MessageNamespace>(namespace: Name): Translator<Name> {
  const locale = useLocale();
  return createTranslator<Name>(locale, getMessages(locale, namespace));
}
