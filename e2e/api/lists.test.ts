import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectShape, INCIDENT, checkList, PAGINATION } from "#e2e/support/shapes.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";
import { env } from "#lib/env.ts";

/** The three lists of incidents: by event id, by slug and across events (contract 7.12, 7.13). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, otherEvent, foreignEvent, ada, berta, boris, ines, maya, nora, olga, omar, rita, sam } = world;

const LISTS = {
  slug: `/api/events/slug/${event.slug}/incidents`,
  across: "/api/users/me/incidents",
};
const EVERY = Object.entries(LISTS);

const titles = ({ body }: Reply): string[] => body.incidents.map((incident: ReportRecord) => incident.title);
const all = (person: TestPerson, path: string, query = "") =>
  world.as(person).get(`${path}?limit=100${query}`);

/** Twelve reports in the event, in an order that no sorting has by chance. */
const SEEDS = [
  { title: "Delta rude remark", severity: "low" },
  { title: "alpha pushed in line", severity: "critical" },
  { title: "Echo followed around", severity: null },
  { title: "Bravo 100% refused", severity: "high", description: "It was under_scored and back\\slashed." },
  {
    title: "Charlie took photos",
    severity: "medium",
    description: 'It\'s a "quoted" thing; -- not a comment',
  },
  { title: "Foxtrot Überraschung", severity: "low" },
  { title: "Golf thrown at someone" },
  { title: "Hotel room entered" },
  { title: "India joke of bad taste", description: "A long story, with BANANA in it." },
  { title: "Juliet noise at night" },
  { title: "Kilo weight dropped" },
  { title: "Lima 🪷 flower stolen" },
];

const reports: ReportRecord[] = [];

beforeAll(async () => {
  for (const [index, seed] of SEEDS.entries())
    reports.push(await world.report(index % 3 === 0 ? rita : maya, event, seed));
  const states = ["closed", "submitted", "resolved", "investigating", "acknowledged"];
  for (const [index, state] of states.entries())
    if (state !== "submitted" && reports[index])
      await world.move(reports[index], state, { assignedToUserId: index % 2 ? ada.id : omar.id });
  // One report of another event, and one of another tenant.
  await world.report(ines, otherEvent, { title: "Another event's report" });
  await world.report(boris, foreignEvent, { title: "Another tenant's report" });
});

describe.each(EVERY)("the list (%s)", (name, path) => {
  const defaultLimit = { id: 10, slug: 100, across: 20 }[name];

  test("has full records, in pages", async () => {
    const reply = await world.as(omar).get(path);
    expect(reply.status).toBe(200);
    expectShape(reply.body, { incidents: checkList(INCIDENT), pagination: PAGINATION });
    expect(reply.body.pagination).toEqual({
      page: 1,
      limit: defaultLimit,
      total: 12,
      totalPages: Math.ceil(12 / (defaultLimit ?? 1)),
    });
    expect(reply.body.incidents).toHaveLength(Math.min(12, defaultLimit ?? 0));
    const single = await world.as(omar).get(`${LISTS.slug}/${reply.body.incidents[0].id}`);
    expect(reply.body.incidents[0]).toEqual(single.body.incident);
  });

  test("goes through its pages without losing or repeating one", async () => {
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await world.as(omar).get(`${path}?page=${page}&limit=5`);
      expect(body.pagination).toEqual({ page, limit: 5, total: 12, totalPages: 3 });
      seen.push(...body.incidents.map((incident: ReportRecord) => incident.id));
    }
    expect(seen).toEqual(reports.map(({ id }) => id).reverse());
    const beyond = await world.as(omar).get(`${path}?page=4&limit=5`);
    expect(beyond.body).toEqual({
      incidents: [],
      pagination: { page: 4, limit: 5, total: 12, totalPages: 3 },
    });
  });

  test.each(["status=Closed", "assigned=me,00000000", "reporter=me", "sort=password", "order=ASC"])(
    "refuses %s",
    async (query) => {
      const reply = await world.as(omar).get(`${path}?${query}`);
      expect([reply.status, reply.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    },
  );
  test("ignores unknown parameters", async () => {
    // The first request goes through Next, which drops a parameter named __proto__ (docs/architecture.md).
    await world.as(omar).get(path);
    const reply = await world.as(omar).get(`${path}?where[id]=1&__proto__=x&constructor=y&limit=3`);
    expect([reply.status, reply.body.incidents.length]).toEqual([200, 3]);
    const proto = env().DIRECT_API ? "__proto__, " : "";
    expect(reply.headers["x-ignored"]).toBe(`where[id], ${proto}constructor`);
  });

  test("filters by status and severity", async () => {
    const totals = { submitted: 8, acknowledged: 1, investigating: 1, resolved: 1, closed: 1 };
    for (const [state, total] of Object.entries(totals)) {
      const { body } = await all(omar, path, `&status=${state}`);
      expect(body.pagination.total).toBe(total);
      expect(body.incidents.map((incident: ReportRecord) => incident.state)).toEqual(
        Array(total).fill(state),
      );
    }
    for (const filter of ["severity=low", "priority=low"])
      expect(titles(await all(omar, path, `&${filter}`))).toEqual([
        "Foxtrot Überraschung",
        "Delta rude remark",
      ]);
  });

  test("filters by assignment, as the one who asks sees it", async () => {
    const count = async (person: TestPerson, assigned: string) =>
      (await all(person, path, `&assigned=${assigned}`)).body.pagination.total;
    expect(await count(omar, "me")).toBe(3);
    expect(await count(omar, "others")).toBe(1);
    expect(await count(omar, "unassigned")).toBe(8);
    expect(await count(ada, "me")).toBe(1);
    expect(await count(ada, "others")).toBe(3);
  });

  test("filters by the people who report and who are assigned, and shows nobody more of it", async () => {
    const total = async (person: TestPerson, filter: string) =>
      (await all(person, path, `&${filter}`)).body.pagination.total;
    expect(await total(omar, `assigned=${omar.id}`)).toBe(3);
    expect(await total(omar, `assigned=${ada.id.toUpperCase()},me`)).toBe(4);
    expect(await total(omar, `assigned=${ada.id},unassigned`)).toBe(9);
    const everything = await total(omar, "reporter=" + [maya.id, rita.id].join(","));
    const mayas = await total(omar, `reporter=${maya.id}`);
    expect(mayas).toBeGreaterThan(0);
    expect(mayas + (await total(omar, `reporter=${rita.id}`))).toBe(everything);
    expect(await total(rita, `reporter=${maya.id}`)).toBe(0);
    expect(await total(omar, `reporter=${boris.id}`)).toBe(0);
  });

  test("filters by several things at once", async () => {
    const { body } = await all(omar, path, "&assigned=me&status=closed&severity=low&search=RUDE");
    expect(body.incidents.map((incident: ReportRecord) => incident.title)).toEqual(["Delta rude remark"]);
    expect(body.pagination.total).toBe(1);
  });

  test.each([
    ["  ALPHA ", ["alpha pushed in line"]],
    ["%", ["Bravo 100% refused"]],
    ["\\", ["Bravo 100% refused"]],
    ['"quoted"', ["Charlie took photos"]],
    ["no such words", []],
  ])("finds %j literally, in any letter case", async (search, expected) => {
    const reply = await all(omar, path, `&search=${encodeURIComponent(search)}`);
    expect(titles(reply)).toEqual(expected);
    expect(reply.body.pagination.total).toBe(expected.length);
  });

  test("a search matches the names of reporters", async () => {
    expect((await all(omar, path, "&search=rita")).body.pagination.total).toBe(4);
    expect((await all(omar, path, "&search=castillo")).body.pagination.total).toBe(8);
  });

  test("sorts by time, title in any letter case, or state in workflow order", async () => {
    const newest = reports.map(({ title }) => title).reverse();
    expect(titles(await all(omar, path))).toEqual(newest);
    expect(titles(await all(omar, path, "&sort=createdAt&order=asc"))).toEqual(newest.toReversed());
    const byTitle = newest.toSorted(new Intl.Collator("und").compare);
    expect(titles(await all(omar, path, "&sort=title&order=asc"))).toEqual(byTitle);
    expect(titles(await all(omar, path, "&sort=title"))).toEqual(byTitle.toReversed());
    const states = async (order: string) =>
      (await all(omar, path, `&sort=status&order=${order}`)).body.incidents.map(
        (one: ReportRecord) => one.state,
      );
    const workflow = [...Array(8).fill("submitted"), "acknowledged", "investigating", "resolved", "closed"];
    expect(await states("asc")).toEqual(workflow);
    expect(await states("desc")).toEqual(workflow.toReversed());
  });

  test("has a Reporter's own reports only, whatever is asked", async () => {
    for (const query of ["", "&search=a", "&status=closed", "&sort=title", "&assigned=unassigned"]) {
      for (const person of [maya, rita]) {
        const { body } = await all(person, path, query);
        expect(body.incidents.every((one: ReportRecord) => one.reporterId === person.id)).toBe(true);
        expect(body.pagination.total).toBe(body.incidents.length);
      }
    }
    expect((await all(rita, path)).body.pagination.total).toBe(4);
    expect((await all(maya, path)).body.pagination.total).toBe(8);
    expect((await all(rita, path, "&search=castillo")).body.incidents).toEqual([]);
  });

  test("shows a Reporter no address but their own", async () => {
    const { text } = await all(maya, path);
    for (const { email } of [rita, omar, ada]) expect(text).not.toContain(email);
    expect(text).toContain(maya.email);
  });
});

describe("the list across events", () => {
  const across = (person: TestPerson, query: string) => world.as(person).get(`${LISTS.across}?${query}`);

  test("holds what each may see, and no more", async () => {
    const count = async (person: TestPerson) => (await across(person, "")).body.pagination.total;
    expect(await count(omar)).toBe(12);
    expect(await count(ines)).toBe(1);
    expect(await count(berta)).toBe(1);
    // Roles in the organization open no report.
    expect(await count(olga)).toBe(0);
    expect(await count(nora)).toBe(0);
  });

  test("combines all reports of one event with one's own reports of another", async () => {
    const both = await world.person("Responder Here Reporter There", {
      events: [
        [otherEvent, "Responder"],
        [event, "Reporter"],
      ],
    });
    const own = await world.report(both, event, { title: "My own report here" });
    const reply = await across(both, "sort=title&order=asc");
    expect(titles(reply)).toEqual(["Another event's report", "My own report here"]);
    expect(reply.body.pagination.total).toBe(2);
    expect(titles(await across(both, "search=report"))).toHaveLength(2);
    await heed.sql("delete from incidents where id = $1", [own.id]);
  });

  test("takes an event's id or slug", async () => {
    for (const which of [event.id, event.id.toUpperCase(), event.slug]) {
      expect((await across(sam, `event=${which}`)).body.pagination.total).toBe(12);
      expect((await across(omar, `event=${which}`)).body.pagination.total).toBe(12);
    }
    expect((await across(sam, `event=${foreignEvent.slug}`)).body.pagination.total).toBe(1);
  });

  test("is empty for an event of others, as for one that isn't there", async () => {
    for (const which of [
      foreignEvent.id,
      foreignEvent.slug,
      otherEvent.id,
      "11111111-1111-4111-8111-111111111111",
      "no-such-event",
      "'; --",
    ]) {
      const reply = await across(omar, `event=${encodeURIComponent(which)}`);
      expect([reply.status, reply.body.incidents, reply.body.pagination.total]).toEqual([200, [], 0]);
    }
  });

  test("returns none of our data to the other tenant", async () => {
    const ours = [
      event.id,
      event.slug,
      otherEvent.id,
      world.organization.id,
      maya.id,
      maya.email,
      omar.id,
      "Delta rude remark",
    ];
    for (const query of ["", "search=a", "page=2", "assigned=others", "sort=title", `event=${event.id}`]) {
      for (const person of [berta, boris]) {
        const { text } = await across(person, query);
        for (const trace of ours) expect(text).not.toContain(trace);
      }
    }
  });
});
