import { match } from "@formatjs/intl-localematcher";
import { parseWeightedList } from "#lib/i18n/weighted-list.ts";

/** The languages of the interface, English first: whoever asks for none of them gets it. */
export const LOCALES = ["en", "de", "es", "fr", "ar"] as const;

export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = "en";

/** Each language in its own words, as a reader looks for it. */
export const LOCALE_NAMES: Record<Locale, string> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ar: "العربية",
};

/** In which direction a language is read. */
export const textDirectionOf = (locale: Locale): "ltr" | "rtl" => (locale === "ar" ? "rtl" : "ltr");

export const isLocale = (value: unknown): value is Locale => LOCALES.some((locale) => locale === value);

/** The cookie in which a visitor's choice of a language is kept. */
export const LOCALE_COOKIE = "heed_locale";

/** The language for one person: what they chose, else what their browser asks for, else English. */
export function negotiateLocale(
  preferredLocale: string | null | undefined,
  acceptLanguage: string | null,
): Locale {
  if (isLocale(preferredLocale)) return preferredLocale;
  const acceptedLanguages = parseAcceptLanguage(acceptLanguage ?? "");
  return acceptedLanguages.length === 0
    ? DEFAULT_LOCALE
    : (match(acceptedLanguages, LOCALES, DEFAULT_LOCALE) as Locale);
}

const MAX_LANGUAGES = 20;

/** A language with script, region and variants; what is longer is no language that anybody speaks (RFC 5646, 4.4.1). */
const MAX_TAG_LENGTH = 35;
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** The tags of an Accept-Language header, the most wanted first; what is no tag is passed over. */
function parseAcceptLanguage(header: string): string[] {
  return parseWeightedList(header)
    .slice(0, MAX_LANGUAGES)
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ value }) => value)
    .filter((tag) => tag.length <= MAX_TAG_LENGTH && LANGUAGE_TAG.test(tag) && isLanguageTag(tag));
}

/** What only looks like a tag, or was one once ("zh-min-nan"), would be an error where languages are compared. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}
