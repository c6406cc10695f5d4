import { beforeAll, expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import { listUnansweredIncidents } from "#lib/readers/conflict-queries.ts";
import { listFilteredTeamIncidentsBatch } from "#lib/incidents/adjacent-queries.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import { INCIDENT_STATES } from "#lib/incidents/schema.ts";
import {
  IncidentsAcrossEventsQuery,
  type ParsedIncidentsAcrossEventsQuery,
} from "#lib/incidents/list-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { listInboxRowsAcrossEvents } from "#lib/incidents/inbox.ts";
import { listInboxRowMarkers, loadIncidentCounts } from "#lib/incidents/inbox-queries.ts";
import {
  answerConflictCheck,
  createEvent,
  createIncident,
  createOrganization,
  createUser,
} from "#e2e/support/rows.ts";

/** Lists, totals and counts have what their reader has answered, and nothing of the rest (contract 16.10). */

const ALL = 40;
let events: string[];
/** Every second incident is open to `someAnswered`, the others wait for their answer. */
let answered: string[];
let all: string[];
let someAnswered: Actor;
let allAnswered: Actor;
let systemAdmin: Actor;

const toActor = ({ id }: { id: string }, isSystemAdmin = false): Actor => ({
  id,
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  systemAdmin: isSystemAdmin,
  organizations: [],
  events: events.map((eventId) => ({ eventId, slug: eventId, organizationId: "one", roles: ["Responder"] })),
});

beforeAll(async () => {
  const organization = await createOrganization();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  // Lists over many events first look at the newest of all (list-page-sql.ts).
  events = [];
  for (let n = 0; n < 9; n += 1) events.push((await createEvent(organization.id)).id);
  const [some, every, admin] = [await createUser(), await createUser(), await createUser()];
  all = [];
  for (let n = 0; n < ALL; n += 1) {
    const state = INCIDENT_STATES[n % 5]!;
    const createdAt = new Date(Date.now() - ((n * 7) % 20) * 86_400_000);
    const { id } = await createIncident({
      eventId: events[n % events.length]!,
      title: `A gazebo ${n}`,
      state,
      severity: n % 4 === 3 ? "critical" : null,
      assignedResponderId: some.id,
      createdAt,
      firstResponseAt: state === "submitted" ? null : createdAt,
      resolvedAt: state === "resolved" || state === "closed" ? createdAt : null,
    });
    all.push(id);
  }
  answered = all.filter((_, n) => n % 2 === 0);
  for (const incidentId of answered) await answerConflictCheck({ incidentId, userId: some.id });
  for (const userId of [every.id, admin.id])
    for (const incidentId of all) await answerConflictCheck({ incidentId, userId });
  [someAnswered, allAnswered, systemAdmin] = [toActor(some), toActor(every), toActor(admin, true)];
});

const parse = (query: Record<string, unknown>) =>
  IncidentsAcrossEventsQuery.parse({ limit: "100", ...query }) as ParsedIncidentsAcrossEventsQuery;

const QUERIES = [
  {},
  ...["createdAt", "title", "status", "due", "severity", "urgency"].flatMap((sort) =>
    ["asc", "desc"].map((order) => ({ sort, order })),
  ),
  { search: "gazebo" },
  { status: "submitted,acknowledged,investigating" },
  { severity: "critical" },
  { due: "overdue" },
  { needsUs: "true" },
  { limit: "7", page: "2" },
];

it.each(QUERIES)("a list has what was answered, and counts it: %o", async (query) => {
  const expected = await listIncidentsAcrossEvents(allAnswered, parse(query));
  expect(
    (await listIncidentsAcrossEvents(systemAdmin, parse({ ...query, event: events.join(",") }))).total,
  ).toBe(expected.total);
  const { incidents, total } = await listIncidentsAcrossEvents(someAnswered, parse(query));
  const whole = await listIncidentsAcrossEvents(allAnswered, parse({ ...query, limit: "100", page: "1" }));
  const open = whole.incidents.map(({ id }) => id).filter((id) => answered.includes(id));
  expect(total).toBe(open.length);
  for (const { id } of incidents) expect(answered).toContain(id);
  if (!("page" in query)) expect(incidents.map(({ id }) => id)).toEqual(open);
  const { rows } = await listInboxRowsAcrossEvents(someAnswered, parse(query));
  expect(rows.map(({ id }) => id)).toEqual(incidents.map(({ id }) => id));
});

it("counts, marks and batches leave out what waits, which has a list of its own", async () => {
  const counts = await loadIncidentCounts(someAnswered, {});
  const open = await prisma.incident.count({
    where: { id: { in: answered }, state: { in: ["submitted", "acknowledged", "investigating"] } },
  });
  expect([counts.open, counts.openMine]).toEqual([open, open]);
  expect(counts.needsUs).toBe(
    (await listIncidentsAcrossEvents(someAnswered, parse({ needsUs: "true" }))).total,
  );
  expect(Object.values(counts.byState).reduce((sum, one) => sum + one, 0)).toBe(answered.length);
  expect((await listInboxRowMarkers(someAnswered, all)).length).toBe(answered.length);
  const { refs } = await listFilteredTeamIncidentsBatch(
    someAnswered,
    { ...parse({}), limit: 100 },
    undefined,
  );
  expect(refs.map(({ id }) => id).toSorted()).toEqual(answered.toSorted());
  const waiting = await listUnansweredIncidents(someAnswered, { page: 1, limit: 100 });
  expect(waiting.pagination.total).toBe(waiting.incidents.length);
  for (const { id } of waiting.incidents) expect(answered).not.toContain(id);
  expect((await listUnansweredIncidents(allAnswered, { page: 1, limit: 100 })).incidents).toEqual([]);
});
