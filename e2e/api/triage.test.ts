import { beforeEach, describe, expect, test } from "vitest";
import { ageReport } from "#e2e/support/age-report.ts";
import { shareService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";
import { NOTIFICATION_MAIL_LOCK } from "#lib/database/advisory-locks.ts";

/** What a team works with beside the list: counts, marks, filters of several values, export of chosen ones. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, berta, event, foreignEvent, maya, nora, olga, omar, otherEvent, rita, sam } = world;

const NOWHERE = "11111111-1111-4111-8111-111111111111";

beforeEach(async () => {
  // The dispatcher and the queue of mails lock the same rows in another order, and a deadlock could end the deletion.
  await waitUntil("an empty outbox", async () => (await heed.rows("outbox_events")) === 0, 60_000);
  await heed.sql(
    `with lock as materialized (select pg_advisory_xact_lock($1))
     delete from incidents where exists (select 1 from lock)`,
    [NOTIFICATION_MAIL_LOCK],
  );
});

const get = async (person: TestPerson, path: string) =>
  world.as(person).get(`/api/users/me/incidents${path}`);
const ids = async (person: TestPerson, query: string): Promise<string[]> =>
  (await get(person, `?limit=100&${query}`)).body.incidents.map(({ id }: ReportRecord) => id).toSorted();
/** A time so many hours after another. */
const later = (time: string, hours: number) => new Date(Date.parse(time) + hours * 3_600_000).toISOString();
const mark = async (person: TestPerson, report: ReportRecord) =>
  (await get(person, `/marks?ids=${report.id}`)).body.marks[0];
const sorted = (...reports: ReportRecord[]) => reports.map(({ id }) => id).toSorted();

describe("several values of one filter", () => {
  test("match any of them, and several filters must all match", async () => {
    const low = await world.report(maya, event, { severity: "low" });
    const high = await world.report(maya, event, { severity: "high" });
    const none = await world.report(maya, event);
    await world.move(high, "acknowledged");
    await world.move(none, "closed");
    expect(await ids(omar, "status=submitted,acknowledged")).toEqual(sorted(low, high));
    expect(await ids(omar, "status=acknowledged,closed&severity=high,low")).toEqual(sorted(high));
    expect(await ids(omar, "severity=none,low")).toEqual(sorted(low, none));
    expect(await ids(omar, "assigned=me,unassigned")).toEqual(sorted(low, high, none));
    const { pagination } = (await get(omar, "?status=submitted,acknowledged&limit=1")).body;
    expect(pagination).toMatchObject({ total: 2, totalPages: 2 });
    const refused = await get(omar, "?status=submitted,done");
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
  });

  test("page through states in one order, without losing or repeating one", async () => {
    for (let n = 0; n < 7; n += 1) {
      const report = await world.report(maya, event);
      if (n % 2) await world.move(report, "acknowledged");
    }
    const page = async (n: number) =>
      (await get(omar, `?status=submitted,acknowledged&limit=3&page=${n}`)).body.incidents;
    const seen = [...(await page(1)), ...(await page(2)), ...(await page(3))] as (ReportRecord & {
      createdAt: string;
    })[];
    expect(new Set(seen.map(({ id }) => id)).size).toBe(7);
    const times = seen.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("take events by id and slug, and pass over those that aren't one's own", async () => {
    const here = await world.report(maya, event);
    const both = await world.person("Two Events", {
      events: [
        [event, "Responder"],
        [otherEvent, "Responder"],
      ],
    });
    const there = await world.report(both, otherEvent);
    const named = `event=${event.slug},${otherEvent.id.toUpperCase()},${foreignEvent.id}`;
    expect(await ids(both, named)).toEqual(sorted(here, there));
    expect(await ids(sam, `event=${event.slug},${otherEvent.slug}`)).toEqual(sorted(here, there));
    expect(await ids(omar, `event=${foreignEvent.slug}`)).toEqual([]);
  });
});

describe("the other filters", () => {
  test("find anonymous, escalated and pinned incidents, and those of a time range", async () => {
    const named = await world.report(maya, event);
    const nameless = await world.report(maya, event, { anonymous: true });
    const critical = await world.report(maya, event, { severity: "critical" });
    await world.as(omar).post("/api/users/me/pins", { incidentId: critical.id, eventId: event.id });
    expect(await ids(omar, "anonymous=true")).toEqual(sorted(nameless));
    expect(await ids(omar, "anonymous=false")).toEqual(sorted(named, critical));
    expect(await ids(omar, "escalated=true")).toEqual(sorted(critical));
    expect(await ids(omar, "pinned=true")).toEqual(sorted(critical));
    expect(await ids(sam, "pinned=true")).toEqual([]);
    await heed.sql("update incidents set created_at = '2026-03-01T10:00:00Z' where id = $1", [named.id]);
    expect(await ids(omar, "from=2026-03-01T00:00:00Z&to=2026-03-01T10:00:00Z")).toEqual([]);
    expect(await ids(omar, "from=2026-03-01&to=2026-03-01")).toEqual(sorted(named));
    // A day is that of the zone in which the rows show times: the event's, unless the reader has chosen one.
    await heed.sql("update events set time_zone = 'Pacific/Auckland' where id = $1", [event.id]);
    expect(await ids(omar, "to=2026-03-01")).toEqual(sorted(named));
    await heed.sql("update incidents set created_at = '2026-03-01T11:00:00Z' where id = $1", [named.id]);
    expect(await ids(omar, "to=2026-03-01")).toEqual([]);
    expect(await ids(omar, "from=2026-03-02&to=2026-03-02")).toEqual(sorted(named));
    await world.as(omar).patch("/api/users/me/profile", { timeZone: "America/New_York" });
    expect(await ids(omar, "from=2026-03-01&to=2026-03-01")).toEqual(sorted(named));
    await world.as(omar).patch("/api/users/me/profile", { timeZone: null });
    await heed.sql("update events set time_zone = null where id = $1", [event.id]);
    expect((await get(omar, "?from=yesterday")).status).toBe(400);
  });

  test("don't reveal to a reporter that the team has added a file", async () => {
    const report = await world.report(maya, event);
    await heed.sql(
      `insert into related_files (incident_id, event_id, filename, mimetype, size, sha256, storage_key, visible_to_reporter)
        values ($1, $2, 'a.txt', 'text/plain', 1, 'x', $3, false)`,
      [report.id, event.id, `test/${report.id}`],
    );
    expect(await ids(omar, "files=true")).toEqual(sorted(report));
    expect(await ids(maya, "files=true")).toEqual([]);
    expect(await ids(maya, "files=false")).toEqual(sorted(report));
  });
});

describe("the summary", () => {
  test("counts by state, and open incidents by everything else", async () => {
    await world.report(maya, event, { severity: "critical" });
    await world.report(maya, event, { severity: "low" });
    const taken = await world.report(maya, event);
    await world.move(taken, "investigating", { assignedToUserId: omar.id });
    const over = await world.report(maya, event, { severity: "high" });
    await world.move(over, "resolved");
    const { body } = await get(omar, "/summary");
    expect(body).toEqual({
      byState: { submitted: 2, acknowledged: 0, investigating: 1, resolved: 1, closed: 0 },
      open: 3,
      openBySeverity: { critical: 1, high: 0, medium: 0, low: 1, none: 1 },
      openUnassigned: 2,
      openEscalated: 1,
      openMine: 1,
      openOverdue: 0,
      openAwaiting: { reporter: 0, team: 0 },
      needsUs: 2,
      pinned: 0,
      events: [{ id: event.id, name: event.name, slug: event.slug, open: 3, total: 4 }],
    });
  });

  test("leaves out events where one isn't on the team", async () => {
    await world.report(maya, event);
    for (const person of [maya, rita, nora, olga, berta])
      expect((await get(person, `/summary?event=${event.slug}`)).body).toMatchObject({ open: 0, events: [] });
    expect((await get(sam, `/summary?event=${event.id}`)).body).toMatchObject({ open: 1 });
  });
});

describe("the markers of incidents", () => {
  const open = (person: TestPerson, report: ReportRecord) =>
    world.as(person).get(`/api/events/${event.id}/incidents/${report.id}`);

  test("say what changed since the last view, and how many messages there are", async () => {
    const report = await world.report(maya, event);
    expect(await mark(omar, report)).toEqual({
      incidentId: report.id,
      pinned: false,
      unread: true,
      messages: 0,
      due: { for: "acknowledge", since: report.createdAt, at: later(report.createdAt, 24) },
      awaiting: null,
    });
    await open(omar, report);
    expect(await mark(omar, report)).toMatchObject({ unread: false });
    await world.as(maya).post(`/api/events/slug/${event.slug}/incidents/${report.id}/comments`, {
      body: "One more thing.",
      visibility: "public",
    });
    expect(await mark(omar, report)).toMatchObject({ unread: true, messages: 1 });
    await open(omar, report);
    await world.as(omar).patch(`/api/events/slug/${event.slug}/incidents/${report.id}`, { severity: "low" });
    expect(await mark(omar, report)).toMatchObject({ unread: false });
    expect(await mark(ada, report)).toMatchObject({ unread: true });
  });

  test("can be set and removed, and end with the next view", async () => {
    const report = await world.report(maya, event);
    await open(omar, report);
    const body = { incidentId: report.id, eventId: event.id };
    for (const _ of [1, 2])
      expect((await world.as(omar).post("/api/users/me/unread", body)).status).toBe(204);
    expect([(await mark(omar, report)).unread, (await mark(ada, report)).unread]).toEqual([true, true]);
    expect((await world.as(omar).delete(`/api/users/me/unread/${report.id}`)).status).toBe(204);
    expect((await mark(omar, report)).unread).toBe(false);
    await world.as(omar).post("/api/users/me/unread", body);
    await open(omar, report);
    expect((await mark(omar, report)).unread).toBe(false);
  });

  test("are returned for visible incidents, and show a reporter nothing of the team's work", async () => {
    const report = await world.report(maya, event);
    await world.as(omar).post(`/api/events/slug/${event.slug}/incidents/${report.id}/comments`, {
      body: "Between us.",
      visibility: "internal",
    });
    expect(await mark(maya, report)).toEqual({
      incidentId: report.id,
      pinned: false,
      unread: false,
      messages: 0,
      due: null,
      awaiting: null,
    });
    for (const person of [rita, nora, olga, berta]) expect(await mark(person, report)).toBeUndefined();
    expect(
      (await world.as(rita).post("/api/users/me/unread", { incidentId: report.id, eventId: event.id }))
        .status,
    ).toBe(404);
    expect(
      (await world.as(nora).post("/api/users/me/unread", { incidentId: report.id, eventId: event.id }))
        .status,
    ).toBe(403);
  });
  test("are of a hundred incidents at most", async () => {
    const many = Array.from({ length: 101 }, (_, n) => NOWHERE.slice(0, -3) + (100 + n));
    expect((await get(omar, `/marks?ids=${many.join(",")}`)).status).toBe(400);
  });
});

describe("the deadline", () => {
  const say = (person: TestPerson, report: ReportRecord, more: object = {}) =>
    world.as(person).post(`/api/events/${event.id}/incidents/${report.id}/comments`, {
      body: "A word.",
      visibility: "public",
      ...more,
    });
  const WAITING = { waitForReporter: true };
  const inDays = (time: string) => Math.round((Date.parse(time) - Date.now()) / 86_400_000);

  test("runs until the first response, then until the next message, pauses where the team chose to wait for the reporter, and ends when the incident is closed", async () => {
    const report = await world.report(maya, event);
    expect((await mark(omar, report)).due.for).toBe("acknowledge");
    await world.move(report, "acknowledged");
    const next = (await mark(omar, report)).due;
    expect([next.for, inDays(next.at)]).toEqual(["update", 7]);
    await say(omar, report);
    expect(await mark(omar, report)).toMatchObject({ due: { for: "update" }, awaiting: null });
    await say(omar, report, WAITING);
    expect(await mark(omar, report)).toMatchObject({ due: null, awaiting: "reporter" });
    await say(maya, report, WAITING);
    const answered = await mark(omar, report);
    expect(answered).toMatchObject({ due: { for: "update" }, awaiting: "team" });
    expect(Date.parse(answered.due.since)).toBeGreaterThan(Date.parse(next.since));
    await world.move(report, "closed");
    expect(await mark(omar, report)).toMatchObject({ due: null, awaiting: null });
  });

  test("goes back to the previous message when a message is removed", async () => {
    const report = await world.report(maya, event);
    await world.move(report, "acknowledged");
    await say(maya, report);
    const { id } = (await say(omar, report, WAITING)).body.comment;
    expect((await mark(omar, report)).awaiting).toBe("reporter");
    await world.as(omar).delete(`/api/events/${event.id}/incidents/${report.id}/comments/${id}`);
    expect(await mark(omar, report)).toMatchObject({ awaiting: "team", due: { for: "update" } });
  });
  test("waits for no update where the reporter wants none, until they write", async () => {
    const quiet = await world.report(maya, event, { contactMethod: "no_contact" });
    expect((await mark(omar, quiet)).due.for).toBe("acknowledge");
    await world.move(quiet, "acknowledged");
    expect((await mark(omar, quiet)).due).toBeNull();
    await say(maya, quiet);
    expect((await mark(omar, quiet)).due.for).toBe("update");
  });
  test("filters, orders and counts, for the team of the event alone", async () => {
    const [late, soon, far, done] = await Promise.all([1, 2, 3, 4].map(() => world.report(maya, event)));
    for (const report of [far, done]) await world.move(report as ReportRecord, "acknowledged");
    await say(omar, done as ReportRecord, WAITING);
    await ageReport(heed, late?.id ?? "", "25 hours");
    const order = async (query: string) =>
      (await get(omar, `?${query}`)).body.incidents.map(({ id }: ReportRecord) => id);
    expect(await ids(omar, "due=overdue")).toEqual([late?.id]);
    expect(await ids(omar, "due=soon")).toEqual([soon?.id]);
    expect(await ids(omar, "due=overdue,later")).toEqual(sorted(late as ReportRecord, far as ReportRecord));
    expect(await ids(omar, "awaiting=reporter")).toEqual([done?.id]);
    expect(await ids(omar, "awaiting=team")).toEqual([]);
    expect(await ids(omar, "needsUs=true")).toEqual(sorted(late as ReportRecord, soon as ReportRecord));
    expect(await ids(omar, "needsUs=false")).toEqual(sorted(far as ReportRecord, done as ReportRecord));
    expect(await order("sort=due&order=asc")).toEqual([late?.id, soon?.id, far?.id, done?.id]);
    expect(await order("sort=due&order=asc&severity=none&limit=2&page=2")).toEqual([far?.id, done?.id]);
    const counts = { openOverdue: 1, openAwaiting: { reporter: 1, team: 0 }, needsUs: 2 };
    for (const person of [omar, sam]) expect((await get(person, "/summary")).body).toMatchObject(counts);
    for (const person of [maya, rita, olga, berta]) {
      const nothing = { openOverdue: 0, openAwaiting: { reporter: 0, team: 0 }, needsUs: 0 };
      expect((await get(person, "/summary")).body).toMatchObject(nothing);
    }
  });
  test("puts what is overdue, and what the reporter wrote last, among what needs the team", async () => {
    const [late, talked, ended, quiet] = await Promise.all([1, 2, 3, 4].map(() => world.report(maya, event)));
    for (const report of [late, talked, quiet]) await world.move(report as ReportRecord, "acknowledged");
    await world.move(ended as ReportRecord, "closed");
    const expectNeedsUs = async (...reports: (ReportRecord | undefined)[]) => {
      expect(await ids(omar, "needsUs=true")).toEqual(sorted(...(reports as ReportRecord[])));
      expect((await get(omar, "/summary")).body.needsUs).toBe(reports.length);
    };
    await expectNeedsUs();
    for (const report of [talked, ended]) await say(maya, report as ReportRecord);
    await heed.sql("update incidents set due_at = now() - interval '1 hour' where id = $1", [late?.id]);
    await expectNeedsUs(late, talked, ended);
    await say(omar, talked as ReportRecord);
    await expectNeedsUs(late, ended);
  });
});

describe("the adjacent incidents in a list", () => {
  const beside = async (person: TestPerson, report: ReportRecord, query = "") => {
    const { body } = await get(person, `/neighbours?incidentId=${report.id}&${query}`);
    return [body.previous?.id ?? null, body.next?.id ?? null];
  };

  test("are those before and after it in each order, and null at the ends", async () => {
    const all: ReportRecord[] = [];
    for (const title of ["Cedar of the hall", "Alder of the hall", "Birch of the hall"])
      all.push(await world.report(maya, event, { title }));
    await world.move(all[1] as ReportRecord, "investigating", { assignedToUserId: omar.id });
    await heed.sql(
      "update incidents set created_at = '2026-03-01T10:00:00Z', due_at = due_at + ('2026-03-01T10:00:00Z' - created_at)",
    );
    for (const sort of ["createdAt", "title", "status", "due"])
      for (const order of ["asc", "desc"]) {
        const query = `sort=${sort}&order=${order}`;
        const listed: ReportRecord[] = (await get(omar, `?${query}`)).body.incidents;
        for (const [at, report] of listed.entries()) {
          const expected = [listed[at - 1]?.id ?? null, listed[at + 1]?.id ?? null];
          expect(await beside(omar, report, query), query).toEqual(expected);
        }
      }
  });

  test("are found where the report itself has left the list", async () => {
    const [oldest, middle, newest] = [
      await world.report(maya, event),
      await world.report(maya, event),
      await world.report(maya, event),
    ];
    await world.move(middle, "acknowledged");
    expect(await beside(omar, middle, "status=submitted")).toEqual([newest.id, oldest.id]);
    expect(await beside(omar, newest, "status=submitted")).toEqual([null, oldest.id]);
    expect(await beside(omar, middle, `event=${otherEvent.slug}`)).toEqual([null, null]);
  });

  test("are only visible incidents, and only for visible ones", async () => {
    const others = await world.report(rita, event, { title: "Nobody else reads this one" });
    const own = await world.report(maya, event);
    await world.report(rita, event);
    expect(await beside(maya, own)).toEqual([null, null]);
    const absent = await get(maya, `/neighbours?incidentId=${NOWHERE}`);
    for (const person of [maya, nora, olga, berta]) {
      const reply = await get(person, `/neighbours?incidentId=${others.id}`);
      expect([reply.status, reply.body]).toEqual([404, absent.body]);
    }
  });
});

describe("all that match, in parts", () => {
  type Ref = { id: string; title: string; state: string; place: string };
  const part = async (person: TestPerson, query: string): Promise<{ refs: Ref[]; complete: boolean }> =>
    (await get(person, `/refs?${query}`)).body;

  test("come newest first, once each, though what was met has changed and left the list", async () => {
    for (let n = 0; n < 5; n += 1) await world.report(maya, event);
    await heed.sql("update incidents set created_at = '2026-03-01T10:00:00Z'");
    const seen: string[] = [];
    let after = "";
    for (;;) {
      const { refs, complete } = await part(omar, `status=submitted&limit=2${after}`);
      for (const ref of refs) {
        seen.push(ref.id);
        await world.move(ref as unknown as ReportRecord, "acknowledged");
      }
      if (complete) break;
      after = `&after=${refs.at(-1)?.place}`;
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
    expect(await part(omar, "status=submitted")).toEqual({ refs: [], complete: true });
  });

  test("are of the events whose team one is on", async () => {
    const report = await world.report(maya, event, { title: "Nobody else reads this one" });
    expect((await part(omar, "")).refs).toEqual([
      {
        id: report.id,
        eventId: event.id,
        slug: event.slug,
        title: report.title,
        state: "submitted",
        updatedAt: report.updatedAt,
        place: `${report.createdAt}_${report.id}`,
      },
    ]);
    for (const person of [maya, rita, nora, olga, berta])
      expect(await part(person, `event=${event.slug}`)).toEqual({ refs: [], complete: true });
  });
});

describe("the export of chosen reports", () => {
  const lines = (text: string) => text.trim().split("\r\n");

  test("has one line for each, and is recorded in the logs", async () => {
    const one = await world.report(maya, event, { title: "=1+1 is a formula" });
    const two = await world.report(rita, event);
    await world.report(rita, event);
    const reply = await get(omar, `/export?ids=${one.id},${two.id}`);
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(lines(reply.text)).toHaveLength(3);
    expect(reply.text).toContain("'=1+1 is a formula");
    const viewsQuery =
      "select incident_id, actor_id from incident_access where kind = 'export' order by incident_id";
    expect(await heed.sql(viewsQuery)).toEqual(
      sorted(one, two).map((id) => ({ incident_id: id, actor_id: omar.id })),
    );
    const [entry] = await heed.sql<{ by_right: string; event_id: string }>(
      "select by_right, event_id from audit_entries where action = 'incidents.export' and request_id = $1",
      [reply.headers["x-request-id"]],
    );
    expect(entry).toEqual({ by_right: "event:Responder", event_id: event.id });
  });

  test("is 404 when one of them isn't the team's, like for a missing one", async () => {
    const report = await world.report(maya, event);
    const own = await world.report(rita, event, { title: "Nobody else reads this one" });
    const absent = await get(omar, `/export?ids=${report.id},${NOWHERE}`);
    expect([absent.status, absent.body.code]).toEqual([404, "NOT_FOUND"]);
    for (const person of [rita, nora, olga, berta]) {
      const reply = await get(person, `/export?ids=${own.id}`);
      expect([reply.status, reply.body]).toEqual([404, absent.body]);
    }
    expect(await heed.rows("incident_access", "kind = 'export'")).toBe(0);
  });
});

describe("the export of all that match", () => {
  test("for people is in their words and one zone, with a semicolon where the comma is decimal", async () => {
    await world.report(maya, event);
    const [header = "", row = ""] = (await get(omar, "/export/matching?labels=fr")).text.split("\r\n");
    expect(header).toMatch(/^\uFEFF\P{L}*Signalement;.*\(UTC\)/u);
    expect(row.split(";")).toHaveLength(header.split(";").length);
    expect(row).toMatch(/;\d{4}-\d{2}-\d{2} \d{2}:\d{2};/);
  });

  const titles = (text: string) => text.trim().split("\r\n").slice(1);

  test("holds more than a page, newest first, by the filters of the list, and is recorded in the logs of each incident", async () => {
    const seed = `insert into incidents (event_id, reporter_id, title, description, state, severity, created_at)
      select '${event.id}', '${maya.id}', 'Seeded report number ' || n, 'Words', 'submitted', 'low', now() - n * interval '1 minute'
      from generate_series(1, 620) n`;
    await heed.sql(seed);
    await world.report(maya, event, { title: "Graver than the others", severity: "high" });
    const reply = await get(omar, "/export/matching?severity=low");
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    const rows = titles(reply.text);
    expect(rows).toHaveLength(620);
    expect(rows[0]).toContain("Seeded report number 1,");
    expect(rows[619]).toContain("Seeded report number 620,");
    expect(await heed.rows("incident_access", `kind = 'export' and actor_id = '${omar.id}'`)).toBe(620);
    const [notification] = await heed.sql<{ ids: number }>(
      `select sum(json_array_length(data -> 'incidentIds'))::int as ids from audit_entries
        where action = 'incidents.export' and event_id = $1 and request_id = $2`,
      [event.id, reply.headers["x-request-id"]],
    );
    expect(notification?.ids).toBe(620);
  });

  test("leaves out events where one isn't on the team, including one's own reports", async () => {
    await world.report(rita, event, { title: "Nobody else reads this one" });
    for (const person of [rita, nora, olga, berta]) {
      const reply = await get(person, "/export/matching");
      expect([reply.status, titles(reply.text)]).toEqual([200, []]);
    }
  });
});
