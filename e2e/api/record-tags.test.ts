import { describe, expect, test } from "vitest";
import { Caller, ROWS, type Row } from "#e2e/api/routes.ts";
import { TAGGED } from "#e2e/api/tagged-records.ts";
import { shareService } from "#e2e/support/service.ts";
import { summarizeResponse, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/**
 * Records have an `ETag` that `If-Match` and `If-None-Match` take as it is (contract 3.16). successes.test.ts finds that
 * exactly these have one.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);
const { ada, event, maya, olga, omar, organization, rita, sam } = world;

const title = ({ method, path }: Row) => `${method} ${path}`;
const seenAs = (tag: unknown) => ({ headers: { "if-match": String(tag) } });
const unlessSeen = (tag: unknown) => ({ headers: { "if-none-match": String(tag) } });

describe.each(TAGGED)("GET %s", (path) => {
  const row = ROWS.find((one) => one.method === "GET" && one.path === path) as Row;

  test("responds with 304 to a client with the current tag, after the same checks", async () => {
    const prepared = await caller.prepare(row);
    const first = await caller.call(prepared, "sam");
    expect(first.headers.etag).toMatch(/^W\/"[\x21\x23-\x7e]+"$/);
    const ask = unlessSeen(first.headers.etag);
    const again = await caller.call(prepared, "sam", { ask });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", first.headers.etag]);
    expect(again.headers["cache-control"]).toBe(first.headers["cache-control"]);
    expect((await caller.call(prepared, "sam", { ask: unlessSeen('"other"') })).text).toBe(first.text);
    const outsider = ROWS.find((one) => title(one) === title(row))?.who.includes("nobody")
      ? undefined
      : "nora";
    if (outsider) {
      const plain = await caller.call(prepared, outsider);
      const refused = await caller.call(prepared, outsider, { ask });
      expect(summarizeResponse(refused)).toEqual(summarizeResponse(plain));
      expect([403, 404]).toContain(refused.status);
    }
  });
});

test("a change accepts the current tag, and refuses a former one", async () => {
  const place = `/api/organizations/${organization.id}`;
  const changes: [TestPerson, "put" | "patch", string, Record<string, unknown>][] = [
    [olga, "put", place, { description: "New" }],
    [ada, "patch", `/api/events/slug/${event.slug}`, { description: "New" }],
    [ada, "patch", `/api/events/slug/${event.slug}/report-settings`, { showTeam: true }],
    [sam, "patch", "/api/admin/settings", { name: "Conduct" }],
    [
      omar,
      "patch",
      `/api/events/slug/${event.slug}/incidents/${(await world.report(maya, event)).id}`,
      { severity: "low" },
    ],
  ];
  for (const [person, method, path, body] of changes) {
    const client = world.as(person);
    const { etag } = (await client.get(path)).headers;
    const first = await client[method](path, body, seenAs(etag));
    expect(first.status, `${path}: ${first.text}`).toBe(200);
    if (path.includes("/incidents/")) expect(first.headers.etag).toBe((await client.get(path)).headers.etag);
    const stale = await client[method](path, body, seenAs(etag));
    expectRefusal(stale, "409 CONFLICT", path);
    const next = (await client.get(path)).headers.etag;
    expect(next, path).not.toBe(etag);
    expect((await client[method](path, body, seenAs(`"another", ${next}`))).status, path).toBe(200);
  }
});

test("a new incident has its tag in the response, with which it is changed", async () => {
  const path = `/api/events/slug/${event.slug}/incidents`;
  const report = { title: "Tagged from the start", description: "It happened." };
  const created = await world.as(maya).post(path, report, unlessSeen("*"));
  expect([created.status, created.body.incident?.title]).toEqual([201, report.title]);
  const own = `${path}/${created.body.incident.id}`;
  expect(created.headers.etag).toBe((await world.as(maya).get(own)).headers.etag);
  const changed = await world.as(omar).patch(own, { severity: "low" }, seenAs(created.headers.etag));
  expect(changed.status, changed.text).toBe(200);
});

test("people who see different content have different tags, and get no 304 for each other's", async () => {
  const report = await world.report(maya, event);
  await world.move(report, "investigating");
  const path = `/api/events/${event.id}/incidents/${report.id}`;
  const [team, reporter] = [await world.as(omar).get(path), await world.as(maya).get(path)];
  expect(team.body).not.toEqual(reporter.body);
  expect(team.headers.etag).not.toBe(reporter.headers.etag);
  const swapped = await world.as(maya).get(path, unlessSeen(team.headers.etag));
  expect([swapped.status, swapped.body]).toEqual([200, reporter.body]);
  // Somebody who may not see it learns nothing from a tag.
  const foreign = await world.as(rita).get(path, unlessSeen(team.headers.etag));
  expect(foreign.status).toBe(404);
});

test("a change of related content changes the tag, and isn't a conflict", async () => {
  const report = await world.report(maya, event);
  const path = `/api/events/slug/${event.slug}/incidents/${report.id}`;
  const before = await world.as(omar).get(path);
  await heed.sql("update users set name = name || ' Renamed' where id = $1", [maya.id]);
  const after = await world.as(omar).get(path, unlessSeen(before.headers.etag));
  expect([after.status, after.body.incident.updatedAt]).toEqual([200, before.body.incident.updatedAt]);
  const change = await world.as(omar).patch(path, { severity: "high" }, seenAs(before.headers.etag));
  expect(change.status, change.text).toBe(200);
});

test("a 304 for an incident is recorded as a view", async () => {
  const report = await world.report(maya, event);
  const path = `/api/events/${event.id}/incidents/${report.id}`;
  const { etag } = (await world.as(omar).get(path)).headers;
  const views = () => heed.rows("incident_access", "incident_id = $1", [report.id]);
  expect(await views()).toBe(1);
  expect((await world.as(omar).get(path, unlessSeen(etag))).status).toBe(304);
  expect(await views()).toBe(2);
});
