import { beforeAll, describe, expect, test } from "vitest";
import type { Client, Reply } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { summarizeResponse, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type ReportRecord } from "#e2e/support/world.ts";

/** Lists of incidents go on by cursors (contract 3.17). That all lists link their pages is in successes.test.ts. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, ines, maya, omar, organization, otherEvent, rita, sam } = world;

const LISTS = {
  id: `/api/events/${event.id}/incidents`,
  slug: `/api/events/slug/${event.slug}/incidents`,
  across: "/api/users/me/incidents",
  person: `/api/events/slug/${event.slug}/users/${maya.id}/incidents`,
};
const SORTS = ["createdAt", "title", "status", "due", "severity", "urgency"];

const linksOf = ({ headers }: Reply): Record<string, string> =>
  Object.fromEntries(
    [...String(headers.link ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, to = "", rel = ""]) => [
      rel,
      to,
    ]),
  );
const idsOf = ({ body }: Reply): string[] => body.incidents.map(({ id }: ReportRecord) => id);

beforeAll(async () => {
  // Titles, severities and times of which some are equal and some missing.
  const severities = [null, "low", "critical", "critical", "high", null, "medium"];
  for (let index = 0; index < 14; index += 1) {
    const title = `Résumé number ${["b", "B", "á", "a"][index % 4]} of the hall`;
    const filed = await world.report(index % 3 ? maya : rita, event, {
      title,
      severity: severities[index % 7],
    });
    if (index % 5 === 1) await world.move(filed, "investigating");
    if (index % 5 === 2) await world.move(filed, "resolved");
  }
  await world.report(ines, otherEvent, { title: "Report of another event" });
  await heed.sql(
    "update incidents set created_at = date_trunc('minute', created_at), due_at = date_trunc('minute', due_at) where event_id = $1",
    [event.id],
  );
});

/** Follows the links from a list to its end. @returns the ids, and the pages */
async function follow(client: Client, path: string): Promise<{ ids: string[]; pages: Reply[] }> {
  const pages: Reply[] = [];
  for (let next: string | undefined = path; next !== undefined && pages.length < 30;) {
    const reply = await client.get(next);
    expect(reply.status, `${next}: ${reply.text}`).toBe(200);
    pages.push(reply);
    next = linksOf(reply)["next"];
  }
  return { ids: pages.flatMap(idsOf), pages };
}

test("numbered pages lead to the next, the previous, the first and the last", async () => {
  const { body } = await world.as(omar).get(`${LISTS.id}?search=hall&page=2&limit=4`);
  expect(body.pagination).toEqual({ page: 2, limit: 4, total: 14, totalPages: 4 });
  const links = linksOf(await world.as(omar).get(`${LISTS.id}?search=hall&page=2&limit=4`));
  const to = (page: number) => `${LISTS.id}?search=hall&limit=4&page=${page}`;
  expect(links).toEqual({ first: to(1), prev: to(1), next: to(3), last: to(4) });
  const last = linksOf(await world.as(omar).get(links["last"] ?? ""));
  expect(Object.keys(last).toSorted()).toEqual(["first", "last", "prev"]);
});

const FILTERS = ["", "&status=submitted,investigating", "&search=hall", "&assigned=unassigned"];

describe.each(Object.entries(LISTS))("cursors of the list (%s)", (list, path) => {
  const everyOrder = SORTS.flatMap((sort) => ["asc", "desc"].map((order) => [sort, order] as const));
  /** One query reads all lists: the first takes each order with each filter, the others every fifth with one of them. */
  const sorted = everyOrder.filter((_, at) => list === "id" || at % 5 === 0);
  const cells = sorted.map(([sort, order], at) => {
    const filters = list === "id" ? FILTERS : [FILTERS[at % FILTERS.length] ?? ""];
    return [sort, order, filters] as const;
  });

  test.each(cells)(
    "sorted by %s %s lead through every incident once, in the same order",
    async (sort, order, filters) => {
      for (const filter of filters) {
        const query = `sort=${sort}&order=${order}${filter}`;
        const whole = await world.as(ada).get(`${path}?${query}&limit=100`);
        expect(linksOf(whole)["next"]).toBeUndefined();
        const { ids, pages } = await follow(world.as(ada), `${path}?${query}&limit=4`);
        expect(ids, query).toEqual(idsOf(whole));
        const { total } = whole.body.pagination;
        expect(pages.map(({ body }) => body.pagination)).toEqual(
          pages.map((__, index) => ({ page: index + 1, limit: 4, total, totalPages: Math.ceil(total / 4) })),
        );
      }
    },
  );

  test("lead a SystemAdmin through every incident, too", async () => {
    // The service is shared with other tests, whose incidents a SystemAdmin sees, too.
    const whole = await world.as(sam).get(`${path}?event=${event.slug}&limit=100`);
    expect((await follow(world.as(sam), `${path}?event=${event.slug}&limit=3`)).ids).toEqual(idsOf(whole));
  });
});

test.each(["id", "slug", "across"] as const)(
  "lead a reporter through their own incidents (%s)",
  async (list) => {
    const own = await world.as(maya).get(`${LISTS[list]}?limit=100`);
    const { ids, pages } = await follow(world.as(maya), `${LISTS[list]}?limit=2`);
    expect(ids).toEqual(idsOf(own));
    expect(ids.length).toBeGreaterThan(4);
    for (const { body } of pages)
      for (const { reporterId } of body.incidents) expect(reporterId).toBe(maya.id);
  },
);

test("new and removed incidents don't shift the pages", async () => {
  const path = `${LISTS.id}?limit=3`;
  const before = (await follow(world.as(omar), path)).ids;
  const first = await world.as(omar).get(path);
  const added = await world.report(maya, event, { title: "Came in between the pages" });
  // The one that the first page ended with goes, and so does one that is still to come.
  await heed.sql("delete from incidents where id = any($1::uuid[])", [[before[2], before[5]]]);
  const { ids } = await follow(world.as(omar), linksOf(first)["next"] ?? "");
  expect(ids).toEqual(before.slice(3).filter((id) => id !== before[5]));
  expect(ids).not.toContain(added.id);
});

test("the last page has no next one, even when it is full", async () => {
  const list = `${LISTS.id}?sort=title`;
  const total = (await world.as(omar).get(list)).body.pagination.total;
  const half = Math.floor(total / 2);
  const { pages } = await follow(world.as(omar), `${list}&limit=${half}`);
  expect(pages).toHaveLength(Math.ceil(total / half));
  expect(idsOf(pages.at(-1) as Reply).length).toBeGreaterThan(0);
});

describe("a cursor", () => {
  const cursorOf = async (client: Client, path: string) =>
    new URL(linksOf(await client.get(path))["next"] ?? "", "http://heed").searchParams.get("cursor") ?? "";
  const REFUSED = [400, "VALIDATION_ERROR"];

  test("works by id and by slug, with another limit", async () => {
    const cursor = await cursorOf(world.as(omar), `${LISTS.id}?limit=3`);
    const whole = idsOf(await world.as(omar).get(`${LISTS.id}?limit=100`));
    const rest = await world.as(omar).get(`${LISTS.slug}?limit=5&cursor=${cursor}`);
    expect(idsOf(rest)).toEqual(whole.slice(3, 8));
  });

  test("reveals nothing of its content", async () => {
    const cursor = await cursorOf(world.as(omar), `${LISTS.id}?limit=1&sort=title`);
    const text = Buffer.from(cursor, "base64url").toString("latin1");
    for (const word of ["hall", "keys", event.id.slice(0, 8)]) expect(text).not.toContain(word);
    expect(await cursorOf(world.as(omar), `${LISTS.id}?limit=1&sort=title`)).not.toBe(cursor);
  });

  test.each([
    ["of somebody else", () => world.as(ada), LISTS.id, ""],
    ["of another filter", () => world.as(omar), LISTS.id, "&status=submitted"],
    ["of another order", () => world.as(omar), LISTS.id, "&order=asc"],
    ["of another sort", () => world.as(omar), LISTS.id, "&sort=title"],
    ["of another list", () => world.as(omar), LISTS.across, ""],
  ])("%s is 400", async (__, client, path, query) => {
    const cursor = await cursorOf(world.as(omar), `${LISTS.id}?limit=2`);
    const reply = await client().get(`${path}?limit=2${query}&cursor=${cursor}`);
    expect(summarizeResponse(reply), reply.text).toEqual(REFUSED);
    expect(reply.body.details).toContain("cursor:");
  });

  test("of another event is 400", async () => {
    const cursor = await cursorOf(world.as(sam), `${LISTS.id}?limit=2`);
    const reply = await world.as(sam).get(`/api/events/${otherEvent.id}/incidents?limit=2&cursor=${cursor}`);
    expect(summarizeResponse(reply), reply.text).toEqual(REFUSED);
  });

  test.each(["", "AAAA"])("that is %j is 400", async (cursor) => {
    const reply = await world.as(omar).get(`${LISTS.id}?cursor=${cursor}`);
    expect(summarizeResponse(reply)).toEqual(REFUSED);
  });

  test("that was changed is 400, and so is one beside a page", async () => {
    const cursor = await cursorOf(world.as(omar), `${LISTS.id}?limit=2`);
    const changed = (cursor.startsWith("A") ? "B" : "A") + cursor.slice(1);
    for (const query of [`cursor=${changed}`, `cursor=${cursor}&page=1`])
      expect(summarizeResponse(await world.as(omar).get(`${LISTS.id}?limit=2&${query}`))).toEqual(REFUSED);
  });

  test("of a role that is gone shows nothing", async () => {
    const person = await world.person("Former Responder", {});
    await world.grant(person, event, "Responder");
    const cursor = await cursorOf(world.as(person), `${LISTS.id}?limit=2`);
    await heed.sql("delete from event_roles where user_id = $1", [person.id]);
    const reply = await world.as(person).get(`${LISTS.id}?limit=2&cursor=${cursor}`);
    expectRefusal(reply, "403 FORBIDDEN");
  });

  test("is an unknown name where a list has none", async () => {
    const path = `/api/organizations/${organization.id}/webhooks?cursor=x`;
    expect((await world.as(world.olga).get(path)).status).toBe(400);
  });
});
