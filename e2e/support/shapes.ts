import assert from "node:assert/strict";

/** Shapes of responses, written independently of the schemas: exactly the members that a response must have. */

type ShapeCheck = (value: unknown, at: string) => void;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const checkPattern =
  (pattern: RegExp, what: string): ShapeCheck =>
  (value, at) => {
    assert.equal(typeof value, "string", `${at} is ${what}`);
    assert.match(value as string, pattern, `${at} is ${what}`);
  };

export const checkUuid = checkPattern(UUID, "an id");
export const checkTime = checkPattern(TIME, "a time");
export const checkText = checkPattern(/^/, "text");
export const checkUrl = checkPattern(/^https?:\/\//, "a link");
export const checkCount: ShapeCheck = (value, at) =>
  assert.ok(Number.isInteger(value) && (value as number) >= 0, `${at} is a count`);
export const checkBoolean: ShapeCheck = (value, at) => assert.equal(typeof value, "boolean", at);
export const checkExactly =
  (...values: unknown[]): ShapeCheck =>
  (value, at) =>
    assert.ok(values.includes(value), `${at} is one of ${values.join(", ")}`);
export const checkNullable =
  (check: ShapeCheck): ShapeCheck =>
  (value, at) =>
    value === null ? undefined : check(value, at);
export const checkList =
  (check: ShapeCheck): ShapeCheck =>
  (value, at) => {
    assert.ok(Array.isArray(value), `${at} is a list`);
    for (const [index, one] of value.entries()) check(one, `${at}[${index}]`);
  };

/** Checks an object with exactly these members. @param optional members that may be missing */
export const checkRecord =
  (always: Record<string, ShapeCheck>, sometimes: Record<string, ShapeCheck> = {}): ShapeCheck =>
  (value, at) => {
    assert.ok(value && typeof value === "object" && !Array.isArray(value), `${at} is an object`);
    const there = Object.entries(sometimes).filter(([name]) => name in value);
    const members = { ...always, ...Object.fromEntries(there) };
    assert.deepEqual(Object.keys(value).sort(), Object.keys(members).sort(), `members of ${at}`);
    for (const [name, check] of Object.entries(members))
      check((value as Record<string, unknown>)[name], `${at}.${name}`);
  };

/** Expects a body with exactly these members. */
export const expectShape = (body: unknown, members: Record<string, ShapeCheck>): void =>
  checkRecord(members)(body, "body");

export const STATES = ["submitted", "acknowledged", "investigating", "resolved", "closed"];
export const SEVERITIES = ["low", "medium", "high", "critical"];

export const USER = checkRecord({
  id: checkUuid,
  email: checkText,
  name: checkText,
  avatarUrl: checkNullable(checkUrl),
});

/** An organization or an event that a record refers to. */
export const PLACE = checkRecord({ id: checkUuid, name: checkText, slug: checkText });

export const PAGINATION = checkRecord({
  page: checkCount,
  limit: checkCount,
  total: checkCount,
  totalPages: checkCount,
});

const PERSON_MEMBERS = { id: checkUuid, name: checkText, email: checkNullable(checkText) };
const PERSON = checkRecord(PERSON_MEMBERS);

export const RELATED_FILE_MEMBERS = {
  id: checkUuid,
  filename: checkText,
  mimetype: checkText,
  size: checkCount,
  createdAt: checkTime,
  sha256: checkPattern(/^[0-9a-f]{64}$/, "a SHA-256"),
  original: checkNullable(
    checkRecord({ sha256: checkPattern(/^[0-9a-f]{64}$/, "a SHA-256"), size: checkCount }),
  ),
  description: checkNullable(checkText),
  reveals: checkList(checkExactly("place", "device", "time", "author")),
  lost: checkList(checkExactly("video", "pictures")),
  clean: checkExactly("cleaned", "clean", "not_cleanable", "not_inspected"),
  hasOriginal: checkBoolean,
};
/** Members of a file that only the team sees. */
export const TEAM_FILE_MEMBERS = {
  uploadedBy: checkNullable(checkRecord({ id: checkUuid, name: checkText })),
  fromUnnamedReporter: checkBoolean,
  visibleToReporter: checkBoolean,
};
const RELATED_FILE = checkRecord(RELATED_FILE_MEMBERS, TEAM_FILE_MEMBERS);

/** The full record of an incident (contract 7.1). */
export const INCIDENT = checkRecord({
  id: checkUuid,
  number: checkCount,
  codeName: checkText,
  title: checkText,
  description: checkText,
  state: checkExactly(...STATES),
  severity: checkNullable(checkExactly(...SEVERITIES)),
  urgent: checkBoolean,
  hasMailbox: checkBoolean,
  unconfirmed: checkBoolean,
  mailboxClosed: checkBoolean,
  withdrawn: checkBoolean,
  incidentAt: checkNullable(checkTime),
  incidentOn: checkNullable(checkText),
  incidentDayPart: checkNullable(checkText),
  location: checkNullable(checkText),
  parties: checkNullable(checkText),
  eventId: checkUuid,
  reporterId: checkNullable(checkUuid),
  assignedResponderId: checkNullable(checkUuid),
  summary: checkNullable(checkText),
  resolution: checkNullable(checkText),
  firstResponseAt: checkNullable(checkTime),
  resolvedAt: checkNullable(checkTime),
  escalatedAt: checkNullable(checkTime),
  reopenedAt: checkNullable(checkTime),
  createdAt: checkTime,
  updatedAt: checkTime,
  type: checkNullable(checkText),
  contactMethod: checkExactly("email", "phone", "in_person", "no_contact"),
  contactPhone: checkNullable(checkText),
  event: PLACE,
  reporter: checkNullable(checkRecord({ ...PERSON_MEMBERS, emailVerified: checkBoolean })),
  assignedResponder: checkNullable(PERSON),
  relatedFiles: checkList(RELATED_FILE),
  reportedPersonName: checkNullable(checkText),
  conflictCheck: checkNullable(checkExactly("none", "soft", "emergency")),
});

export const ORGANIZATION_MEMBERS = {
  id: checkUuid,
  name: checkText,
  slug: checkText,
  description: checkNullable(checkText),
  website: checkNullable(checkText),
  logoUrl: checkNullable(checkUrl),
  requireSecondFactor: checkBoolean,
  conflictCheck: checkBoolean,
  createdAt: checkTime,
  updatedAt: checkTime,
};
export const ORGANIZATION = checkRecord(ORGANIZATION_MEMBERS);

export const EVENT = checkRecord({
  id: checkUuid,
  organizationId: checkUuid,
  name: checkText,
  slug: checkText,
  description: checkNullable(checkText),
  startDate: checkNullable(checkTime),
  endDate: checkNullable(checkTime),
  timeZone: checkNullable(checkText),
  website: checkNullable(checkText),
  contactEmail: checkNullable(checkText),
  codeOfConduct: checkNullable(checkText),
  logo: checkNullable(checkUrl),
  isActive: checkBoolean,
  createdAt: checkTime,
  updatedAt: checkTime,
});

export const INVITE = checkRecord({
  id: checkUuid,
  code: checkText,
  role: checkExactly("org_admin", "org_viewer", "Reporter", "Responder", "Admin"),
  url: checkUrl,
  expiresAt: checkNullable(checkTime),
  maxUses: checkNullable(checkCount),
  useCount: checkCount,
  disabled: checkBoolean,
  note: checkNullable(checkText),
  createdAt: checkTime,
});
