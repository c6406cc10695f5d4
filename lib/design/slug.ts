import { toMatchKey } from "./match-key.ts";

/** The maximum length of a slug (contract 3.6). */
export const MAX_SLUG_LENGTH = 63;

/** Characters beyond this length of a name can't end up in its slug. */
const MAX_NAME_LENGTH = 1_000;

/**
 * Suggests a slug for a name: "Harbour Conf 2027: Lisboa!" becomes "harbour-conf-2027-lisboa". Empty if no character of
 * the name can be used.
 */
export function slugify(name: string): string {
  const slug = toMatchKey(name.slice(0, MAX_NAME_LENGTH))
    .replaceAll("'", "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/-$/, "");
  return slug.length < 2 ? "" : slug;
}
