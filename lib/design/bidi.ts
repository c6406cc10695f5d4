/** Wraps a name in bidi isolates, so that it and the sentence around it can have different text directions. */
export const isolateBidi = (name: string): string => `\u2068${name}\u2069`;
