import assert from "node:assert/strict";

/** Shapes of the interface, written down a second time: what a response must have, and nothing else. */

type Check = (value: unknown, at: string) => void;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const matching =
  (pattern: RegExp, what: string): Check =>
  (value, at) => {
    assert.equal(typeof value, "string", `${at} is ${what}`);
    assert.match(value as string, pattern, `${at} is ${what}`);
  };

export const uuid = matching(UUID, "an id");
export const time = matching(TIME, "a time");
export const text = matching(/^/, "text");
export const url = matching(/^https?:\/\//, "a link");
export const count: Check = (value, at) =>
  assert.ok(Number.isInteger(value) && (value as number) >= 0, `${at} is a count`);
export const yesOrNo: Check = (value, at) => assert.equal(typeof value, "boolean", at);
export const exactly =
  (...values: unknown[]): Check =>
  (value, at) =>
    assert.ok(values.includes(value), `${at} is one of ${values.join(", ")}`);
export const orNull =
  (check: Check): Check =>
  (value, at) =>
    value === null ? undefined : check(value, at);
export const listOf =
  (check: Check): Check =>
  (value, at) => {
    assert.ok(Array.isArray(value), `${at} is a list`);
    for (const [index, one] of value.entries()) check(one, `${at}[${index}]`);
  };

/** An object with exactly these members; those that may be missing come second. */
export const record =
  (always: Record<string, Check>, sometimes: Record<string, Check> = {}): Check =>
  (value, at) => {
    assert.ok(value && typeof value === "object" && !Array.isArray(value), `${at} is an object`);
    const there = Object.entries(sometimes).filter(([name]) => name in value);
    const members = { ...always, ...Object.fromEntries(there) };
    assert.deepEqual(Object.keys(value).sort(), Object.keys(members).sort(), `members of ${at}`);
    for (const [name, check] of Object.entries(members))
      check((value as Record<string, unknown>)[name], `${at}.${name}`);
  };

/** Asserts that a body has exactly a shape. */
export const expectShape = (body: unknown, members: Record<string, Check>): void =>
  record(members)(body, "body");

export const STATES = ["submitted", "acknowledged", "investigating", "resolved", "closed"];
export const SEVERITIES = ["low", "medium", "high", "critical"];

export const USER = record({ id: uuid, email: text, name: text, avatarUrl: orNull(url) });

export const PAGINATION = record({ page: count, limit: count, total: count, totalPages: count });

const PERSON = record({ id: uuid, name: text, email: orNull(text) });

export const RELATED_FILE_MEMBERS = {
  id: uuid,
  filename: text,
  mimetype: text,
  size: count,
  createdAt: time,
  sha256: matching(/^[0-9a-f]{64}$/, "a SHA-256"),
  description: orNull(text),
  reveals: listOf(exactly("place", "device", "time", "author")),
  clean: exactly("cleaned", "clean", "not_cleanable", "not_inspected"),
  hasOriginal: yesOrNo,
};
/** What only the team sees of a file. */
export const OF_THE_TEAM = {
  uploadedBy: orNull(record({ id: uuid, name: text })),
  visibleToReporter: yesOrNo,
};
const RELATED_FILE = record(RELATED_FILE_MEMBERS, OF_THE_TEAM);

/** The full record of an incident (contract 7.1). */
export const INCIDENT = record({
  id: uuid,
  title: text,
  description: text,
  state: exactly(...STATES),
  severity: orNull(exactly(...SEVERITIES)),
  incidentAt: orNull(time),
  location: orNull(text),
  parties: orNull(text),
  eventId: uuid,
  reporterId: orNull(uuid),
  assignedResponderId: orNull(uuid),
  resolution: orNull(text),
  firstResponseAt: orNull(time),
  resolvedAt: orNull(time),
  escalatedAt: orNull(time),
  reopenedAt: orNull(time),
  createdAt: time,
  updatedAt: time,
  type: orNull(text),
  contactMethod: exactly("email", "phone", "in_person", "no_contact"),
  event: record({ id: uuid, name: text, slug: text }),
  reporter: orNull(PERSON),
  assignedResponder: orNull(PERSON),
  relatedFiles: listOf(RELATED_FILE),
});

export const ORGANIZATION_MEMBERS = {
  id: uuid,
  name: text,
  slug: text,
  description: orNull(text),
  website: orNull(text),
  logoUrl: orNull(url),
  requireSecondFactor: yesOrNo,
  createdAt: time,
  updatedAt: time,
};
export const ORGANIZATION = record(ORGANIZATION_MEMBERS);

export const EVENT = record({
  id: uuid,
  organizationId: uuid,
  name: text,
  slug: text,
  description: orNull(text),
  startDate: orNull(time),
  endDate: orNull(time),
  website: orNull(text),
  contactEmail: orNull(text),
  codeOfConduct: orNull(text),
  logo: orNull(url),
  isActive: yesOrNo,
  createdAt: time,
  updatedAt: time,
});

export const INVITE = record({
  id: uuid,
  code: text,
  role: exactly("org_admin", "org_viewer", "Reporter", "Responder", "Admin"),
  url,
  expiresAt: orNull(time),
  maxUses: orNull(count),
  useCount: count,
  disabled: yesOrNo,
  note: orNull(text),
  createdAt: time,
});
