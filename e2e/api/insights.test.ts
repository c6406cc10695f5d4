import { describe, expect, test } from "vitest";
import { ageReport } from "#e2e/support/age-report.ts";
import { shareService } from "#e2e/support/service.ts";
import { UNKNOWN_ID, expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type EventRef } from "#e2e/support/world.ts";

/** What the numbers page shows beyond analytics. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { foreignEvent, maya, omar } = world;

const house = await world.newOrganization("Insight House");
const harbour = await world.newEvent(house, "Harbour Days");
const mill = await world.newEvent(house, "Mill Weekend");
const viewer = await world.person("Vito Viewer", { organization: [house, "org_viewer"] });

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const NOW = Date.now();
const PATH = `/api/organizations/${house.id}/reports/insights`;

type Seed = {
  event?: EventRef;
  /** Days ago. */
  days: number;
  state?: string;
  severity?: string;
  type?: string;
  anonymous?: true;
  /** Hours from the report to the first response, to the first reply, and to the resolution. */
  first?: number;
  reply?: number;
  resolved?: number;
};

async function seed({ event = harbour, days, ...rest }: Seed): Promise<string> {
  const created = NOW - days * DAY;
  const at = (hours?: number) => (hours === undefined ? null : new Date(created + hours * HOUR));
  const [row] = await heed.sql<{ id: string }>(
    `insert into incidents (event_id, title, description, parties, reporter_id, state, severity, type, created_at,
       first_response_at, resolved_at, first_response_due_at)
     values ($1, 'zqtitle of a report', 'zqdescription', 'zqparties', $2, $3::incident_state, $4::severity, $5, $6, $7, $8, $9)
     returning id`,
    [
      event.id,
      rest.anonymous ? null : maya.id,
      rest.state ?? (rest.resolved ? "resolved" : rest.first ? "acknowledged" : "submitted"),
      rest.severity ?? null,
      rest.type ?? null,
      new Date(created),
      at(rest.first),
      at(rest.resolved),
      at(24),
    ],
  );
  const id = row?.id ?? "";
  await heed.sql("insert into conversations (id, incident_id, party) values ($1, $1, 'reporter')", [id]);
  for (const [author, hours] of [
    [maya.id, 0.1],
    [omar.id, rest.reply],
    [omar.id, rest.reply && rest.reply + 1],
  ] as const)
    if (hours && rest.reply)
      await heed.sql(
        "insert into messages (conversation_id, author_id, from_party, body, created_at) values ($1, $2, $3, 'zqmessage', $4)",
        [id, author, author === maya.id, at(hours)],
      );
  return id;
}

// Within 30 days.
const oldest = await seed({ days: 20, type: "Somebody's own words" });
await seed({ days: 0.2, anonymous: true, type: "Threats or violence", severity: "high" });
await seed({ days: 9, first: 1, reply: 2, type: "Threats or violence", severity: "low" });
await seed({ days: 8, first: 3, reply: 5, resolved: 10, severity: "low" });
await seed({ days: 7, first: 24, resolved: 48, event: mill });
await seed({ days: 6, first: 30, resolved: 72, state: "closed" });
await seed({ days: 5, first: 200, anonymous: true });
// In the 30 days before.
await seed({ days: 40, first: 2, resolved: 4 });
await seed({ days: 45, first: 6 });
// Long before.
await seed({ days: 500, first: 1, resolved: 2, type: "Safety of a place or an activity" });
for (let n = 0; n < 5; n += 1) await seed({ days: 501, type: "Loud music" });

const ask = async (query = "", path = PATH) => (await world.as(viewer).get(`${path}?${query}`)).body;

describe("insights", () => {
  test("count the reports of a period, and show numbers only", async () => {
    const { status, body, text } = await world.as(viewer).get(PATH);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual([
      "answerTimes",
      "byChannel",
      "byType",
      "current",
      "deadlineHours",
      "months",
      "openBefore",
      "otherTypes",
      "points",
      "previous",
      "unit",
    ]);
    expect([body.unit, body.points.length]).toEqual(["day", 31]);
    // The day may have ended since the reports were made.
    const days = [NOW, Date.now()].map((time) => new Date(time).toISOString().slice(0, 10));
    expect(days).toContain(body.points.at(-1).at);
    expect(body.current).toEqual({
      reports: 7,
      open: 4,
      waiting: 2,
      oldestWaiting: new Date(NOW - 20 * DAY).toISOString(),
      answered: 5,
      medianFirstResponse: 24,
      // Of five responses and the one that is overdue, those after 1, 3 and 24 hours came in time.
      answeredInTime: 3,
      answerDue: 6,
      replied: 2,
      medianFirstReply: 3.5,
      resolved: 3,
      medianResolution: 48,
    });
    expect(body.deadlineHours).toBe(24);
    expect(body.previous).toBeNull();
    expect(body.byChannel).toEqual({ anonymous: 2, named: 5 });
    expect(text).not.toMatch(/zq|Somebody's own|Maya|example\.org/);
    expect(text).not.toContain(oldest);
  });

  test("are the same by slug as by id, and for the filter by event", async () => {
    expect(await ask("", `/api/organizations/slug/${house.slug}/reports/insights`)).toEqual(await ask());
    const { current } = await ask(`eventId=${mill.id}`);
    expect(current).toMatchObject({ reports: 1, open: 0, medianResolution: 48 });
    expect((await ask("severity=low")).current.reports).toBe(2);
    expect((await ask("severity=none")).current.reports).toBe(4);
    expect((await ask("status=closed")).current.reports).toBe(1);
  });

  test("measure a first response against what was promised when its report arrived", async () => {
    const quarry = await world.newEvent(house, "Quarry Days");
    const promise = (hours: number | null) =>
      heed.sql(
        `insert into event_report_settings (event_id, answer_within_hours) values ($1, $2)
          on conflict (event_id) do update set answer_within_hours = excluded.answer_within_hours`,
        [quarry.id, hours],
      );
    await world.grant(maya, quarry, "Reporter");
    const respond = async (hours: number, severity?: "critical") => {
      const { id } = await world.report(maya, quarry, { severity });
      await ageReport(heed, id, "7 days");
      await heed.sql(
        `update incidents set state = 'closed', urgent = false, first_response_at = created_at + $2 * interval '1 hour',
           resolved_at = now(), due_for = null, due_since = null, due_at = null where id = $1`,
        [id, hours],
      );
    };
    const judge = async () => {
      const { deadlineHours, current } = await ask(`eventId=${quarry.id}`);
      return [deadlineHours, current.answeredInTime, current.answerDue];
    };
    await promise(12);
    await respond(24);
    expect(await judge()).toEqual([12, 0, 1]);
    await promise(48);
    expect(await judge()).toEqual([48, 0, 1]);
    await respond(24);
    expect(await judge()).toEqual([48, 1, 2]);
    // An urgent report is due after fifteen minutes, however long others have.
    await respond(1, "critical");
    await respond(0.2, "critical");
    expect(await judge()).toEqual([48, 2, 4]);
    expect((await ask()).deadlineHours).toBeNull();
    await heed.sql("delete from incidents where event_id = $1", [quarry.id]);
    await promise(null);
  });

  test("count the previous period if it is requested and exists", async () => {
    const { previous, current } = await ask("compare=true");
    expect(previous).toMatchObject({ reports: 2, open: 1, waiting: 0, answered: 2, medianFirstResponse: 4 });
    expect(current.reports).toBe(7);
    expect((await ask("compare=true&timeRange=all")).previous).toBeNull();
    expect((await ask("compare=true&status=closed")).previous).toMatchObject({
      reports: 0,
      oldestWaiting: null,
      medianFirstResponse: null,
    });
  });

  test("sort responses by how long they took, a bound belonging to what is below it", async () => {
    expect((await ask()).answerTimes).toEqual([
      { upTo: 1, count: 1 },
      { upTo: 4, count: 1 },
      { upTo: 12, count: 0 },
      { upTo: 24, count: 1 },
      { upTo: 72, count: 1 },
      { upTo: 168, count: 0 },
      { upTo: null, count: 1 },
    ]);
  });

  test("name kinds that the form offers, and others only where several reports have them", async () => {
    const recent = await ask();
    expect(recent.byType).toEqual([
      { type: null, count: 4 },
      { type: "Threats or violence", count: 2 },
    ]);
    expect(recent.otherTypes).toBe(1);
    const ever = await ask("timeRange=all");
    expect(ever.byType).toContainEqual({ type: "Loud music", count: 5 });
    expect(ever.byType).toContainEqual({ type: "Safety of a place or an activity", count: 1 });
    expect(ever.otherTypes).toBe(1);
  });

  test("have the months of analytics, in parts that make up the whole", async () => {
    for (const range of ["30d", "1y", "all"]) {
      const { months, current } = await ask(`timeRange=${range}`);
      const { body: analytics } = await world
        .as(viewer)
        .get(`/api/organizations/${house.id}/reports/analytics?timeRange=${range}`);
      const sum = (parts: Record<string, number>) => Object.values(parts).reduce((a, b) => a + b, 0);
      type Month = { month: string; byStatus: Record<string, number>; bySeverity: Record<string, number> };
      const counts = (of: "byStatus" | "bySeverity") =>
        months.map((one: Month) => ({ month: one.month, count: sum(one[of]) }));
      const expected = analytics.monthlyTrends.map(({ month, count }: { month: string; count: number }) => ({
        month,
        count,
      }));
      expect(counts("byStatus")).toEqual(expected);
      expect(counts("bySeverity")).toEqual(expected);
      expect(current.reports).toBe(analytics.metrics.totalReports);
      expect(current.medianFirstResponse).toBe(analytics.metrics.medianFirstResponse);
      expect(current.medianResolution).toBe(analytics.metrics.medianResolution);
    }
  });

  test("cover the days that somebody chose, and the backlog of everything before", async () => {
    const day = (days: number) => new Date(NOW - days * DAY).toISOString().slice(0, 10);
    const { unit, points, current, openBefore } = await ask(`from=${day(25)}&to=${day(15)}`);
    expect([unit, points.length, points[0].at, points.at(-1).at]).toEqual(["day", 11, day(25), day(15)]);
    const ever = await ask("timeRange=all");
    expect(ever.points.at(-1).open).toBe(ever.current.open);
    // Five reports from long before and one of 45 days ago are still open, and another came in.
    expect([openBefore, current.reports, points.at(-1).open]).toEqual([6, 1, 7]);
    const { body: analytics } = await world
      .as(viewer)
      .get(`/api/organizations/${house.id}/reports/analytics?from=${day(25)}&to=${day(15)}`);
    expect(analytics.metrics.totalReports).toBe(current.reports);
  });

  test("are refused for an event of somebody else", async () => {
    for (const id of [foreignEvent.id, UNKNOWN_ID])
      expectRefusal(await world.as(viewer).get(`${PATH}?eventId=${id}`), "404 NOT_FOUND");
  });
});
