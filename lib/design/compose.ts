/** More marks in a row than anybody writes on one letter (UAX 15, Stream-Safe Text Format). */
const EXCESSIVE_MARKS = /\p{M}{31}/u;

/**
 * Text in its composed form (NFC), in which equal words are equal text. Composing sorts the marks behind a letter and
 * takes the square of their number, half a minute for 160,000 of them: text with more than 30 in a row stays as it is.
 */
export const normalizeNfc = (text: string): string =>
  EXCESSIVE_MARKS.test(text) ? text : text.normalize("NFC");

/** Text in its plainest form (NFKD) without accents and other marks, which are taken out before they are sorted, too. */
export const stripDiacritics = (text: string): string =>
  text.replace(/\p{M}/gu, "").normalize("NFKD").replace(/\p{M}/gu, "");
