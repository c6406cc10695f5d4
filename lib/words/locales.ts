import { match } from "@formatjs/intl-localematcher";

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
export const directionOf = (locale: Locale): "ltr" | "rtl" => (locale === "ar" ? "rtl" : "ltr");

export const isLocale = (value: unknown): value is Locale => LOCALES.some((locale) => locale === value);

/** The cookie in which a visitor's choice of a language is kept. */
export const LOCALE_COOKIE = "heed_locale";

/** The language for one person: what they chose, else what their browser asks for, else English. */
export function localeFor(chosen: string | null | undefined, acceptLanguage: string | null): Locale {
  if (isLocale(chosen)) return chosen;
  const asked = languagesOf(acceptLanguage ?? "");
  return asked.length === 0 ? DEFAULT_LOCALE : (match(asked, LOCALES, DEFAULT_LOCALE) as Locale);
}

const MOST_LANGUAGES = 20;

/** The tags of an Accept-Language header, the most wanted first; what is no tag is passed over. */
function languagesOf(header: string): string[] {
  return header
    .split(",", MOST_LANGUAGES)
    .map((part) =>
      /^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*(?:;\s*q=([01](?:\.\d{1,3})?))?\s*$/.exec(part),
    )
    .flatMap((found) => (found?.[1] ? [{ tag: found[1], weight: Number(found[2] ?? 1) }] : []))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
    .filter(isTag);
}

/** What only looks like a tag, or was one once ("zh-min-nan"), would be an error where languages are compared. */
function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}
