import { cache } from "react";
import { messagesOf, type Namespace } from "#lib/i18n/catalogue.ts";
import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { reader, type Words } from "./words.ts";

/** What `#words` means in server components: the whole catalogue, in the language of this request. */

const request = cache(() => ({ locale: DEFAULT_LOCALE as Locale, path: "/" }));

/** Said once a request and part of the page, before anything is shown: by the page's door. */
export function speak(locale: Locale, path: string): void {
  Object.assign(request(), { locale, path });
}

/** The path and query of the page, for forms that come back to it. Not for layouts: they outlive a page. */
export function usePath(): string {
  return request().path;
}

/** The language of the page. */
export function useLocale(): Locale {
  return request().locale;
}

export function useWords<Name extends Namespace>(namespace: Name): Words<Name> {
  const locale = useLocale();
  return reader<Name>(locale, messagesOf(locale, namespace));
}
