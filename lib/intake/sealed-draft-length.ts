/**
 * Maximum characters of a sealed draft, in base64url. A report at the limits of its form has about half of them. The
 * browser loads this file.
 */
export const MAX_SEALED_DRAFT_LENGTH = 200_000;
