/**
 * Returns what to dial of a phone number as people write it, for a `tel:` link; null if the text is anything else, such
 * as two numbers, or a number with a word beside it. Invisible characters don't count. After a country code, "(0)"
 * isn't dialed.
 */
export function toDialString(phone: string): string | null {
  const number = phone
    .replaceAll(INVISIBLE, "")
    .replaceAll(/\s/g, " ")
    .trim()
    .replaceAll(ARABIC_DIGITS, (digit) => String(digit.charCodeAt(0) % 16));
  if (!NUMBER.test(number)) return null;
  const plus = number.startsWith("+") ? "+" : "";
  const dialed = (plus ? number.replace("(0)", "") : number).replaceAll(/[^\d*#]/g, "");
  return dialed.length >= 2 && dialed.length <= MAX_DIGITS ? plus + dialed : null;
}

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** Arabic and Persian digits; the code of each ends with its value. */
const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;

/**
 * Digits with spaces, brackets, dots and hyphens between them. A slash stands behind an area code only, since "110/112"
 * are two numbers.
 */
const NUMBER = /^(?:(?:\+|\(?0)[\d ().\-\u2010-\u2015\u2212]*\/)?\+?[*#\d ().\-\u2010-\u2015\u2212]+$/;

/** The length of a number with its country code (ITU-T E.164), and of "00" before it. Longer ones are two. */
const MAX_DIGITS = 17;
