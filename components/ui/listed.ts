import { useLocale } from "#words";

/** Puts words in a row, with the comma of the reader's language between them. */
export function useTextJoiner(): (words: readonly (string | null | undefined | false)[]) => string {
  const comma = useLocale() === "ar" ? "، " : ", ";
  return (words) => words.filter(Boolean).join(comma);
}
