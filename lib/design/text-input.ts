import { normalizeNfc } from "./unicode.ts";

/**
 * Returns a typed text as it is counted and stored: trimmed, composed (NFC), and with every line break as LF. Browsers
 * count CRLF as one character, and send it where a person typed LF (contract 3.7).
 */
export const normalizeTypedText = (text: string): string =>
  normalizeNfc(text.replaceAll(/\r\n?/g, "\n").trim());

/** Counts code points, which are close to what people see as characters. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
