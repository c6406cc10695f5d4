import fc from "fast-check";

/** Placeholders for records of the test world in generated requests; their ids are filled in when a request is sent. */

export const PEOPLE = [
  "sam",
  "olga",
  "viktor",
  "ada",
  "omar",
  "maya",
  "rita",
  "ines",
  "nora",
  "bruno",
  "berta",
] as const;
const PLACES = ["organization", "event", "otherEvent", "foreignOrganization", "foreignEvent"] as const;
/** Reports of maya and rita in the event, one in another event, and one of the other tenant. */
const REPORTS = ["report", "otherReport", "otherEventReport", "foreignReport"] as const;
const INVITES = ["invite", "organizationInvite", "foreignInvite", "foreignOrganizationInvite"] as const;
const PARTS = ["note", "message", "foreignNote", "file", "foreignFile", "webhook", "foreignWebhook"] as const;

export type PlaceholderName =
  | `${(typeof PEOPLE)[number]}.${"id" | "email"}`
  | `${(typeof PLACES)[number]}.${"id" | "slug"}`
  | `${(typeof REPORTS | typeof PARTS)[number]}.id`
  | `${(typeof INVITES)[number]}.${"id" | "code"}`;

export const PLACEHOLDER_NAMES: PlaceholderName[] = [
  ...PEOPLE.flatMap((name) => [`${name}.id`, `${name}.email`] as const),
  ...PLACES.flatMap((name) => [`${name}.id`, `${name}.slug`] as const),
  ...[...REPORTS, ...PARTS].map((name) => `${name}.id` as const),
  ...INVITES.flatMap((name) => [`${name}.id`, `${name}.code`] as const),
];

/** A placeholder in a plan. */
export class Placeholder {
  readonly name: PlaceholderName;

  constructor(name: PlaceholderName) {
    this.name = name;
  }

  [fc.toStringMethod](): string {
    return `«${this.name}»`;
  }
}

/** Returns a value with its placeholders replaced. */
export function fillPlaceholders(value: unknown, known: Record<PlaceholderName, string>): unknown {
  if (value instanceof Placeholder) return known[value.name];
  if (Array.isArray(value)) return value.map((one) => fillPlaceholders(one, known));
  if (!value || typeof value !== "object") return value;
  const copy = {};
  for (const [name, inner] of Object.entries(value))
    Object.defineProperty(copy, name, { value: fillPlaceholders(inner, known), enumerable: true });
  return copy;
}

/** Lists the placeholders in a value. */
export function listPlaceholderNames(value: unknown): PlaceholderName[] {
  if (value instanceof Placeholder) return [value.name];
  if (!value || typeof value !== "object") return [];
  return Object.values(value).flatMap(listPlaceholderNames);
}
