/**
 * Returns the digits to dial of a phone number as people write it, for a `tel:` link. After a country code, "(0)" isn't
 * dialed.
 */
export function toDialString(phone: string): string {
  const number = phone.trim().replaceAll(ARABIC_DIGITS, (digit) => String(digit.charCodeAt(0) % 16));
  return number.startsWith("+")
    ? `+${number.replace("(0)", "").replaceAll(NOT_DIALED, "")}`
    : number.replaceAll(NOT_DIALED, "");
}

const NOT_DIALED = /[^\d*#]/g;
/** Arabic and Persian digits; the code of each ends with its value. */
const ARABIC_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;
