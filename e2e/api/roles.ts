/** Who asks in the tests that go over every endpoint: people of the world, by their names there. */
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
/** "nobody" is not signed in; "maya" is the reporter of the report in question, "rita" another Reporter. */
export type Role = (typeof ROLES)[number];

export const SIGNED_IN: readonly Role[] = ROLES.filter((role) => role !== "nobody");
