import { beforeAll, expect, it } from "vitest";
import { prisma } from "#lib/database/client.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import { INCIDENT_STATES, type IncidentState } from "#lib/incidents/schema.ts";
import type { IncidentListQuery } from "#lib/incidents/list-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** The first pages of many events: those that hold most of the newest incidents, and those that hold few or none. */

const EVENTS = 12;
const start = Date.parse("2026-11-01T00:00:00Z");
let events: string[];
let everyone: string;

/** The first three events stopped long ago; the others share what came since, two in the same moment. */
beforeAll(async () => {
  const organization = await createOrganization();
  everyone = (await createUser()).id;
  events = [];
  for (let n = 0; n < EVENTS; n += 1) events.push((await createEvent(organization.id)).id);
  for (let n = 0; n < 200; n += 1) {
    const eventId = events[n < 40 ? n % 3 : 3 + (n % (EVENTS - 3))] as string;
    const state = INCIDENT_STATES[n % 5] as IncidentState;
    const firstResponseAt = state === "submitted" ? null : new Date(start);
    const resolvedAt = state === "resolved" || state === "closed" ? new Date(start) : null;
    const createdAt = new Date(start + Math.floor(n / 2) * 60_000);
    await createIncident({ eventId, state, createdAt, firstResponseAt, resolvedAt });
  }
});

const onTeamOf = (held: string[]): Actor => ({
  id: everyone,
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  systemAdmin: false,
  organizations: [],
  events: held.map((eventId) => ({ eventId, slug: "event", organizationId: "one", roles: ["Responder"] })),
});

type ListRequest = { order: "asc" | "desc"; page: number; limit: number; status?: IncidentState[] };

/** Put in order here, from all there are. */
async function expected(held: string[], { order, page, limit, status }: ListRequest): Promise<string[]> {
  const where = { eventId: { in: held }, ...(status ? { state: { in: status } } : {}) };
  const rows = await prisma.incident.findMany({ where, orderBy: [{ createdAt: order }, { id: order }] });
  return rows.slice((page - 1) * limit, page * limit).map(({ id }) => id);
}

const statuses: (IncidentState[] | undefined)[] = [undefined, ["submitted"], ["acknowledged", "closed"]];
const pages = [
  { page: 1, limit: 20 },
  { page: 2, limit: 7 },
  { page: 9, limit: 20 },
  { page: 11, limit: 20 },
];

it.each([
  ["all events", 0, EVENTS],
  ["those that hold the newest", 3, EVENTS],
  ["eight, three of which stopped long ago", 0, 8],
  ["those that stopped long ago", 0, 3],
])("lists the newest of %s", async (_, from, to) => {
  const held = events.slice(from, to);
  for (const status of statuses)
    for (const order of ["desc", "asc"] as const)
      for (const at of pages) {
        const listRequest = { ...at, order, ...(status ? { status } : {}) };
        const query = { ...listRequest, sort: "createdAt" } as IncidentListQuery;
        const { incidents } = await listIncidentsAcrossEvents(onTeamOf(held), query);
        expect(
          incidents.map(({ id }) => id),
          JSON.stringify(listRequest),
        ).toEqual(await expected(held, listRequest));
      }
});

it("lists the newest of many events where next to all others are of events in between", async () => {
  const quiet = await createOrganization();
  const held: string[] = [];
  for (let n = 0; n < 9; n += 1) held.push((await createEvent(quiet.id)).id);
  for (const [n, eventId] of held.entries())
    await createIncident({ eventId, createdAt: new Date(start - n * 60_000) });
  const listRequest = { order: "desc", page: 1, limit: 5 } as const;
  const { incidents, total } = await listIncidentsAcrossEvents(onTeamOf(held), {
    ...listRequest,
    sort: "createdAt",
  } as IncidentListQuery);
  expect(incidents.map(({ id }) => id)).toEqual(await expected(held, listRequest));
  expect(total).toBe(9);
});
