/** Longest slug (rulings R4). */
export const MAX_SLUG = 63;

/**
 * The address that a name suggests: "Harbour Conf 2027: Lisboa!" becomes "harbour-conf-2027-lisboa". Empty
 * where nothing of the name can stand in an address.
 */
export function slugFrom(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæœøłđð]/g, (letter) => SPELLED[letter] ?? "")
    .replace(/['’]/g, "");
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_SLUG)
    .replace(/-$/, "");
  return slug.length < 2 ? "" : slug;
}

const SPELLED: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d" };
