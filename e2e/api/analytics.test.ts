import { describe, expect, test } from "vitest";
import { DAY_MS, waitForPeriodWith } from "#e2e/support/period.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  checkRecord,
  SEVERITIES,
  STATES,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import { UNKNOWN_ID, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { TestWorld, type EventRef, type PlaceRef } from "#e2e/support/world.ts";

/** Analytics (contract 10.1). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { foreignEvent, boris, maya, olga, omar, sam } = world;

const company = await world.newOrganization("Numbers and Sons");
const harbour = await world.newEvent(company, "Harbour Days");
const mill = await world.newEvent(company, "Mill Weekend");
const quiet = await world.newEvent(company, "Quiet Corner");
const admin = await world.person("Nadia Admin", { organization: [company, "org_admin"] });
const viewer = await world.person("Vito Viewer", { organization: [company, "org_viewer"] });

const HOUR = 60 * 60 * 1000;
// The service counts its ranges back from today.
await waitForPeriodWith(3 * 60_000, DAY_MS);
const NOW = new Date();
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * HOUR);
/** The midnight that begins the day so many days ago. */
const startOfDay = (days: number) => new Date(daysAgo(days).setUTCHours(0, 0, 0, 0));
/** A day of a month that lies so many months back, at midnight. */
const monthsAgo = (months: number, day: number) =>
  new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - months, day));
const later = (from: Date, hours: number) => new Date(from.getTime() + hours * HOUR);

type Seed = {
  event: EventRef;
  title: string;
  state: string;
  severity?: string;
  created: Date;
  /** Hours from the report to the first response, and to the resolution. */
  first?: number;
  resolved?: number;
  escalated?: true;
  assigned?: true;
};

async function seed({ event, title, state, created, ...rest }: Seed): Promise<void> {
  const { severity = null, first, resolved, escalated, assigned } = rest;
  await heed.sql(
    `insert into incidents (event_id, title, description, parties, location, reporter_id, state, severity, created_at,
       first_response_at, resolved_at, escalated_at, assigned_responder_id)
     values ($1, $2, 'zqdescription', 'zqparties', 'zqlocation', $3, $4::incident_state, $5::severity, $6, $7, $8, $9, $10)`,
    [
      event.id,
      title,
      maya.id,
      state,
      severity,
      created,
      first === undefined ? null : later(created, first),
      resolved === undefined ? null : later(created, resolved),
      escalated ? later(created, 1) : null,
      assigned ? omar.id : null,
    ],
  );
}

// Twelve reports, oldest first. Ten days after the 28th is the month after, whatever the month.
const SEEDS: Omit<Seed, "title">[] = [
  // 1 and 2: fourteen months back.
  { event: mill, state: "resolved", severity: "low", created: monthsAgo(14, 5), first: 4, resolved: 48 },
  {
    event: harbour,
    state: "closed",
    severity: "high",
    created: monthsAgo(14, 28),
    first: 2,
    resolved: 240,
    assigned: true,
  },
  // 3 and 4: within a year.
  { event: harbour, state: "closed", created: monthsAgo(9, 28), first: 6, resolved: 240.2 },
  { event: mill, state: "submitted", severity: "critical", created: monthsAgo(5, 15), escalated: true },
  // 5 and 6: within ninety days, the first at the first moment; the second is an hour too old for thirty.
  {
    event: harbour,
    state: "acknowledged",
    severity: "medium",
    created: startOfDay(90),
    first: 1,
  },
  {
    event: harbour,
    state: "resolved",
    severity: "high",
    created: later(startOfDay(30), -1),
    first: 3,
    resolved: 30,
    assigned: true,
  },
  // 7 to 12: within thirty days, the first at the first moment.
  { event: harbour, state: "submitted", created: startOfDay(30) },
  {
    event: mill,
    state: "investigating",
    severity: "critical",
    created: daysAgo(10),
    first: 0.6,
    escalated: true,
    assigned: true,
  },
  {
    event: harbour,
    state: "closed",
    severity: "medium",
    created: daysAgo(5),
    first: 10,
    resolved: 26,
    assigned: true,
  },
  { event: mill, state: "submitted", severity: "low", created: daysAgo(2) },
  { event: harbour, state: "resolved", severity: "medium", created: daysAgo(1), first: 2, resolved: 3.4 },
  {
    event: harbour,
    state: "investigating",
    severity: "high",
    created: daysAgo(0.5),
    first: 1,
    assigned: true,
  },
];
const titleOf = (number: number) => `Report number ${number} of twelve`;
for (const [index, one] of SEEDS.entries()) await seed({ ...one, title: titleOf(index + 1) });
// What must never be counted here.
await world.report(boris, foreignEvent);
await world.report(maya, world.event);

const byId = (of: PlaceRef) => `/api/organizations/${of.id}/reports/analytics`;
const bySlug = (of: PlaceRef) => `/api/organizations/slug/${of.slug}/reports/analytics`;
async function analytics(query = "", path = byId(company)) {
  const reply = await world.as(viewer).get(`${path}?${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

const percentage = (value: unknown, at: string) => expect(typeof value, at).toBe("number");
const hours = checkNullable(percentage);
const SHAPE = {
  metrics: checkRecord({
    totalReports: checkCount,
    pendingReports: checkCount,
    avgResolutionTime: hours,
    escalatedReports: checkCount,
    medianFirstResponse: hours,
    medianResolution: hours,
    unassignedReports: checkCount,
  }),
  byStatus: checkList(checkRecord({ status: checkExactly(...STATES), count: checkCount, percentage })),
  bySeverity: checkList(
    checkRecord({ severity: checkExactly(...SEVERITIES, "none"), count: checkCount, percentage }),
  ),
  byEvent: checkList(
    checkRecord({ eventId: checkUuid, eventName: checkText, eventSlug: checkText, count: checkCount }),
  ),
  monthlyTrends: checkList(checkRecord({ month: checkText, count: checkCount, resolved: checkCount })),
  recentReports: checkList(
    checkRecord({
      id: checkUuid,
      title: checkText,
      status: checkExactly(...STATES),
      severity: checkNullable(checkExactly(...SEVERITIES)),
      eventId: checkUuid,
      eventName: checkText,
      createdAt: checkTime,
    }),
  ),
};

/** Every month from the one of a time to the present one, `YYYY-MM`. */
function monthsSince(from: Date): string[] {
  const months: string[] = [];
  const month = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth()));
  for (; month <= NOW; month.setUTCMonth(month.getUTCMonth() + 1)) months.push(monthOf(month));
  return months;
}
const monthOf = (at: Date) => at.toISOString().slice(0, 7);

/** What the chart should show of the reports with these numbers. */
/** `resolved`: the numbers of reports whose resolutions count, each in its month, however old the report is. */
function trends(from: Date, numbers: number[], resolved = numbers) {
  const reports = numbers.map((number) => SEEDS[number - 1] as Seed);
  const ends = resolved
    .map((number) => SEEDS[number - 1] as Seed)
    .map(({ created, resolved: hours }) => hours !== undefined && later(created, hours))
    .flatMap((end) => (end && end >= from ? [monthOf(end)] : []));
  return monthsSince(from).map((month) => ({
    month,
    count: reports.filter(({ created }) => monthOf(created) === month).length,
    resolved: ends.filter((end) => end === month).length,
  }));
}

const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

describe("analytics", () => {
  test.each([
    ["by id", byId(company)],
    ["by slug", bySlug(company)],
  ])("%s have every block, and every number is right", async (_, path) => {
    const body = await analytics("timeRange=all", path);
    expectShape(body, SHAPE);
    expect(body.metrics).toEqual({
      totalReports: 12,
      // 4, 5, 7, 8, 10, 12
      pendingReports: 6,
      // (48 + 240 + 240.2 + 30 + 26 + 3.4) / 6
      avgResolutionTime: 97.9,
      // 4 and 8
      escalatedReports: 2,
      // 0.6, 1, 1, 2, [2], 3, 4, 6, 10
      medianFirstResponse: 2,
      // 3.4, 26, [30, 48], 240, 240.2
      medianResolution: 39,
      // 4, 5, 7, 10: those that still wait for somebody
      unassignedReports: 4,
    });
    expect(body.byStatus).toEqual([
      { status: "submitted", count: 3, percentage: 25 },
      { status: "acknowledged", count: 1, percentage: 8.3 },
      { status: "investigating", count: 2, percentage: 16.7 },
      { status: "resolved", count: 3, percentage: 25 },
      { status: "closed", count: 3, percentage: 25 },
    ]);
    expect(body.bySeverity).toEqual([
      { severity: "low", count: 2, percentage: 16.7 },
      { severity: "medium", count: 3, percentage: 25 },
      { severity: "high", count: 3, percentage: 25 },
      { severity: "critical", count: 2, percentage: 16.7 },
      { severity: "none", count: 2, percentage: 16.7 },
    ]);
    expect(body.byEvent).toEqual([
      { eventId: harbour.id, eventName: "Harbour Days", eventSlug: harbour.slug, count: 8 },
      { eventId: mill.id, eventName: "Mill Weekend", eventSlug: mill.slug, count: 4 },
      { eventId: quiet.id, eventName: "Quiet Corner", eventSlug: quiet.slug, count: 0 },
    ]);
    expect(body.monthlyTrends).toEqual(trends(monthsAgo(14, 1), ALL));
    // Without gaps, and what was resolved in the month of its resolution.
    const far = body.monthlyTrends.slice(0, 10).map(({ count, resolved }: any) => `${count} ${resolved}`);
    expect(far).toEqual(["2 1", "0 1", "0 0", "0 0", "0 0", "1 0", "0 1", "0 0", "0 0", "1 0"]);
    expect(body.monthlyTrends.at(-1).month).toBe(monthOf(NOW));
  });

  test("have the last ten reports, newest first", async () => {
    const { recentReports } = await analytics("timeRange=all");
    expect(recentReports.map(({ title }: any) => title)).toEqual(
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map(titleOf),
    );
    const [row] = await heed.sql("select id from incidents where title = $1", [titleOf(8)]);
    expect(recentReports[4]).toEqual({
      id: row?.id,
      title: titleOf(8),
      status: "investigating",
      severity: "critical",
      eventId: mill.id,
      eventName: "Mill Weekend",
      createdAt: daysAgo(10).toISOString(),
    });
    expect(recentReports[9].severity).toBeNull();
  });

  test("are about the last thirty days when nothing else is said", async () => {
    const body = await analytics();
    expect(body.metrics).toEqual({
      totalReports: 6,
      pendingReports: 4,
      // (26 + 3.4) / 2
      avgResolutionTime: 14.7,
      escalatedReports: 1,
      // 0.6, [1, 2], 10
      medianFirstResponse: 1.5,
      medianResolution: 14.7,
      unassignedReports: 2,
    });
    expect(body.monthlyTrends).toEqual(trends(daysAgo(30), [7, 8, 9, 10, 11, 12], ALL));
    expect(await analytics("timeRange=30d")).toEqual(body);
  });

  test("leave out other organizations, which have numbers of their own", async () => {
    expect((await analytics("timeRange=all")).metrics.totalReports).toBe(12);
    const theirs = await world.as(world.bruno).get(byId(world.foreignOrganization));
    expect([theirs.status, theirs.body.metrics.totalReports]).toEqual([200, 1]);
    for (const person of [admin, viewer]) {
      const reply = await world.as(person).get(byId(world.foreignOrganization));
      expect(summarizeResponse(reply)).toEqual([403, "FORBIDDEN"]);
    }
  });
});

describe("a filter applies to every block", () => {
  type Wanted = {
    metrics: (number | null)[];
    states: number[];
    severities: number[];
    events: Record<string, number>;
    numbers: number[];
  };
  const YEAR = startOfDay(0);
  YEAR.setUTCFullYear(NOW.getUTCFullYear() - 1);

  // total, pending, average, escalated, median first response, median resolution, unassigned
  const CASES: [query: string, from: Date, wanted: Wanted][] = [
    [
      "timeRange=90d",
      startOfDay(90),
      {
        metrics: [8, 5, 19.8, 1, 1.5, 26, 3],
        states: [2, 1, 2, 2, 1],
        severities: [1, 3, 2, 1, 1],
        events: { "Harbour Days": 6, "Mill Weekend": 2, "Quiet Corner": 0 },
        numbers: [5, 6, 7, 8, 9, 10, 11, 12],
      },
    ],
    [
      "timeRange=1y",
      YEAR,
      {
        metrics: [10, 6, 74.9, 2, 2, 28, 4],
        states: [3, 1, 2, 2, 2],
        severities: [1, 3, 2, 2, 2],
        events: { "Harbour Days": 7, "Mill Weekend": 3, "Quiet Corner": 0 },
        numbers: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      },
    ],
    [
      "timeRange=all&status=closed",
      monthsAgo(14, 1),
      {
        // (240 + 240.2 + 26) / 3
        metrics: [3, 0, 168.7, 0, 6, 240, 0],
        states: [0, 0, 0, 0, 3],
        severities: [0, 1, 1, 0, 1],
        events: { "Harbour Days": 3, "Mill Weekend": 0, "Quiet Corner": 0 },
        numbers: [2, 3, 9],
      },
    ],
    [
      "timeRange=all&severity=none",
      monthsAgo(9, 1),
      {
        metrics: [2, 1, 240.2, 0, 6, 240.2, 1],
        states: [1, 0, 0, 0, 1],
        severities: [0, 0, 0, 0, 2],
        events: { "Harbour Days": 2, "Mill Weekend": 0, "Quiet Corner": 0 },
        numbers: [3, 7],
      },
    ],
    [
      `timeRange=90d&eventId=${harbour.id.toUpperCase()}&status=resolved&severity=high`,
      startOfDay(90),
      {
        metrics: [1, 0, 30, 0, 3, 30, 0],
        states: [0, 0, 0, 1, 0],
        severities: [0, 0, 1, 0, 0],
        events: { "Harbour Days": 1 },
        numbers: [6],
      },
    ],
    [
      "status=acknowledged",
      startOfDay(30),
      {
        metrics: [0, 0, null, 0, null, null, 0],
        states: [0, 0, 0, 0, 0],
        severities: [0, 0, 0, 0, 0],
        events: { "Harbour Days": 0, "Mill Weekend": 0, "Quiet Corner": 0 },
        numbers: [],
      },
    ],
  ];

  test.each(CASES)(
    "%s gives the numbers of the matching reports in every block",
    async (query, from, wanted) => {
      const body = await analytics(query);
      expectShape(body, SHAPE);
      const [total, pending, average, escalated, medianFirst, medianResolution, unassigned] = wanted.metrics;
      expect(body.metrics).toEqual({
        totalReports: total,
        pendingReports: pending,
        avgResolutionTime: average,
        escalatedReports: escalated,
        medianFirstResponse: medianFirst,
        medianResolution,
        unassignedReports: unassigned,
      });
      expect(body.byStatus.map(({ status }: any) => status)).toEqual(STATES);
      expect(body.byStatus.map(({ count }: any) => count)).toEqual(wanted.states);
      expect(body.bySeverity.map(({ severity }: any) => severity)).toEqual([...SEVERITIES, "none"]);
      expect(body.bySeverity.map(({ count }: any) => count)).toEqual(wanted.severities);
      for (const { count, percentage } of [...body.byStatus, ...body.bySeverity])
        expect(percentage).toBe(total ? Math.round((count / total) * 1000) / 10 : 0);
      const events = body.byEvent.map(({ eventName, count }: any) => [eventName, count]);
      expect(Object.fromEntries(events)).toEqual(wanted.events);
      expect(body.monthlyTrends).toEqual(trends(from, wanted.numbers));
      expect(body.recentReports.map(({ title }: any) => title)).toEqual(
        wanted.numbers.toReversed().slice(0, 10).map(titleOf),
      );
    },
  );

  test("an event of another organization is not found", async () => {
    const bodies = [];
    for (const id of [foreignEvent.id, world.event.id, UNKNOWN_ID])
      for (const person of [viewer, sam]) {
        const reply = await world.as(person).get(`${byId(company)}?timeRange=all&eventId=${id}`);
        expect(summarizeResponse(reply)).toEqual([404, "NOT_FOUND"]);
        bodies.push(reply.body);
      }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });
});

test("several statuses or severities count together, in numbers and in exports", async () => {
  const states = async (query: string): Promise<{ status: string; count: number }[]> =>
    (await analytics(`timeRange=all&${query}`)).byStatus;
  const whole = await states("");
  const some = await states("status=submitted,closed");
  expect(some.map(({ count }) => count)).toEqual(
    whole.map(({ status, count }) => (status === "submitted" || status === "closed" ? count : 0)),
  );
  const total = async (query: string): Promise<number> =>
    (await analytics(`timeRange=all&${query}`)).metrics.totalReports;
  const severe = await total("severity=high,none");
  expect(severe).toBe((await total("severity=high")) + (await total("severity=none")));
  expect(severe).toBeGreaterThan(0);
});

describe("months", () => {
  test("begin and end at midnight UTC", async () => {
    const own = await world.newOrganization("Midnight");
    const event = await world.newEvent(own, "New Year");
    const first = monthsAgo(2, 1);
    const before = new Date(first.getTime() - 1);
    const lastMoment = (first.getTime() - before.getTime()) / HOUR;
    const at = { event, title: "At the turn of a month", state: "closed" };
    await seed({ ...at, created: before, first: 0, resolved: 0 });
    await seed({ ...at, created: before, first: 0, resolved: lastMoment });
    await seed({ ...at, created: first, first: 0, resolved: 0 });
    await world.join(viewer, own, "org_viewer");
    const { monthlyTrends } = await analytics("timeRange=all", byId(own));
    expect(monthlyTrends).toEqual([
      { month: monthOf(monthsAgo(3, 1)), count: 2, resolved: 1 },
      { month: monthOf(monthsAgo(2, 1)), count: 1, resolved: 2 },
      { month: monthOf(monthsAgo(1, 1)), count: 0, resolved: 0 },
      { month: monthOf(NOW), count: 0, resolved: 0 },
    ]);
  });

  test("are those of the range where there is no report, and none where there is no range", async () => {
    const own = await world.newOrganization("Nothing yet");
    await world.join(viewer, own, "org_viewer");
    const body = await analytics("", byId(own));
    expectShape(body, SHAPE);
    expect(body.metrics).toMatchObject({ totalReports: 0, avgResolutionTime: null });
    expect(body.byEvent).toEqual([]);
    expect(body.monthlyTrends).toEqual(trends(daysAgo(30), []));
    expect((await analytics("timeRange=all", byId(own))).monthlyTrends).toEqual([]);
  });
});

describe("a member without a role in the event", () => {
  test("sees neither content nor reporters", async () => {
    for (const person of [viewer, admin]) {
      const { status, text: all } = await world.as(person).get(`${byId(company)}?timeRange=all`);
      expect(status).toBe(200);
      expect(all).toContain(titleOf(12));
      expect(all).not.toMatch(/zqdescription|zqparties|zqlocation/);
      for (const one of [maya.id, maya.name, maya.email, omar.id, omar.name, omar.email])
        expect(all).not.toContain(one);
    }
  });
});

describe("the summary of events", () => {
  const timesOf = (state: string) => ({
    ...(state !== "submitted" && { first: 1 }),
    ...(["resolved", "closed"].includes(state) && { resolved: 2 }),
  });

  test("counts reports, and the people of each team once who can read them", async () => {
    const own = await world.newOrganization("Summary House");
    const [autumn, winter, idle] = await Promise.all(
      ["Autumn", "Winter", "Idle"].map((name) => world.newEvent(own, name)),
    );
    if (!autumn || !winter || !idle) throw new Error("events");
    await world.join(olga, own, "org_viewer");
    await world.person("Only Reporter", { events: [[autumn, "Reporter"]] });
    await world.person("Both Roles", { events: [[autumn, "Responder", "Admin"]] });
    await world.person("Every Role", { events: [[autumn, "Reporter", "Responder"]] });
    await world.person("Invited Responder", { events: [[autumn, "Responder"]] });
    await heed.sql(
      "update event_roles r set pending = true from users u where u.id = r.user_id and u.name = 'Invited Responder'",
    );
    const disabled = await world.person("Disabled Admin", { events: [[autumn, "Admin"]] });
    await heed.sql("update users set disabled_at = now() where id = $1", [disabled.id]);
    await world.person("Winter Admin", { events: [[winter, "Admin"]] });
    await heed.sql("update events set is_active = false where id = $1", [winter.id]);
    const long = monthsAgo(20, 1);
    for (const state of STATES)
      await seed({ event: autumn, title: "Counted in the summary", state, created: long, ...timesOf(state) });
    await seed({ event: winter, title: "Moved in the summary", state: "submitted", created: NOW });
    await heed.sql(
      "update incidents set state = 'closed', first_response_at = now(), resolved_at = now() where event_id = $1",
      [winter.id],
    );
    await seed({ event: winter, title: "Removed again afterwards", state: "submitted", created: NOW });
    await heed.sql("delete from incidents where event_id = $1 and state = 'submitted'", [winter.id]);

    const { status, body } = await world.as(olga).get(`/api/organizations/${own.id}/events/summary`);
    expect(status).toBe(200);
    const none = { isActive: true, reportCount: 0, openCount: 0, submittedCount: 0, teamSize: 0 };
    const counted = [
      { place: autumn, counts: { ...none, reportCount: 5, openCount: 3, submittedCount: 1, teamSize: 2 } },
      { place: idle, counts: none },
      { place: winter, counts: { ...none, isActive: false, reportCount: 1, teamSize: 1 } },
    ];
    expect(body).toEqual({
      totalEvents: 3,
      activeEvents: 2,
      events: counted.map(({ place: { id, name, slug }, counts }) => ({ id, name, slug, ...counts })),
    });
  });

  test("is empty without events", async () => {
    const own = await world.newOrganization("Bare");
    await world.join(viewer, own, "org_viewer");
    const path = `/api/organizations/${own.id}/events/summary`;
    const { body } = await world.as(viewer).get(path);
    expect(body).toEqual({ totalEvents: 0, activeEvents: 0, events: [] });
  });
});
