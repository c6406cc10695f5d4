import { stripDiacritics } from "#lib/design/unicode.ts";

/** Returns whether a text names the person of a pattern of `buildNamePatterns`; the pattern "" names nobody. */
export const namesPerson = (text: string, pattern: string): boolean =>
  pattern !== "" && new RegExp(pattern, "u").test(stripDiacritics(text).toLowerCase());
