/** Returns whether a text names a person. @param terms the person's terms from `listDistinctiveNameTerms` */
export function containsNameTerm(text: string, terms: readonly string[]): boolean {
  const padded = ` ${normalizeTextForNameMatch(text)} `;
  return terms.some((term) => padded.includes(term));
}

/** Returns a text in lower case with one space between its words. */
export const normalizeTextForNameMatch = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, " ");
