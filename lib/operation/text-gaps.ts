/**
 * Returns whether a text still has a gap to fill in: words in square brackets, such as [what we did]. A number in
 * brackets is none.
 */
export const hasTextGap = (text: string): boolean =>
  (text.match(/\[[^[\]\n]*\]/g) ?? []).some((brackets) => /\p{L}/u.test(brackets));
