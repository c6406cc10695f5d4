import { useLocale } from "#i18n";

/** Returns a function that joins texts with the comma of the reader's language. */
export function useCommaJoiner(): (texts: readonly (string | null | undefined | false)[]) => string {
  const comma = useLocale() === "ar" ? "، " : ", ";
  return (texts) => texts.filter(Boolean).join(comma);
}
