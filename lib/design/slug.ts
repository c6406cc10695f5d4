import { stripDiacritics } from "./compose.ts";

/** Longest slug (contract 3.6). */
export const MAX_SLUG_LENGTH = 63;

/** What stands behind so much of a name can't be in its address any more. */
const MAX_NAME_LENGTH = 1_000;

/**
 * The address that a name suggests: "Harbour Conf 2027: Lisboa!" becomes "harbour-conf-2027-lisboa". Empty
 * where nothing of the name can stand in an address.
 */
export function slugify(name: string): string {
  const plain = stripDiacritics(name.slice(0, MAX_NAME_LENGTH))
    .toLowerCase()
    .replace(/[ßæœøłđð]/g, (letter) => TRANSLITERATIONS[letter] ?? "")
    .replace(/['’]/g, "");
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/-$/, "");
  return slug.length < 2 ? "" : slug;
}

const TRANSLITERATIONS: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
};
