import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { listHiddenIncidentIds, listUncountedIncidentIds } from "#lib/access/readers-queries.ts";
import {
  countedIncidentCountsSql,
  isCountedSql,
  isKnownSql,
  isReadableSql,
  readableIncidentCountsSql,
  type Reader,
} from "#lib/access/readers-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** Who knows, counts and reads an incident, in statements and in the counters, against a plain reading of contract 16. */

const HOUR_MS = 3_600_000;
const ACCESSES = ["none", "numbers", "ask", "full"] as const;
const SOURCES = ["reporter", "team", "self", "outside", "answer", "emergency"] as const;
const OPENED_UNTIL = [null, new Date(Date.now() - HOUR_MS), new Date(Date.now() + HOUR_MS)];
const COUNTERS = {
  submitted: Prisma.sql`i.state = 'submitted'`,
  acknowledged: Prisma.sql`i.state = 'acknowledged'`,
  resolved: Prisma.sql`i.state = 'resolved'`,
  closed: Prisma.sql`i.state = 'closed'`,
  open_unassigned: Prisma.sql`i.state < 'resolved' and i.assigned_responder_id is null`,
  open_escalated: Prisma.sql`i.state < 'resolved' and i.escalated_at is not null`,
  open_high: Prisma.sql`i.state < 'resolved' and i.severity = 'high'`,
  open_low: Prisma.sql`i.state < 'resolved' and i.severity = 'low'`,
};

type Row = { userId: string; access: (typeof ACCESSES)[number]; openedUntil: Date | null };
type Stored = { id: string; listed: boolean; conflictCheck: boolean; reporterId: string | null; rows: Row[] };

/** A small generator of Park and Miller, so that a failure can be repeated. */
let seed = 20_261_130;
const pick = <One>(values: readonly One[]): One =>
  values[(seed = (seed * 48_271) % 2_147_483_647) % values.length]!;
const readers: Record<string, NonNullable<Reader>> = {};
const incidents: Stored[] = [];

function judge(reader: NonNullable<Reader>, { listed, conflictCheck, reporterId, rows }: Stored) {
  if (reader.token?.service) {
    const known = !listed && rows.every(({ access }) => access !== "none");
    return { known, counted: known, read: known && !conflictCheck };
  }
  if (reporterId === reader.id) return { known: true, counted: true, read: true };
  const row = rows.find(({ userId }) => userId === reader.id);
  if (!row) return { known: !listed, counted: !listed, read: !listed && !conflictCheck };
  const opened = !reader.token && row.openedUntil !== null && row.openedUntil > new Date();
  const known = opened || row.access === "ask" || row.access === "full";
  return {
    known,
    counted: known || row.access === "numbers",
    read: known && (!conflictCheck || opened || row.access === "full"),
  };
}

beforeAll(async () => {
  const organization = await createOrganization();
  const events = [await createEvent(organization.id), await createEvent(organization.id)];
  const people: string[] = [];
  for (const name of ["Ada", "Berta", "Cem", "Dana"]) people.push((await createUser(name)).id);
  await prisma.user.update({ where: { id: people[3]! }, data: { systemAdmin: true } });
  for (const userId of people.slice(0, 3))
    await prisma.organizationMember.create({
      data: { organizationId: organization.id, userId, role: "org_viewer" },
    });
  const scope = "read" as const;
  const token = { scope, eventId: null, organizationId: null };
  for (const [index, id] of people.entries()) {
    readers[`person ${index}`] = { id };
    readers[`token ${index}`] = { id, token };
  }
  const until = { expiresAt: new Date(Date.now() + HOUR_MS), tokenHash: new Uint8Array(randomBytes(32)) };
  const { id } = await prisma.serviceToken.create({
    data: { organizationId: organization.id, name: "Display", scope, ...until },
  });
  readers.service = { id, token: { ...token, service: true } };
  for (let number = 0; number < 120; number += 1) {
    const [listed, conflictCheck] = [pick([true, false, false]), pick([true, false])];
    const reporterId = pick([null, ...people]);
    const state = pick(["submitted", "acknowledged", "resolved", "closed"] as const);
    const incident = await createIncident({
      eventId: pick(events).id,
      listed,
      reporterId,
      state,
      firstResponseAt: state === "submitted" ? null : new Date(),
      resolvedAt: ["resolved", "closed"].includes(state) ? new Date() : null,
      severity: pick(["high", "low", null]),
      assignedResponderId: pick([null, ...people]),
      escalatedAt: pick([null, new Date()]),
    });
    await prisma.incident.update({ where: { id: incident.id }, data: { conflictCheck } });
    // Only a list has rows by which somebody counts an incident that they don't read.
    const rows = people.flatMap((userId) => {
      const access = pick(listed ? ACCESSES : (["none", "ask", "full"] as const));
      return pick([true, false]) ? [{ userId, access, openedUntil: pick(OPENED_UNTIL) }] : [];
    });
    await prisma.incidentReader.createMany({
      data: rows.map((row) => ({ incidentId: incident.id, source: pick(SOURCES), ...row })),
    });
    incidents.push({ id: incident.id, listed, conflictCheck, reporterId, rows });
  }
});

const listIds = async (condition: Prisma.Sql): Promise<string[]> => {
  const rows = await sql.$queryRaw<{ id: string }[]>`select i.id from incidents i where ${condition}`;
  return rows.map(({ id }) => id).toSorted();
};

it("statements agree with the contract on who knows, counts and reads an incident", async () => {
  for (const [name, reader] of Object.entries(readers)) {
    const listJudged = (right: "known" | "counted" | "read", expected: boolean) =>
      incidents
        .filter((one) => judge(reader, one)[right] === expected)
        .map(({ id }) => id)
        .toSorted();
    expect(await listIds(isKnownSql(reader)), name).toEqual(listJudged("known", true));
    expect(await listIds(isCountedSql(reader)), name).toEqual(listJudged("counted", true));
    expect(await listIds(isReadableSql(reader)), name).toEqual(listJudged("read", true));
    expect((await listHiddenIncidentIds(reader)).toSorted(), name).toEqual(listJudged("known", false));
    expect((await listUncountedIncidentIds(reader)).toSorted(), name).toEqual(listJudged("counted", false));
  }
});

it("counters give the same numbers as rows, to each reader", async () => {
  for (const [name, reader] of [...Object.entries(readers), ["nobody", null] as const])
    for (const [counts, condition] of [
      [countedIncidentCountsSql(reader), isCountedSql(reader)],
      [readableIncidentCountsSql(reader), isReadableSql(reader)],
    ] as const) {
      const columns = Object.entries(COUNTERS).map(([column, ofRow]) => ({
        name: Prisma.raw(column),
        ofRow,
      }));
      const sums = columns.map((one) => Prisma.sql`coalesce(sum(c.${one.name}), 0)::int as ${one.name}`);
      const filters = columns.map(
        (one) => Prisma.sql`(count(i.id) filter (where ${one.ofRow} and (${condition})))::int as ${one.name}`,
      );
      const bySum = await sql.$queryRaw`
        select e.id, ${Prisma.join(sums)} from events e left join ${counts} c on c.event_id = e.id group by e.id order by e.id`;
      const byRows = await sql.$queryRaw`
        select e.id, ${Prisma.join(filters)} from events e left join incidents i on i.event_id = e.id group by e.id order by e.id`;
      expect(bySum, name).toEqual(byRows);
    }
});
