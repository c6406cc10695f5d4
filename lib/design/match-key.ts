import { normalizeNfc, removeFromDecomposed } from "#lib/design/unicode.ts";

/**
 * The one rule by which spellings of the same text are equal, for search, mentions and names. The database function
 * match_keys (prisma/functions/match_keys.sql) is the same rule; e2e/domain/match-key.test.ts compares the two.
 */

const SINGLE_QUOTES =
  /[`\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u0384\u055a\u05f3\u1fbd\u1fbf\u2018-\u201b\u2032\u2035\u2039\u203a\ua78c\uff07\uff40]/g;

const DOUBLE_QUOTES = /[\u00ab\u00bb\u02ba\u05f4\u201c-\u201f\u2033\u2036\u301d-\u301f\uff02]/g;

const DASHES =
  /[\u058a\u05be\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\ufe58\ufe63\uff0d]/g;

/**
 * Invisible characters, and the marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters. Those of other scripts make
 * different words.
 */
const IGNORED =
  // oxlint-disable-next-line no-misleading-character-class -- marks are meant by themselves
  /[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const BLANKS = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

/** Letters whose strokes and joins aren't combining marks, and letters with several forms. */
const PLAIN_LETTERS = Object.entries({
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ı: "i",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ɓ: "b",
  ɗ: "d",
  ƙ: "k",
  ƴ: "y",
  ς: "σ",
  ى: "ي",
  ی: "ي",
  ة: "ه",
  ک: "ك",
});

/**
 * Returns text in the form in which it is compared: lower case, with plain quotes, hyphens and single spaces, without
 * accents and invisible characters, ł as l, ß as ss and so on. Takes text in composed form, as all input is stored.
 */
export const toMatchKey = (text: string): string =>
  replaceUnusualLetters(
    removeFromDecomposed(
      text.replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"').replace(DASHES, "-"),
      IGNORED,
    ).toLowerCase(),
  ).replace(BLANKS, " ");

/** One letter after the other, which takes half the time of a function that is called for each. */
const replaceUnusualLetters = (text: string): string =>
  PLAIN_LETTERS.reduce((replaced, [letter, plain]) => replaced.replaceAll(letter, plain), text);

const SECOND_SPELLINGS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe" };

/**
 * Returns the text's match key and, if it has an ä, ö, ü or ø, also that of its second spelling with ae, oe and ue. A
 * text contains another if a key of the one contains a key of the other.
 */
export function listMatchKeys(text: string): string[] {
  const secondSpelling = text.replace(
    /[äöüø]/gi,
    (letter) => SECOND_SPELLINGS[letter.toLowerCase()] ?? letter,
  );
  return [...new Set([text, secondSpelling].map(toMatchKey))];
}

/** Ae, oe or ue where German and Danish names have ä, ö, ü or ø: before a consonant ("Mueller", not "Sue"), or aeu. */
const SPELLED_OUT_UMLAUT = /(?<![aeiou])(?:(a)e(?=u?[b-df-hj-np-tv-z])|([ou])e(?=[b-df-hj-np-tv-z]))/g;

/**
 * Returns a name, or a text with names in it, in the form in which names are equal: Müller, Mueller and Muller. Too
 * coarse for a search, since it also makes different words equal.
 */
export const toNameKey = (text: string): string =>
  toMatchKey(normalizeNfc(text)).replace(SPELLED_OUT_UMLAUT, "$1$2");

/** Returns whether two people would be taken for one by their names, which may differ in spaces and punctuation. */
export function hasSameName(name: string, otherName: string): boolean {
  const key = toLettersOfName(name);
  return key !== "" && key === toLettersOfName(otherName);
}

const toLettersOfName = (name: string) => toNameKey(name).replace(/[^\p{L}\p{M}\p{N}]+/gu, "");
