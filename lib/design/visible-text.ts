/**
 * Matches a visible character: not a space, control character, mark without a letter, zero-width character, filler or
 * the blank Braille pattern.
 */
export const VISIBLE_CHARACTER_PATTERN = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;
