/** Returns whether a text names a person. @param terms the person's terms from `listNameTerms` */
export function namesPerson(text: string, terms: readonly string[]): boolean {
  const padded = ` ${joinTerms(text)} `;
  return terms.some((term) => padded.includes(term));
}

/** Returns a text in lower case with one space between its words. */
export const joinTerms = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, " ");
