import { beforeAll, expect, it } from "vitest";
import { prisma, sql } from "#lib/database/client.ts";
import { findCachedSearchCounts } from "#lib/incidents/search-queries.ts";
import { listIncidentsAcrossEvents } from "#lib/incidents/list-queries.ts";
import type { IncidentState } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

/** What a search for a common word says how many there are, when it was asked before and something has changed since. */

const WORD = "lantern";
let organizationId: string;
let events: string[];
let team: string;
let reporter: string;

beforeAll(async () => {
  organizationId = (await createOrganization()).id;
  team = (await createUser()).id;
  reporter = (await createUser("Rosa Lanterna")).id;
  events = [];
  for (let n = 0; n < 3; n += 1) events.push((await createEvent(organizationId)).id);
  // Two thirds have the word, in their title or their description.
  await sql.$executeRaw`
    insert into incidents (event_id, title, description, created_at)
    select (${events}::uuid[])[1 + n % 3], case when n % 3 = 1 then 'A Lantern was thrown' else 'Shouting at the desk' end,
      case when n % 4 < 2 then 'Somebody hid my lantern.' else 'It went on for a while.' end,
      timestamptz '2026-11-01' + n * interval '1 minute'
    from generate_series(1, 1500) n`;
  // One has the word by the name of who sent it alone.
  await createIncident({ eventId: events[0] as string, reporterId: reporter });
});

const actor = (): Actor => ({
  id: team,
  email: "maya@example.org",
  name: "Maya Castillo",
  avatarUrl: null,
  sessionId: "session",
  hiddenIncidentIds: [],
  systemAdmin: false,
  organizations: [],
  events: events.map((eventId) => ({ eventId, slug: "event", organizationId, roles: ["Responder"] })),
});

type SearchQuery = { page?: number; limit?: number; order?: "asc" | "desc"; status?: IncidentState[] };

async function searched({ page = 1, limit = 20, order = "desc", status }: SearchQuery) {
  const { incidents, total } = await listIncidentsAcrossEvents(actor(), {
    search: WORD,
    sort: "createdAt",
    order,
    page,
    limit,
    status,
  });
  return { ids: incidents.map(({ id }) => id), total };
}

const loadReports = () =>
  prisma.incident.findMany({
    where: { eventId: { in: events } },
    select: { id: true, title: true, description: true, state: true, reporter: { select: { name: true } } },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });

/** Compares each search with a filter over all reports, in memory. */
async function expectAll(): Promise<void> {
  const all = (await loadReports()).filter((row) =>
    `${row.title}|${row.description}|${row.reporter?.name ?? ""}`.toLowerCase().includes(WORD),
  );
  for (const searchQuery of SEARCH_QUERIES) {
    const { page = 1, limit = 20, order = "desc", status } = searchQuery;
    const found = all.filter(({ state }) => !status || status.includes(state));
    const ids = (order === "asc" ? found : found.toReversed()).map(({ id }) => id);
    const expected = { ids: ids.slice((page - 1) * limit, page * limit), total: found.length };
    expect(await searched(searchQuery), JSON.stringify(searchQuery)).toEqual(expected);
  }
}

const some = async (where: object) =>
  (await prisma.incident.findFirst({ where, select: { id: true } })) as { id: string };
const change = async (where: object, data: object) =>
  void (await prisma.incident.update({ where: await some(where), data }));

const CHANGES: [string, () => Promise<unknown>][] = [
  ["nothing", async () => undefined],
  ["a report more", () => createIncident({ eventId: events[1] as string, title: "The last lantern" })],
  ["a report more without the word", () => createIncident({ eventId: events[2] as string })],
  ["a title that has it no more", () => change({ title: "The last lantern" }, { title: "The last of all" })],
  ["a description that has it now", () => change({ title: "The last of all" }, { description: "LANTERN" })],
  ["a report less", async () => prisma.incident.delete({ where: await some({ title: "The last of all" }) })],
  [
    "a state that moves on",
    () => change({ state: "submitted" }, { state: "acknowledged", firstResponseAt: new Date() }),
  ],
  [
    "a person of another name",
    () => prisma.user.update({ where: { id: reporter }, data: { name: "Rosa Alvarez" } }),
  ],
  [
    "the name of before",
    () => prisma.user.update({ where: { id: reporter }, data: { name: "Rosa Lanterna" } }),
  ],
  ["a person who leaves", () => prisma.user.delete({ where: { id: reporter } })],
  [
    "two titles that change places in one statement",
    () => sql.$executeRaw`
      update incidents i set title = case when i.title ilike '%lantern%' then 'Neither is here' else 'Here is a lantern' end
      where i.id in (select id from incidents where event_id = ${events[0]}::uuid limit 2)`,
  ],
  ["an event that goes", () => prisma.event.delete({ where: { id: events[2] } })],
];

const SEARCH_QUERIES: SearchQuery[] = [
  {},
  { page: 3, limit: 7 },
  { order: "asc", page: 2 },
  { status: ["submitted"] },
  { status: ["submitted", "acknowledged"] },
  { page: 9999 },
];

it("the fixture has many matches in each event", async () => {
  await expectAll();
  expect(findCachedSearchCounts(JSON.stringify([WORD, []]), events)?.length).toBe(3);
});

it.each(CHANGES)("finds and counts all matches after %s", async (_what, changed) => {
  await changed();
  await expectAll();
});

it("counts concurrent reports, each once", async () => {
  const writing = Array.from({ length: 40 }, (_, n) =>
    createIncident({ eventId: events[n % 2] as string, title: `Lantern number ${n} of many` }),
  );
  const totals: number[] = [];
  for (let n = 0; n < 20; n += 1) totals.push((await searched({})).total);
  await Promise.all(writing);
  expect(totals).toEqual(totals.toSorted((a, b) => a - b));
  await expectAll();
});
