import { useLocale } from "#words";

/** Returns a function that joins texts with the comma of the reader's language. */
export function useTextJoiner(): (words: readonly (string | null | undefined | false)[]) => string {
  const comma = useLocale() === "ar" ? "، " : ", ";
  return (words) => words.filter(Boolean).join(comma);
}
