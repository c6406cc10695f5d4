import { beforeAll, expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { listFilteredTeamIncidentsBatch, loadAdjacentIncidents } from "#lib/incidents/adjacent-queries.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import {
  INCIDENT_STATES,
  IncidentsAcrossEventsQuery,
  type ParsedIncidentsAcrossEventsQuery,
} from "#lib/incidents/schema.ts";
import { afterSortKeysSql, buildIncidentSortKeysSql } from "#lib/incidents/sort-keys-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { listInboxRowsAcrossEvents } from "#lib/triage/inbox.ts";
import { listInboxRowMarkers, loadIncidentCounts } from "#lib/triage/queries.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Nothing that a reader of a closed incident can list, sort or count says when somebody wrote last (contract 18). */

const DAY_MS = 24 * 3_600_000;

let events: string[];
let ids: string[];
let closedTo: Actor;
let systemAdmin: Actor;
let openTo: Actor;

const toActor = ({ id }: { id: string }, isSystemAdmin = false): Actor => ({
  id,
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  hiddenIncidentIds: [],
  systemAdmin: isSystemAdmin,
  organizations: [],
  events: events.map((eventId) => ({ eventId, slug: eventId, organizationId: "one", roles: ["Responder"] })),
});

beforeAll(async () => {
  const organization = await createOrganization();
  await prisma.organization.update({ where: { id: organization.id }, data: { conflictCheck: true } });
  events = [(await createEvent(organization.id)).id, (await createEvent(organization.id)).id];
  const [reporter, reader] = [await createUser(), await createUser()];
  ids = [];
  for (let n = 0; n < 20; n += 1) {
    const state = INCIDENT_STATES[n % 5]!;
    const createdAt = new Date(Date.now() - ((n * 7) % 20) * DAY_MS);
    const { id } = await createIncident({
      eventId: events[n % 2]!,
      state,
      severity: n % 4 === 3 ? "critical" : null,
      createdAt,
      firstResponseAt: state === "submitted" ? null : createdAt,
      resolvedAt: state === "resolved" || state === "closed" ? createdAt : null,
      reporterId: reporter.id,
    });
    ids.push(id);
  }
  await prisma.conflictAnswer.createMany({
    data: ids.map((incidentId) => ({ incidentId, userId: reader.id, answer: "none" as const })),
  });
  closedTo = toActor(await createUser());
  systemAdmin = toActor(await createUser(), true);
  openTo = toActor(reader);
});

const parse = (query: Record<string, unknown>) =>
  IncidentsAcrossEventsQuery.parse({
    limit: "100",
    event: events.join(","),
    ...query,
  }) as ParsedIncidentsAcrossEventsQuery;

const list = async (actor: Actor, query: Record<string, unknown>) =>
  (await listIncidentsAcrossEvents(actor, parse(query))).incidents.map(({ id }) => id);

/** The ids of a list that is read by cursors, page by page. */
async function listByCursors(actor: Actor, query: Record<string, unknown>): Promise<string[]> {
  const parsed = parse({ ...query, limit: "3" });
  const keys = buildIncidentSortKeysSql(parsed);
  const found: string[] = [];
  for (let after: ReturnType<typeof afterSortKeysSql> | undefined; ;) {
    const page = await listIncidentsAcrossEvents(actor, { ...parsed, after, lookahead: true });
    found.push(...page.incidents.map(({ id }) => id));
    if (!page.lastKeys) return found;
    after = afterSortKeysSql(keys, page.lastKeys);
  }
}

/** The ids from the first of a list to the last, by the incident that is next to each. */
async function stepThrough(actor: Actor, query: Record<string, unknown>): Promise<string[]> {
  const found = (await list(actor, query)).slice(0, 1);
  for (;;) {
    const { next } = await loadAdjacentIncidents(actor, found.at(-1) ?? "", parse(query));
    if (!next) return found;
    found.push(next.id);
  }
}

const ORDERS = ["due", "urgency"].flatMap((sort) => ["asc", "desc"].map((order) => ({ sort, order })));

/** Everything that depends on deadlines or on the time of the last change, as the actor sees it. */
async function observe(actor: Actor) {
  const lists = [];
  for (const due of ["overdue", "soon", "later", "overdue,later"]) lists.push(await list(actor, { due }));
  for (const order of ORDERS)
    for (const filter of [{}, { severity: "critical,none" }, { status: "acknowledged" }, { limit: "5" }])
      lists.push(await list(actor, { ...order, ...filter }));
  const { refs } = await listFilteredTeamIncidentsBatch(actor, parse({}), undefined);
  return {
    lists,
    refs,
    overdue: (await loadIncidentCounts(actor, { event: events })).openOverdue,
    rows: (await listInboxRowsAcrossEvents(actor, parse({ sort: "urgency" }))).rows,
    markers: (await listInboxRowMarkers(actor, ids)).toSorted((a, b) =>
      a.incidentId < b.incidentId ? -1 : 1,
    ),
  };
}

it("a message in a closed incident changes nothing that its reader can list, sort or count", async () => {
  const actors = [closedTo, systemAdmin, openTo];
  // As after a conflict that was lifted: they have opened the incident before.
  for (const { id: actorId } of actors)
    await prisma.incidentAccess.create({
      data: { incidentId: ids[0]!, eventId: events[0]!, actorId, kind: "view", byRight: "event:Responder" },
    });
  const before = await Promise.all(actors.map(observe));
  await sql.$executeRaw`
    update incidents set last_message_from = (case when severity is null then 'team' else 'reporter' end)::message_sender,
      last_message_at = now(), updated_at = now() where id = any(${ids}::uuid[]) and state <> 'submitted'`;
  await prisma.incidentHistory.create({
    data: { incidentId: ids[0]!, eventId: events[0]!, action: "message.created" },
  });
  const after = await Promise.all(actors.map(observe));
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  for (const part of ["lists", "refs", "overdue", "rows", "markers"] as const)
    expect(after[2]?.[part], part).not.toEqual(before[2]?.[part]);
});

it("the deadline of the first response counts while an incident is closed, that of an update doesn't", async () => {
  const overdue = await list(closedTo, { due: "overdue" });
  const rows = await prisma.incident.findMany({ where: { id: { in: overdue } } });
  expect(new Set(rows.map(({ dueFor }) => dueFor))).toEqual(new Set(["acknowledge"]));
  expect((await loadIncidentCounts(closedTo, { event: events })).openOverdue).toBe(overdue.length);
  const [first] = await list(closedTo, { sort: "due", order: "asc" });
  expect(await prisma.incident.findUnique({ where: { id: first ?? "" } })).toMatchObject({
    state: "submitted",
  });
});

it("lists by deadline are the same by page, by cursor and from one incident to the next", async () => {
  for (const actor of [closedTo, systemAdmin, openTo])
    for (const order of ORDERS) {
      const whole = await list(actor, order);
      expect(whole).toHaveLength(ids.length);
      for (const query of [order, { ...order, severity: "critical,none" }])
        expect(await listByCursors(actor, query), JSON.stringify(query)).toEqual(whole);
      expect(await stepThrough(actor, order), JSON.stringify(order)).toEqual(whole);
    }
});

it("by urgency, a closed incident stands among those without a deadline", async () => {
  const rows = await prisma.incident.findMany({ where: { id: { in: ids } } });
  const isOpen = (row: (typeof rows)[number]) => row.state !== "resolved" && row.state !== "closed";
  const rankOf = (row: (typeof rows)[number]) => (isOpen(row) ? (row.severity === "critical" ? 1 : 2) : 3);
  const dueOf = (row: (typeof rows)[number]) =>
    row.dueFor === "acknowledge" ? (row.dueAt?.getTime() ?? Infinity) : 8e15;
  const expected = rows.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      dueOf(a) - dueOf(b) ||
      b.createdAt.getTime() - a.createdAt.getTime() ||
      (a.id < b.id ? 1 : -1),
  );
  for (const actor of [closedTo, systemAdmin])
    expect(await list(actor, { sort: "urgency" })).toEqual(expected.map(({ id }) => id));
});
