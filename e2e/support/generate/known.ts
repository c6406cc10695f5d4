import fc from "fast-check";

/** Things of the world that a generated request may name; what each is called there is known when it is sent. */

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
/** maya's and rita's in the event, one in its neighbour, and one of the other tenant. */
const REPORTS = ["report", "otherReport", "neighbourReport", "foreignReport"] as const;
const INVITES = ["invite", "organizationInvite", "foreignInvite", "foreignOrganizationInvite"] as const;
const PARTS = ["note", "message", "foreignNote", "file", "foreignFile", "webhook", "foreignWebhook"] as const;

export type KnownName =
  | `${(typeof PEOPLE)[number]}.${"id" | "email"}`
  | `${(typeof PLACES)[number]}.${"id" | "slug"}`
  | `${(typeof REPORTS | typeof PARTS)[number]}.id`
  | `${(typeof INVITES)[number]}.${"id" | "code"}`;

export const KNOWN_NAMES: KnownName[] = [
  ...PEOPLE.flatMap((name) => [`${name}.id`, `${name}.email`] as const),
  ...PLACES.flatMap((name) => [`${name}.id`, `${name}.slug`] as const),
  ...[...REPORTS, ...PARTS].map((name) => `${name}.id` as const),
  ...INVITES.flatMap((name) => [`${name}.id`, `${name}.code`] as const),
];

/** Stands in a plan for one of them. */
export class KnownReference {
  readonly name: KnownName;

  constructor(name: KnownName) {
    this.name = name;
  }

  [fc.toStringMethod](): string {
    return `«${this.name}»`;
  }
}

/** A value with what it names put in. */
export function resolveKnown(value: unknown, known: Record<KnownName, string>): unknown {
  if (value instanceof KnownReference) return known[value.name];
  if (Array.isArray(value)) return value.map((one) => resolveKnown(one, known));
  if (!value || typeof value !== "object") return value;
  const copy = {};
  for (const [name, inner] of Object.entries(value))
    Object.defineProperty(copy, name, { value: resolveKnown(inner, known), enumerable: true });
  return copy;
}

/** The names that stand in a value. */
export function listKnownNames(value: unknown): KnownName[] {
  if (value instanceof KnownReference) return [value.name];
  if (!value || typeof value !== "object") return [];
  return Object.values(value).flatMap(listKnownNames);
}
