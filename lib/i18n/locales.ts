import { match } from "@formatjs/intl-localematcher";
import { parseWeightedList } from "#lib/i18n/weighted-list.ts";

/** The languages of the interface. English comes first: it is the fallback. */
export const LOCALES = ["en", "de", "es", "fr", "ar"] as const;

export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = "en";

/** Each language's name in that language, as readers look for it. */
export const LOCALE_NAMES: Record<Locale, string> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ar: "العربية",
};

export const getTextDirection = (locale: Locale): "ltr" | "rtl" => (locale === "ar" ? "rtl" : "ltr");

export const isLocale = (value: unknown): value is Locale => LOCALES.some((locale) => locale === value);

/** The cookie that stores a visitor's choice of language. */
export const LOCALE_COOKIE = "heed_locale";

/** Returns the language for a person: their choice, else what their browser accepts, else English. */
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

/** The length of a tag with script, region and variants; longer ones are no real language (RFC 5646, 4.4.1). */
const MAX_TAG_LENGTH = 35;
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;

/** Returns the tags of an Accept-Language header, most preferred first. Skips invalid tags. */
function parseAcceptLanguage(header: string): string[] {
  return parseWeightedList(header)
    .slice(0, MAX_LANGUAGES)
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ value }) => value)
    .filter((tag) => tag.length <= MAX_TAG_LENGTH && LANGUAGE_TAG.test(tag) && isLanguageTag(tag));
}

/** Rejects what only looks like a tag or is obsolete ("zh-min-nan"): comparing languages would throw on it. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}
