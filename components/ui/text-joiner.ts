import { useLocale } from "#i18n";

type TextJoiner = (texts: readonly (string | null | undefined | false)[]) => string;

/** Returns a function that joins texts with the comma of a language. */
export function createCommaJoiner(locale: string): TextJoiner {
  const comma = locale === "ar" ? "، " : ", ";
  return (texts) => texts.filter(Boolean).join(comma);
}

/** Returns a function that joins texts with the comma of the reader's language. */
export const useCommaJoiner = (): TextJoiner => createCommaJoiner(useLocale());
