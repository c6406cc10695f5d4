import { describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";
import { MAX_COMMENT_LENGTH } from "#lib/conversations/comment-schema.ts";

/** What one person writes or uploads, however much of it there is, makes no page that everybody waits for. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, omar } = world;

const pageOf = ({ id }: ReportRecord, query = "") => `/e/${event.slug}/i/${id}${query}`;

async function open(person: TestPerson, path: string): Promise<string> {
  const reply = await world.as(person).get(path);
  expect(reply.status, path).toBe(200);
  return reply.text;
}

/** Messages of the reporter, each with a number in it. */
async function write(report: ReportRecord, body: string, count: number): Promise<void> {
  await heed.sql(
    `with written as (
       insert into messages (conversation_id, author_id, body, created_at, updated_at)
       select $1, $2, left('No. ' || n || ' ' || $3, $5::int), at, at
       from generate_series(1, $6::int) n, lateral (select now() + n * interval '1 second' as at) one
       returning id, conversation_id, created_at)
     insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
     select conversation_id, $4, $2, 'message', id, created_at from written`,
    [report.id, maya.id, body, event.id, MAX_COMMENT_LENGTH, count],
  );
}

const idsIn = (html: string, kind: "comment" | "file"): string[] =>
  [...html.matchAll(new RegExp(`<(?:article|li) id="${kind}-([0-9a-f-]{36})"`, "g"))].map(
    ([, id]) => id ?? "",
  );

const linksTo = (html: string, rest: string) => html.includes(`href="${rest.replaceAll("&", "&amp;")}"`);

describe("of many messages of the greatest length", () => {
  test.each([
    ["the team", ada, "Words that go on and on. "],
    ["the reporter", maya, "Words that go on and on. "],
    ["the team, where each is more marks than words", ada, ">>>>>>>>>>a\n\n"],
  ])("the page of %s shows the newest, and the others on further pages", async (_, person, piece) => {
    const report = await world.report(maya, event);
    await write(report, piece.repeat(MAX_COMMENT_LENGTH), 16);
    const first = await open(person, pageOf(report));
    expect(idsIn(first, "comment").length).toBeLessThanOrEqual(5);
    expect(first.length).toBeLessThan(1_000_000);
    expect(first).toContain("No. 16 ");
    expect(first).not.toContain("No. 10 ");
    expect(linksTo(first, pageOf(report, "?page=2"))).toBe(true);
    const shown = idsIn(first, "comment");
    let [html, page] = [first, 2];
    for (; linksTo(html, pageOf(report, `?page=${page}`)); page += 1) {
      html = await open(person, pageOf(report, `?page=${page}`));
      shown.push(...idsIn(html, "comment"));
    }
    expect([shown.length, new Set(shown).size]).toEqual([16, 16]);
  });

  test("the API lists as many as requested", async () => {
    const report = await world.report(maya, event);
    await write(report, "Words that go on and on. ".repeat(MAX_COMMENT_LENGTH), 60);
    const at = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    const history = (await world.as(ada).get(`${at}/history?kind=messages`)).body;
    expect(history.history).toHaveLength(60);
    expect(history.pagination).toEqual({ page: 1, limit: 100, total: 60, totalPages: 1 });
    const comments = (await world.as(maya).get(`${at}/comments`)).body;
    expect(comments.comments).toHaveLength(50);
    expect(comments.pagination).toEqual({ page: 1, limit: 50, total: 60, totalPages: 2 });
  });
});

test("fifteen short entries fit on one page, and the note of a status change counts by its length", async () => {
  const report = await world.report(maya, event);
  await write(report, "Short.", 60);
  expect(idsIn(await open(ada, pageOf(report, "?kind=messages")), "comment")).toHaveLength(15);
  expect(idsIn(await open(ada, pageOf(report, "?kind=messages&page=4")), "comment")).toHaveLength(15);
  const at = `/api/events/slug/${event.slug}/incidents/${report.id}`;
  for (const visibility of ["internal", "internal", "internal", "internal", "internal"])
    await world.as(omar).post(`${at}/comments`, { visibility, body: "n".repeat(MAX_COMMENT_LENGTH) });
  const moved = await world
    .as(omar)
    .patch(`${at}/state`, { state: "acknowledged", notes: "m".repeat(MAX_COMMENT_LENGTH) });
  expect(moved.status, moved.text).toBe(200);
  expect(idsIn(await open(ada, pageOf(report, "?kind=notes")), "comment")).toHaveLength(4);
  expect(idsIn(await open(ada, pageOf(report, "?kind=notes&page=2")), "comment")).toHaveLength(2);
});

test("a very long message is collapsed, and a usual one is not", async () => {
  const report = await world.report(maya, event);
  await write(report, "Short.", 1);
  expect(await open(ada, pageOf(report))).not.toContain("Show full text");
  await write(report, "Words that go on and on. ".repeat(200), 1);
  const page = await open(ada, pageOf(report));
  expect(page.split(">Show full text<")).toHaveLength(2);
});

test("of a hundred files a page shows thirty, or the page of the open one", async () => {
  const report = await world.report(maya, event);
  await heed.sql(
    `insert into related_files (incident_id, event_id, filename, mimetype, size, sha256, storage_key, visible_to_reporter, uploaded_by_id, created_at)
     select $1, $2, n || '.txt', 'text/plain', 1, '', gen_random_uuid()::text, true, $3, now() + n * interval '1 second'
     from generate_series(1, 100) n`,
    [report.id, event.id, maya.id],
  );
  for (const person of [ada, maya]) {
    const first = await open(person, pageOf(report));
    expect(idsIn(first, "file")).toHaveLength(30);
    expect(linksTo(first, `${pageOf(report, "?files=2")}#files`)).toBe(true);
    const last = idsIn(await open(person, pageOf(report, "?files=4")), "file");
    expect(last).toHaveLength(10);
    expect(idsIn(await open(person, pageOf(report, `?preview=${last[3]}`)), "file")).toEqual(last);
    expect(idsIn(await open(person, pageOf(report, "?files=99")), "file")).toEqual(last);
  }
});
