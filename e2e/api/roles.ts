/** The people who send requests in the tests of every endpoint, by their names in the test world. */
export const ROLES = [
  "nobody",
  "nora",
  "maya",
  "rita",
  "omar",
  "ada",
  "ines",
  "viktor",
  "olga",
  "bruno",
  "berta",
  "sam",
] as const;
/** "nobody" is a visitor; "maya" is the reporter of the requested report, "rita" another Reporter. */
export type Role = (typeof ROLES)[number];

export const SIGNED_IN: readonly Role[] = ROLES.filter((role) => role !== "nobody");
