import { beforeAll, describe, expect, it } from "vitest";
import { runSqlTransaction, sql } from "#lib/database/client.ts";
import { loadAdjacentIncidents } from "#lib/incidents/adjacent-queries.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import { URGENCY_RANK_SQL } from "#lib/incidents/list-sql.ts";
import { INCIDENT_STATES, SEVERITIES } from "#lib/incidents/schema.ts";
import {
  IncidentsAcrossEventsQuery,
  type ParsedIncidentsAcrossEventsQuery,
} from "#lib/incidents/list-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** Lists by urgency and by severity hold the order of docs/decisions/042 in every way that they are read. */

type Row = {
  id: string;
  event_id: string;
  state: string;
  severity: string | null;
  urgent: boolean;
  due_at: Date | null;
  created_at: Date;
};

let events: string[];
let rows: Row[];
let userId: string;

beforeAll(async () => {
  const organization = await createOrganization();
  userId = (await createUser()).id;
  events = [];
  for (let n = 0; n < 3; n += 1) events.push((await createEvent(organization.id)).id);
  for (let n = 0; n < 90; n += 1) {
    const state = INCIDENT_STATES[n % 5]!;
    const createdAt = new Date(Date.parse("2026-11-01T00:00:00Z") + ((n * 37) % 90) * 3_600_000);
    await createIncident({
      eventId: events[n % 3]!,
      state,
      severity: n % 4 === 3 ? null : SEVERITIES[(n * 7) % 4]!,
      urgent: n % 10 === 5,
      createdAt,
      firstResponseAt: state === "submitted" ? null : createdAt,
      resolvedAt: state === "resolved" || state === "closed" ? createdAt : null,
      // Half of them have somebody who waits for the next update, and so a deadline.
      ...(n % 2 ? { reporterId: userId } : {}),
    });
  }
  rows = await sql.$queryRaw<Row[]>`
    select id, event_id, state::text as state, severity::text as severity, urgent, due_at, created_at
    from incidents
    where event_id = any(${events}::uuid[])`;
});

const onTeamOf = (held: string[], systemAdmin = false): Actor => ({
  id: userId,
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  systemAdmin,
  organizations: [],
  events: held.map((eventId) => ({ eventId, slug: eventId, organizationId: "one", roles: ["Responder"] })),
});

const isOpen = ({ state }: Row) => state !== "resolved" && state !== "closed";

function rankOf(row: Row): number {
  if (!isOpen(row)) return 10;
  const severity = ["critical", "high", "medium", "low", null].indexOf(row.severity);
  return row.urgent ? severity : 5 + severity;
}

const newestFirst = (a: Row, b: Row) =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);

const mostUrgentFirst = (a: Row, b: Row) =>
  rankOf(a) - rankOf(b) || (a.due_at?.getTime() ?? 8e15) - (b.due_at?.getTime() ?? 8e15) || newestFirst(a, b);

const severest = (order: "asc" | "desc") => (a: Row, b: Row) => {
  const at = ({ severity }: Row) =>
    severity === null ? 99 : SEVERITIES.indexOf(severity as never) * (order === "asc" ? 1 : -1);
  return at(a) - at(b) || newestFirst(a, b);
};

const list = async (actor: Actor, query: Record<string, string>) => {
  const parsed = IncidentsAcrossEventsQuery.parse({ limit: "100", ...query });
  const { incidents, total } = await listIncidentsAcrossEvents(actor, parsed);
  return { ids: incidents.map(({ id }) => id), total };
};

const among = (held: string[], status?: string) =>
  rows.filter((row) => held.includes(row.event_id) && (!status || status.split(",").includes(row.state)));

const STATUSES = [
  undefined,
  "submitted,acknowledged,investigating",
  "submitted",
  "investigating,closed",
] as const;

it("a SystemAdmin has those of all events in the same order", async () => {
  const ids = rows.toSorted(mostUrgentFirst).map(({ id }) => id);
  const systemAdmin = onTeamOf([], true);
  expect(await list(systemAdmin, { sort: "urgency" })).toEqual({ ids: ids.slice(0, 100), total: ids.length });
});

describe.each([
  ["one event", 1, false],
  ["several events", 3, false],
  ["a SystemAdmin without a role", 0, true],
])("of %s", (_, count, systemAdmin) => {
  it("what is urgent comes first, then the severest, then what is due soonest, then the newest; finished come last", async () => {
    const held = events.slice(0, systemAdmin ? 3 : count);
    const actor = onTeamOf(systemAdmin ? [] : held, systemAdmin);
    const eventFilter: Record<string, string> = systemAdmin ? { event: held.join(",") } : {};
    for (const status of STATUSES) {
      const wanted = among(held, status).toSorted(mostUrgentFirst);
      const ids = wanted.map(({ id }) => id);
      const filters = { ...eventFilter, sort: "urgency", ...(status && { status }) };
      expect(await list(actor, filters), status).toEqual({ ids, total: ids.length });
      expect((await list(actor, { ...filters, order: "asc" })).ids).toEqual(ids.toReversed());
      expect((await list(actor, { ...filters, limit: "7", page: "2" })).ids).toEqual(ids.slice(7, 14));
      const critical = wanted.filter(({ severity }) => severity === "critical").map(({ id }) => id);
      expect((await list(actor, { ...filters, severity: "critical" })).ids).toEqual(critical);
    }
  });

  it("the adjacent incidents are those next to it in the list", async () => {
    const held = events.slice(0, systemAdmin ? 3 : count);
    const actor = onTeamOf(systemAdmin ? [] : held, systemAdmin);
    const event = systemAdmin ? { event: held } : {};
    for (const sort of ["urgency", "severity"] as const)
      for (const order of ["asc", "desc"] as const) {
        const compare =
          sort === "severity"
            ? severest(order)
            : (a: Row, b: Row) => mostUrgentFirst(a, b) * (order === "desc" ? 1 : -1);
        const ids = among(held)
          .toSorted(compare)
          .map(({ id }) => id);
        for (const at of [0, 1, 12, ids.length - 1]) {
          const query = { sort, order, ...event } as ParsedIncidentsAcrossEventsQuery;
          const { previous, next } = await loadAdjacentIncidents(actor, ids[at]!, query);
          expect([previous?.id, next?.id], `${sort} ${order} ${at}`).toEqual([ids[at - 1], ids[at + 1]]);
        }
      }
  });
});

it("by severity, those without one come last in either direction", async () => {
  for (const order of ["asc", "desc"] as const) {
    const ids = among(events)
      .toSorted(severest(order))
      .map(({ id }) => id);
    expect((await list(onTeamOf(events), { sort: "severity", order })).ids).toEqual(ids);
  }
});

it("the first page of open incidents can be read from the index of urgency", async () => {
  const plan = await runSqlTransaction(async (tx) => {
    // How little these few rows cost to sort says nothing.
    await tx.$executeRaw`set local enable_sort = off`;
    return tx.$queryRaw<{ "QUERY PLAN": string }[]>`
      explain select i.id from incidents i where i.event_id = ${events[0]}::uuid and i.state = 'submitted'
      order by ${URGENCY_RANK_SQL}, i.due_at, i.created_at desc, i.id desc
      limit 1`;
  });
  const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
  expect(lines).toContain("incidents_urgency");
  expect(lines).not.toContain("Sort");
});
