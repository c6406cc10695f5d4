import { toNameKey } from "#lib/design/match-key.ts";

/** Returns whether a text names a person. @param terms the person's terms from `listDistinctiveNameTerms` */
export function containsNameTerm(text: string, terms: readonly string[]): boolean {
  const padded = normalizeTextForNameMatch(text).map((one) => ` ${one} `);
  return terms.some((term) => padded.some((one) => one.includes(term)));
}

/**
 * Returns the words of a text with one space between them, as names are compared: once with quotes and hyphens as
 * spaces and, if it has some, once without them, since people write O'Brien, O Brien and OBrien.
 */
export function normalizeTextForNameMatch(text: string): string[] {
  const key = toNameKey(text);
  const joined = key.replace(/(?<=[\p{L}\p{M}])['-](?=\p{L})/gu, "");
  return [...new Set([key, joined].map((one) => one.replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")))];
}
