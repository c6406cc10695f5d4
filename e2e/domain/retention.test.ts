import { beforeEach, expect, it } from "vitest";
import { DAY_MS, waitForPeriodWith } from "#e2e/support/period.ts";
import {
  createEvent,
  createIncident,
  createMessage,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";
import { LOCK_INCIDENT_SQL, runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { loadInsights } from "#lib/analytics/insights.ts";
import { TIME_RANGE_NAMES } from "#lib/analytics/period.ts";
import { loadAnalytics, listEventsWithReportCounts } from "#lib/analytics/queries.ts";
import type { ReportInsights, ReportFilter } from "#lib/analytics/schema.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { INCIDENT_STATES, SEVERITIES, type IncidentState } from "#lib/incidents/schema.ts";
import { deleteOrganizationAndRecordErasure } from "#lib/organizations/organizations.ts";
import { deleteDueIncidents } from "#lib/retention/deletion.ts";
import { notifyTeamsOfDeletionsAndHoldReviews } from "#lib/retention/notices.ts";
import { loadIncidentRetention, loadScheduledDeletionCountsByMonth } from "#lib/retention/queries.ts";

/** The rules of organizations delete finished reports: which, when, once, and with which numbers left (decision 060). */

const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const dayIn = (days: number) => ago(-days).toISOString().slice(0, 10);

/** A day that ends amid a test would change what is due. */
beforeEach(() => waitForPeriodWith(60_000, DAY_MS));

type Months = { resolvedMonths?: number; closedMonths?: number; withoutNameMonths?: number };

async function createWorld(months: Months = { resolvedMonths: 6, closedMonths: 6 }) {
  const organization = await createOrganization();
  const event = await createEvent(organization.id);
  const person = await createUser();
  await prisma.retentionRules.create({
    data: { organizationId: organization.id, changedAt: ago(100), ...months },
  });
  const createUnannounced = (data: Partial<Parameters<typeof createIncident>[0]> = {}) =>
    createIncident({
      eventId: event.id,
      state: "resolved",
      reporterId: person.id,
      createdAt: ago(400),
      firstResponseAt: ago(399),
      resolvedAt: ago(300),
      ...data,
    });
  const create = async (data: Partial<Parameters<typeof createIncident>[0]> = {}) => {
    const incident = await createUnannounced(data);
    await announce(incident.id);
    return incident;
  };
  return { organization, event, person, create, createUnannounced };
}

/** The team was notified a week before the day that is given. */
const announce = (incidentId: string, dueOn = ago(5)) =>
  prisma.retentionNotice.create({
    data: { incidentId, dueOn, daysAhead: 7, givenAt: new Date(dueOn.getTime() - 7 * DAY_MS) },
  });

const isThere = async ({ id }: { id: string }) => (await prisma.incident.count({ where: { id } })) === 1;

it("deletes what a rule names once its time is over, and nothing else", async () => {
  const { create } = await createWorld({ resolvedMonths: 6, withoutNameMonths: 3 });
  const due = await create();
  const dueSooner = await create({ reporterId: null, resolvedAt: ago(120) });
  const staying = await Promise.all([
    create({ resolvedAt: ago(120) }),
    create({ state: "closed" }),
    create({ state: "investigating", resolvedAt: null }),
    create({ state: "acknowledged", reporterId: null, resolvedAt: null, reopenedAt: ago(1) }),
  ]);
  const elsewhere = await createIncident({
    eventId: (await createEvent((await createOrganization()).id)).id,
    state: "resolved",
    createdAt: ago(900),
    firstResponseAt: ago(899),
    resolvedAt: ago(800),
  });
  expect(await deleteDueIncidents()).toBe(2);
  expect([await isThere(due), await isThere(dueSooner)]).toEqual([false, false]);
  for (const one of [...staying, elsewhere]) expect(await isThere(one)).toBe(true);
  expect(await deleteDueIncidents()).toBe(0);
});

it("the deletion waits for 14 days after the last message or note, and says why", async () => {
  const { create, person } = await createWorld();
  const [message, note, old] = [await create(), await create(), await create()];
  await createMessage({
    incidentId: message.id,
    authorId: person.id,
    body: "One more thing.",
    createdAt: ago(13),
  });
  await prisma.teamNote.create({
    data: { incidentId: note.id, authorId: person.id, body: "They called.", createdAt: ago(2) },
  });
  await createMessage({ incidentId: old.id, authorId: person.id, body: "Thank you.", createdAt: ago(15) });
  expect(await loadIncidentRetention(message.id)).toMatchObject({
    deleteOn: dayIn(2),
    delayedBy: "message",
    rule: "resolved",
    months: 6,
  });
  expect(await loadIncidentRetention(note.id)).toMatchObject({ deleteOn: dayIn(13), delayedBy: "message" });
  expect(await deleteDueIncidents()).toBe(1);
  expect([await isThere(message), await isThere(note), await isThere(old)]).toEqual([true, true, false]);
});

it("the deletion waits for 30 days after a change of the rules, and after the release of a hold", async () => {
  const { create, organization, person } = await createWorld();
  const [held, released, plain] = [await create(), await create(), await create()];
  const hold = { heldById: person.id, reason: "A court asked.", reviewOn: ago(-10), heldAt: ago(200) };
  await prisma.incidentRetention.create({ data: { incidentId: held.id, ...hold } });
  await prisma.incidentRetention.create({ data: { incidentId: released.id, releasedAt: ago(10) } });
  expect(await loadIncidentRetention(held.id)).toMatchObject({ deleteOn: null, onHold: true });
  expect(await loadIncidentRetention(released.id)).toMatchObject({
    deleteOn: dayIn(21),
    delayedBy: "release",
  });
  await prisma.retentionRules.updateMany({
    where: { organizationId: organization.id },
    data: { changedAt: ago(29) },
  });
  expect(await loadIncidentRetention(plain.id)).toMatchObject({ deleteOn: dayIn(2), delayedBy: "rules" });
  expect(await deleteDueIncidents()).toBe(0);
  await prisma.retentionRules.updateMany({
    where: { organizationId: organization.id },
    data: { changedAt: ago(31) },
  });
  await prisma.retentionNotice.updateMany({ data: { givenAt: ago(8) } });
  expect(await deleteDueIncidents()).toBe(1);
  expect([await isThere(held), await isThere(released)]).toEqual([true, true]);
});

it("the deletion waits for seven days after a notice, whatever makes a report due", async () => {
  const { createUnannounced } = await createWorld();
  const { id } = await createUnannounced();
  expect(await loadIncidentRetention(id)).toMatchObject({ deleteOn: dayIn(7), delayedBy: "notice" });
  await prisma.outboxEvent.deleteMany();
  await notifyTeamsOfDeletionsAndHoldReviews();
  expect(await prisma.outboxEvent.findMany({ where: { incidentId: id } })).toMatchObject([
    { kind: "incident.expiring" },
  ]);
  expect(await deleteDueIncidents()).toBe(0);
  await prisma.retentionNotice.updateMany({ where: { incidentId: id }, data: { dueOn: ago(1) } });
  expect(await loadIncidentRetention(id)).toMatchObject({ deleteOn: dayIn(7), delayedBy: "notice" });
  await prisma.retentionNotice.updateMany({ where: { incidentId: id }, data: { givenAt: ago(6) } });
  expect(await deleteDueIncidents()).toBe(0);
  await prisma.retentionNotice.updateMany({ where: { incidentId: id }, data: { givenAt: ago(7) } });
  expect(await deleteDueIncidents()).toBe(1);
});

it("the deletion doesn't come before the day in the notice, where another rule applies", async () => {
  const { createUnannounced } = await createWorld({ resolvedMonths: 11, closedMonths: 6 });
  const { id } = await createUnannounced();
  await prisma.retentionNotice.create({
    data: { incidentId: id, dueOn: ago(-20), daysAhead: 30, givenAt: ago(10) },
  });
  await prisma.incident.update({ where: { id }, data: { state: "closed" } });
  expect(await loadIncidentRetention(id)).toMatchObject({ deleteOn: dayIn(20), delayedBy: "notice" });
  expect(await deleteDueIncidents()).toBe(0);
});

it("doesn't count notices from before the report was finished, the rules changed or a hold was released", async () => {
  const { create, organization } = await createWorld();
  const [finished, released, ruled] = [await create(), await create(), await create()];
  const early = (incidentId: string, givenAt: Date) =>
    prisma.retentionNotice.updateMany({ where: { incidentId }, data: { givenAt, dueOn: ago(35) } });
  await early(finished.id, ago(301));
  await prisma.incidentRetention.create({ data: { incidentId: released.id, releasedAt: ago(40) } });
  await early(released.id, ago(41));
  await prisma.retentionRules.updateMany({
    where: { organizationId: organization.id },
    data: { changedAt: ago(45) },
  });
  await early(ruled.id, ago(46));
  expect(await deleteDueIncidents()).toBe(0);
  for (const { id } of [finished, released, ruled])
    expect(await loadIncidentRetention(id)).toMatchObject({ deleteOn: dayIn(7), delayedBy: "notice" });
});

it("waits for 14 days after a change that only the history has, such as a note that was removed", async () => {
  const { create, event } = await createWorld();
  const { id } = await create();
  const { id: older } = await create();
  const entry = { eventId: event.id, action: "note.deleted" };
  await prisma.incidentHistory.create({ data: { ...entry, incidentId: id, createdAt: ago(3) } });
  await prisma.incidentHistory.create({ data: { ...entry, incidentId: older, createdAt: ago(15) } });
  expect(await loadIncidentRetention(id)).toMatchObject({ deleteOn: dayIn(12), delayedBy: "message" });
  expect(await deleteDueIncidents()).toBe(1);
  expect(await isThere({ id })).toBe(true);
});

it("has no day for a report that is open, reopened, or that no rule names", async () => {
  const { create } = await createWorld({ resolvedMonths: 6 });
  for (const data of [{ state: "acknowledged", resolvedAt: null }, { state: "closed" }] as const)
    expect(await loadIncidentRetention((await create(data)).id)).toEqual({
      deleteOn: null,
      rule: null,
      months: null,
      delayedBy: null,
      onHold: false,
      hold: null,
    });
});

it("keeps a report that gets a message while its deletion waits", async () => {
  const { create, person } = await createWorld();
  const { id } = await create();
  const deleted = await runWhileLocked(
    `with written as (insert into messages (conversation_id, author_id, body) values ($1, $2, 'Wait.'))
     update incidents set last_message_at = now() where id = $1`,
    [id, person.id],
    deleteDueIncidents,
    () => waitForBlockedStatements(),
  );
  expect([deleted, await isThere({ id })]).toEqual([0, true]);
});

it("deletes each report once, in however many processes it runs", async () => {
  const { create, organization } = await createWorld();
  await Promise.all(Array.from({ length: 30 }, () => create()));
  const counts = await Promise.all([deleteDueIncidents(), deleteDueIncidents(), deleteDueIncidents()]);
  expect(counts.reduce((sum, one) => sum + one)).toBe(30);
  expect(await prisma.reportTombstone.count()).toBeGreaterThanOrEqual(30);
  const entries = await prisma.auditEntry.findMany({ where: { chain: organization.id } });
  expect(entries).toHaveLength(30);
  expect(entries[0]).toMatchObject({
    action: "incident.expire",
    actorId: null,
    byRight: "service",
    data: { rule: "resolved", months: 6 },
  });
});

it("goes on after the database ended the connection amid a deletion, and nothing is half deleted", async () => {
  const { create, event } = await createWorld();
  const reports = await Promise.all([create(), create(), create()]);
  const [blocked] = reports.map(({ id }) => id).toSorted();
  await runWhileLocked(
    LOCK_INCIDENT_SQL,
    [blocked],
    async () => {
      await expect(deleteDueIncidents()).rejects.toThrow();
    },
    async () => {
      await waitForBlockedStatements();
      await sql.$executeRaw`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`;
    },
  );
  const gone = await prisma.reportTombstone.count({ where: { eventId: event.id } });
  expect(await prisma.incident.count({ where: { eventId: event.id } })).toBe(3 - gone);
  expect(gone).toBeLessThan(3);
  await deleteDueIncidents();
  expect(await prisma.reportTombstone.count({ where: { eventId: event.id } })).toBe(3);
  expect(await prisma.incident.count({ where: { eventId: event.id } })).toBe(0);
});

/** Rows of all tables whose text contains a word. */
async function findTablesWith(word: string): Promise<string[]> {
  const tables = await sql.$queryRaw<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE' order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql.$queryRaw<{ n: number }[]>`
      select count(*)::int as n from ${Prisma.raw(name)} t where t::text ilike ${`%${word}%`}`;
    if (row && row.n > 0) found.push(name);
  }
  return found;
}

/** A conversation with a witness: a decision, a message, a file and a key of theirs. @returns its id */
async function writeConversation(incidentId: string, eventId: string, word: string): Promise<string> {
  const { id: conversationId } = await prisma.conversation.create({
    data: { incidentId, party: "witness", label: word, wordsHash: new Uint8Array([1, 2, 3, 4]) },
  });
  const decision = { reported: word, finding: word, measure: word, appeal: word };
  await prisma.message.create({ data: { conversationId, kind: "decision", ...decision } });
  await prisma.message.create({ data: { conversationId, body: word, fromParty: true } });
  await prisma.relatedFile.create({
    data: {
      incidentId,
      eventId,
      conversationId,
      filename: `${word}.png`,
      mimetype: "image/png",
      size: 3,
      sha256: "0",
      storageKey: crypto.randomUUID(),
      visibleToReporter: false,
    },
  });
  const key = { keyHash: new Uint8Array([5]), contentHash: new Uint8Array([6]), expiresAt: new Date() };
  await prisma.idempotencyKey.create({ data: { conversationId, ...key } });
  return conversationId;
}

/** Columns that hold no free text: ids of the service, and codes that it chooses from a list or computes. */
const COLUMNS_WITHOUT_FREE_TEXT = new Map<string, string>([
  ["incident_access.kind", "a code"],
  ["incident_access.by_right", "a code"],
  ["incident_history.action", "a code"],
  ["incident_retention.reason", "of a hold, which keeps the report; its release clears it"],
  ["notifications.kind", "a code"],
  ["notifications.deduplication_id", "random"],
  ["outbox_events.kind", "a code"],
  ["outbox_events.state", "a code"],
  ["related_files.mimetype", "found out by the service"],
  ["related_files.sha256", "a hash"],
  ["related_files.copy_sha256", "a hash"],
  ["related_files.storage_key", "random"],
  ["related_files.original_key", "random"],
  ["related_files.original_key_id", "a hash"],
  ["related_files.reveals", "codes"],
  ["related_files.lost", "codes"],
]);

/** The text columns of every table that refers to an incident, itself or by a table that does. */
async function listTextColumnsOfIncidents(): Promise<string[]> {
  const rows = await sql.$queryRaw<{ name: string }[]>`
    with recursive referring as (
      select 'incidents'::text as name
      union select table_name::text from information_schema.columns
        where table_schema = 'public' and column_name like '%incident\\_id'
      union select c.conrelid::regclass::text from pg_constraint c
        join referring r on c.confrelid = to_regclass('public.' || r.name) where c.contype = 'f'
    )
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    join referring r on r.name = c.table_name
    where c.table_schema = 'public' and c.udt_name in ('text', 'varchar', 'json', 'jsonb', '_text', '_varchar')
    order by 1`;
  return rows.map(({ name }) => name);
}

/** Those of the columns in which no row has a word. */
async function listColumnsWithout(word: string, columns: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of columns) {
    const [table = "", column = ""] = name.split(".");
    const [row] = await sql.$queryRaw<{ n: number }[]>`
      select count(*)::int as n from ${Prisma.raw(`"${table}"`)} t
      where ${Prisma.raw(`t."${column}"`)}::text ilike ${`%${word}%`}`;
    if (!row?.n) found.push(name);
  }
  return found;
}

it("leaves no text of the report in any table, and its id in the audit log and its readers alone", async () => {
  const { create, event, organization, person } = await createWorld();
  const word = `Marker${Date.now()}`;
  const { id } = await create({
    title: `${word} at the desk`,
    codeName: word,
    description: word,
    location: word,
    parties: word,
    type: word,
    summary: word,
    resolution: word,
    reportedPersonName: word,
    contactPhone: word,
    contactMethod: "phone",
    undo: { title: word },
  });
  const colleague = await createUser();
  const at = { createdAt: ago(200), updatedAt: ago(200) };
  const note = await prisma.teamNote.create({
    data: { incidentId: id, authorId: colleague.id, body: word, ...at },
  });
  await prisma.teamNoteRevision.create({ data: { noteId: note.id, body: word } });
  const message = await createMessage({ incidentId: id, authorId: colleague.id, body: word, ...at });
  await prisma.messageRevision.create({ data: { messageId: message.id, body: word } });
  const personId = crypto.randomUUID();
  await prisma.person.create({
    data: { id: personId, groupId: personId, organizationId: organization.id, codeName: "marble-osprey" },
  });
  const texts = { name: word, handles: [word], addresses: [word], matchTerms: [word] };
  await prisma.incidentPerson.create({
    data: { ...texts, incidentId: id, eventId: event.id, personId, role: "harmed" },
  });
  await prisma.outboxEvent.deleteMany({ where: { incidentId: id } });
  await prisma.relatedFile.create({
    data: {
      incidentId: id,
      eventId: event.id,
      filename: `${word}.png`,
      mimetype: "image/png",
      size: 3,
      sha256: "0",
      storageKey: crypto.randomUUID(),
      description: word,
      uploadedById: person.id,
    },
  });
  await prisma.pin.create({ data: { userId: colleague.id, incidentId: id, eventId: event.id } });
  await prisma.unreadMarker.create({ data: { userId: colleague.id, incidentId: id } });
  const entry = { incidentId: id, eventId: event.id, actorId: colleague.id };
  await prisma.incidentHistory.create({
    data: { ...entry, action: "title", fromValue: word, toValue: word, createdAt: ago(200) },
  });
  await prisma.incidentAccess.create({
    data: { ...entry, kind: "original", byRight: "event:Admin", reason: word },
  });
  await prisma.conversation.update({ where: { id }, data: { wordsHash: new Uint8Array([1, 2, 3]) } });
  await prisma.idempotencyKey.create({
    data: {
      conversationId: id,
      keyHash: new Uint8Array([1]),
      contentHash: new Uint8Array([2]),
      expiresAt: new Date(),
    },
  });
  await prisma.idempotencyKey.create({
    data: {
      incidentId: id,
      keyHash: new Uint8Array([3]),
      contentHash: new Uint8Array([4]),
      expiresAt: new Date(),
      userId: person.id,
    },
  });
  await prisma.incidentRetention.create({ data: { incidentId: id, releasedAt: ago(60) } });
  await prisma.incidentReader.create({
    data: {
      access: "none",
      incidentId: id,
      userId: colleague.id,
      source: "team",
      byId: person.id,
      reason: word,
    },
  });
  const conversationId = await writeConversation(id, event.id, word);
  await prisma.intake.create({ data: { incidentId: id, takerId: colleague.id, channel: "in_person" } });
  await prisma.firstResponse.create({ data: { incidentId: id, kind: "water" } });
  const notification = {
    userId: colleague.id,
    kind: "incident.expiring",
    deduplicationId: crypto.randomUUID(),
  };
  await prisma.notification.create({
    data: { ...notification, organizationId: organization.id, eventId: event.id, incidentId: id },
  });
  const columns = await listTextColumnsOfIncidents();
  expect(columns).toEqual(expect.arrayContaining([...COLUMNS_WITHOUT_FREE_TEXT.keys(), "messages.body"]));
  const planted = columns.filter((name) => !COLUMNS_WITHOUT_FREE_TEXT.has(name));
  expect(await listColumnsWithout(word, planted)).toEqual([]);

  expect(await deleteDueIncidents()).toBe(1);
  expect(await findTablesWith(word)).toEqual([]);
  // The reader's row keeps the entries of the audit log hidden.
  expect(await findTablesWith(id)).toEqual(["public.audit_entries", "public.incident_readers"]);
  expect(await findTablesWith(conversationId)).toEqual([]);
});

it("leaves nothing of what was written on hiding when the organization is deleted", async () => {
  const { createUnannounced, organization, person } = await createWorld();
  const elsewhere = await createWorld();
  const word = `Marker${Date.now()}`;
  const hideFrom = ({ id }: { id: string }, reason: string) =>
    prisma.incidentReader.create({
      data: { access: "none", incidentId: id, userId: person.id, source: "self", reason },
    });
  await hideFrom(await createUnannounced({ title: word }), word);
  const staying = await elsewhere.createUnannounced();
  await hideFrom(staying, "Of another organization");
  expect(await findTablesWith(word)).toContain("public.incident_readers");
  await runTransaction((tx) =>
    deleteOrganizationAndRecordErasure(tx, organization.id, { actorId: null, right: "service" }),
  );
  expect(await findTablesWith(word)).toEqual([]);
  expect(
    await prisma.incidentReader.findMany({ where: { access: "none", incidentId: staying.id } }),
  ).toMatchObject([{ reason: "Of another organization" }]);
});

it("leaves a tombstone with the numbers of the report, and no id of a person", async () => {
  const { create, event, person } = await createWorld();
  const { id, createdAt } = await create({ type: "Something of its own" });
  const colleague = await createUser();
  const repliedAt = new Date(createdAt.getTime() + 200 * DAY_MS);
  const at = { createdAt: repliedAt, updatedAt: repliedAt };
  await createMessage({ incidentId: id, authorId: colleague.id, body: "Hello.", ...at });
  expect(await deleteDueIncidents()).toBe(1);
  const [tombstone] = await prisma.reportTombstone.findMany({ where: { eventId: event.id } });
  expect(tombstone).toMatchObject({
    state: "resolved",
    type: "",
    named: true,
    firstReply: expect.closeTo((200 * DAY_MS) / 1000, 0),
  });
  expect(JSON.stringify(tombstone, (_, value) => (typeof value === "bigint" ? null : value))).not.toContain(
    person.id,
  );
});

const OWN_TYPE = "Something of its own";
const NOW = new Date();
let drawn = 11;
const draw = () => (drawn = (drawn * 16_807) % 2_147_483_647) / 2_147_483_647;
const pick = <T>(of: readonly T[]): T => of[Math.floor(draw() * of.length)] as T;

/** A report of whatever time, status and severity; finished ones are due to a rule of one month. */
async function createSomeReport(
  eventIds: string[],
  { reporterId, authorId }: { reporterId: string; authorId: string },
) {
  const state: IncidentState = pick(INCIDENT_STATES);
  const createdAt = new Date(NOW.getTime() - Math.floor((70 + draw() * 400) * DAY_MS));
  if (draw() < 0.2) createdAt.setUTCHours(0, 0, 0, 0);
  if (draw() < 0.2) createdAt.setUTCHours(23, 59, 59, 999);
  const isOver = state === "resolved" || state === "closed";
  const { id } = await createIncident({
    eventId: pick(eventIds),
    createdAt,
    state,
    severity: pick([...SEVERITIES, null]),
    type: pick([...Object.values(STORED_TYPE_BY_INCIDENT_KIND), null, "  ", OWN_TYPE]),
    reporterId: draw() < 0.5 ? reporterId : null,
    assignedResponderId: draw() < 0.5 ? authorId : null,
    escalatedAt: draw() < 0.2 ? createdAt : null,
    firstResponseAt:
      state === "submitted" ? null : new Date(createdAt.getTime() + Math.floor(draw() * 3 * DAY_MS)),
    resolvedAt: isOver ? new Date(createdAt.getTime() + Math.floor(draw() * 35 * DAY_MS)) : null,
  });
  if (isOver) await announce(id);
  if (draw() < 0.6)
    await createMessage({
      incidentId: id,
      authorId,
      body: "We are on it.",
      createdAt: new Date(createdAt.getTime() + Math.floor(draw() * 30 * DAY_MS)),
    });
}

const dayAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS).toISOString().slice(0, 10);

async function readAllNumbers(organizationId: string, eventIds: string[]) {
  const periods = [
    ...TIME_RANGE_NAMES.map((timeRange) => ({ timeRange })),
    { timeRange: "30d", from: dayAgo(200), to: dayAgo(91) },
    { timeRange: "30d", from: dayAgo(120), to: dayAgo(110) },
    { timeRange: "30d", to: dayAgo(150) },
  ] as const;
  const filters: ReportFilter[] = periods.flatMap((period) => [
    period,
    { ...period, eventId: eventIds[0] as string },
    { ...period, status: ["closed"] },
    { ...period, severity: ["none", "high"], eventId: eventIds[1] as string },
  ]);
  const numbers: Record<string, unknown> = {
    events: (await listEventsWithReportCounts(organizationId, null)).events,
  };
  for (const filter of filters) {
    const selection = { organizationId, filter, now: NOW, reader: null };
    const { recentReports: _, ...analytics } = await loadAnalytics(selection);
    numbers[JSON.stringify(filter)] = {
      analytics,
      insights: mergeOwnType(await loadInsights(selection, true)),
    };
  }
  return numbers;
}

/** A type in a reporter's own words isn't kept: it counts among the other types. */
function mergeOwnType({ byType, otherTypes, ...insights }: ReportInsights): ReportInsights {
  const own = byType.find(({ type }) => type === OWN_TYPE)?.count ?? 0;
  return {
    ...insights,
    byType: byType
      .filter(({ type }) => type !== OWN_TYPE)
      .toSorted((a, b) => `${a.type}`.localeCompare(`${b.type}`)),
    otherTypes: otherTypes + own,
  };
}

it("shows the same numbers of the organization before and after", async () => {
  const { organization, event, person } = await createWorld({ resolvedMonths: 1, closedMonths: 1 });
  const eventIds = [event.id, (await createEvent(organization.id, "Another")).id];
  const colleague = await createUser();
  for (let n = 0; n < 150; n += 1)
    await createSomeReport(eventIds, { reporterId: person.id, authorId: colleague.id });
  await sql.$executeRaw`delete from event_roles`;
  const before = await readAllNumbers(organization.id, eventIds);
  expect(await deleteDueIncidents()).toBeGreaterThan(30);
  expect(await readAllNumbers(organization.id, eventIds)).toEqual(before);
}, 120_000);

it("changes nothing for whom the deleted report was hidden from: neither their numbers nor their organization's log", async () => {
  const { organization, create } = await createWorld();
  const excluded = await createUser();
  await create();
  const { id } = await create();
  await prisma.incidentReader.create({
    data: { access: "none", incidentId: id, userId: excluded.id, source: "team" },
  });
  const selection = {
    organizationId: organization.id,
    filter: { timeRange: "all" },
    now: NOW,
    reader: excluded,
  } as const;
  const numbers = async () => (await loadAnalytics(selection)).metrics;
  const before = await numbers();
  expect(before.totalReports).toBe(1);
  const schedule = { organizationId: organization.id, reader: excluded };
  expect(await loadScheduledDeletionCountsByMonth(schedule)).toMatchObject({
    months: [{ reports: 1 }],
    undated: 0,
  });
  expect(await deleteDueIncidents()).toBe(2);
  expect(await numbers()).toEqual(before);
  const entries = await prisma.auditEntry.findMany({ where: { objectId: id } });
  expect(entries.map(({ chain, action }) => [chain, action])).toEqual([["system", "incident.expire"]]);
});

it("takes the numbers of deleted reports away with their event", async () => {
  const { organization, event, create } = await createWorld();
  const other = await createEvent(organization.id, "Another");
  await create();
  await create({ eventId: other.id });
  await deleteDueIncidents();
  await prisma.event.delete({ where: { id: event.id } });
  const total = async () =>
    (
      await loadAnalytics({
        organizationId: organization.id,
        filter: { timeRange: "all" },
        now: NOW,
        reader: null,
      })
    ).metrics.totalReports;
  expect(await total()).toBe(1);
});

it("notifies 30, 7 and 1 days ahead and on the day of a review, each once, and not of what a hold keeps", async () => {
  const { createUnannounced, event, organization, person } = await createWorld({ resolvedMonths: 6 });
  // Due so many days from now: the rule is past, and the last change of the rules decides.
  const setDaysAhead = (days: number) =>
    prisma.retentionRules.updateMany({
      where: { organizationId: organization.id },
      data: { changedAt: ago(31 - days) },
    });
  const [report, held] = [await createUnannounced(), await createUnannounced()];
  const hold = { heldById: person.id, reason: "A court asked.", reviewOn: ago(-10), heldAt: ago(20) };
  await prisma.incidentRetention.create({ data: { incidentId: held.id, ...hold } });
  await prisma.outboxEvent.deleteMany();
  const notify = async () => {
    await Promise.all([notifyTeamsOfDeletionsAndHoldReviews(), notifyTeamsOfDeletionsAndHoldReviews()]);
    const events = await prisma.outboxEvent.findMany({ where: { eventId: event.id } });
    await prisma.outboxEvent.deleteMany();
    return events.map(({ kind, incidentId, actorId }) => [kind, incidentId, actorId]);
  };
  const once = [["incident.expiring", report.id, null]];
  await setDaysAhead(31);
  expect(await notify()).toEqual([]);
  for (const days of [30, 7, 1]) {
    await setDaysAhead(days);
    // The day itself moves here, where it would come nearer; so the notices of other days are taken away.
    await prisma.retentionNotice.deleteMany({ where: { daysAhead: { gt: days } } });
    expect([days, await notify()]).toEqual([days, once]);
    expect(await notify()).toEqual([]);
  }
  await prisma.incidentRetention.updateMany({
    where: { incidentId: held.id },
    data: { reviewOn: new Date(dayIn(0)) },
  });
  expect(await notify()).toEqual([["incident.holdReview", held.id, null]]);
  expect(await notify()).toEqual([]);
});

it("counts what goes when by month and event, also for rules that aren't saved", async () => {
  const { create, event, organization, person } = await createWorld({ resolvedMonths: 240 });
  await create({ state: "closed" });
  await create();
  const { id } = await create();
  const hold = { heldById: person.id, reason: "A court asked.", reviewOn: ago(-10), heldAt: ago(20) };
  await prisma.incidentRetention.create({ data: { incidentId: id, ...hold } });
  const schedule = await loadScheduledDeletionCountsByMonth({
    organizationId: organization.id,
    reader: null,
  });
  expect(schedule).toMatchObject({ undated: 1, held: 1, deleted: 0, months: [{ reports: 1 }] });
  const tried = await loadScheduledDeletionCountsByMonth(
    { organizationId: organization.id, reader: null },
    {
      resolvedMonths: 1,
      closedMonths: 1,
      withoutNameMonths: null,
    },
  );
  const inThirtyOneDays = dayIn(31).slice(0, 7);
  expect(tried).toEqual({
    undated: 0,
    held: 1,
    deleted: 0,
    months: [
      {
        month: inThirtyOneDays,
        reports: 2,
        events: [{ id: event.id, name: event.name, slug: event.slug, reports: 2 }],
      },
    ],
  });
  expect(JSON.stringify(tried)).not.toContain("Shouting");
});
