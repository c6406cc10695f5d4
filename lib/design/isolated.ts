/** A name for a sentence of a language that may be written the other way: neither tears the other apart. */
export const isolateBidi = (name: string): string => `\u2068${name}\u2069`;
