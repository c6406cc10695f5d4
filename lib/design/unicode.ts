/** More combining marks in a row than real text has (UAX 15, Stream-Safe Text Format). */
const EXCESSIVE_MARKS = /\p{M}{31}/u;

/**
 * Returns text in composed form (NFC), in which equal words are equal strings. Composing sorts the marks after a letter
 * in quadratic time, half a minute for 160,000 of them, so text with more than 30 in a row is returned unchanged.
 */
export const normalizeNfc = (text: string): string =>
  EXCESSIVE_MARKS.test(text) ? text : text.normalize("NFC");

/**
 * Returns text in compatibility form (NFKD) without accents and other combining marks. Marks are removed first, so that
 * decomposing doesn't have to sort them (see `normalizeNfc`).
 */
export const stripDiacritics = (text: string): string =>
  text.replace(/\p{M}/gu, "").normalize("NFKD").replace(/\p{M}/gu, "");

/**
 * Returns text in compatibility form, composed again once what matches `unwanted` is removed from its decomposed form.
 * Works on 50 characters at a time, so that no long run of marks is sorted (see `normalizeNfc`).
 */
export const removeFromDecomposed = (text: string, unwanted: RegExp): string =>
  text.replace(/[^]{1,50}/gu, (part) => part.normalize("NFKD").replace(unwanted, "").normalize("NFC"));
