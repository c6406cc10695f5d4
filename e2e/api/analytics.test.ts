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

/** Analytics (contract 10.1). e2e/domain/report-numbers.test.ts has every filter, period and month. */

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
const monthOf = (at: Date) => at.toISOString().slice(0, 7);
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

// Oldest first. Ten days after the 28th is the month after, whatever the month.
const SEEDS: Omit<Seed, "title">[] = [
  { event: harbour, state: "closed", severity: "high", created: monthsAgo(14, 28), first: 2, resolved: 240 },
  { event: harbour, state: "acknowledged", severity: "medium", created: startOfDay(90), first: 1 },
  // An hour too old for thirty days, and at their first moment.
  {
    event: harbour,
    state: "resolved",
    severity: "high",
    created: later(startOfDay(30), -1),
    first: 3,
    resolved: 30,
  },
  { event: mill, state: "submitted", severity: "critical", created: startOfDay(30), escalated: true },
  { event: harbour, state: "closed", created: daysAgo(5), first: 10, resolved: 26 },
  { event: mill, state: "investigating", severity: "low", created: daysAgo(1), first: 1, assigned: true },
];
const titleOf = (number: number) => `Report number ${number} of six`;
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

describe("analytics", () => {
  test.each([
    ["by id", byId(company)],
    ["by slug", bySlug(company)],
  ])("%s have every block, and every number is right", async (_, path) => {
    const body = await analytics("timeRange=all", path);
    expectShape(body, SHAPE);
    expect(body.metrics).toEqual({
      totalReports: 6,
      // 2, 4 and 6
      pendingReports: 3,
      // (240 + 30 + 26) / 3
      avgResolutionTime: 98.7,
      escalatedReports: 1,
      // 1, 1, 2, 3, 10
      medianFirstResponse: 2,
      medianResolution: 30,
      // 2 and 4
      unassignedReports: 2,
    });
    const [one, two] = [
      { count: 1, percentage: 16.7 },
      { count: 2, percentage: 33.3 },
    ];
    expect(body.byStatus).toEqual([
      { status: "submitted", ...one },
      { status: "acknowledged", ...one },
      { status: "investigating", ...one },
      { status: "resolved", ...one },
      { status: "closed", ...two },
    ]);
    expect(body.bySeverity).toEqual([
      { severity: "low", ...one },
      { severity: "medium", ...one },
      { severity: "high", ...two },
      { severity: "critical", ...one },
      { severity: "none", ...one },
    ]);
    expect(body.byEvent).toEqual([
      { eventId: harbour.id, eventName: "Harbour Days", eventSlug: harbour.slug, count: 4 },
      { eventId: mill.id, eventName: "Mill Weekend", eventSlug: mill.slug, count: 2 },
      { eventId: quiet.id, eventName: "Quiet Corner", eventSlug: quiet.slug, count: 0 },
    ]);
    // Without gaps, and what was resolved in the month of its resolution.
    expect(body.monthlyTrends).toHaveLength(15);
    expect(body.monthlyTrends.slice(0, 3)).toEqual([
      { month: monthOf(monthsAgo(14, 1)), count: 1, resolved: 0 },
      { month: monthOf(monthsAgo(13, 1)), count: 0, resolved: 1 },
      { month: monthOf(monthsAgo(12, 1)), count: 0, resolved: 0 },
    ]);
    expect(body.monthlyTrends.at(-1).month).toBe(monthOf(NOW));
    expect(body.recentReports.map(({ title }: any) => title)).toEqual([6, 5, 4, 3, 2, 1].map(titleOf));
    const [row] = await heed.sql("select id from incidents where title = $1", [titleOf(6)]);
    expect(body.recentReports[0]).toEqual({
      id: row?.id,
      title: titleOf(6),
      status: "investigating",
      severity: "low",
      eventId: mill.id,
      eventName: "Mill Weekend",
      createdAt: daysAgo(1).toISOString(),
    });
  });

  test("are about the last thirty days when nothing else is said", async () => {
    const body = await analytics();
    expect(body.metrics).toEqual({
      totalReports: 3,
      pendingReports: 2,
      avgResolutionTime: 26,
      escalatedReports: 1,
      medianFirstResponse: 5.5,
      medianResolution: 26,
      unassignedReports: 1,
    });
    expect(body.monthlyTrends[0].month).toBe(monthOf(startOfDay(30)));
    expect(await analytics("timeRange=30d")).toEqual(body);
  });

  test("apply a filter to every block", async () => {
    const filter = `eventId=${harbour.id.toUpperCase()}&status=resolved,closed&severity=high`;
    const body = await analytics(`timeRange=90d&${filter}`);
    expect(body.metrics).toMatchObject({ totalReports: 1, pendingReports: 0, medianResolution: 30 });
    expect(body.byStatus.map(({ count, percentage }: any) => [count, percentage])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 100],
      [0, 0],
    ]);
    expect(body.bySeverity.map(({ count }: any) => count)).toEqual([0, 0, 1, 0, 0]);
    expect(body.byEvent).toMatchObject([{ eventId: harbour.id, count: 1 }]);
    expect(body.recentReports.map(({ title }: any) => title)).toEqual([titleOf(3)]);
  });

  test("leave out other organizations, which have numbers of their own", async () => {
    const theirs = await world.as(world.bruno).get(byId(world.foreignOrganization));
    expect([theirs.status, theirs.body.metrics.totalReports]).toEqual([200, 1]);
    const bodies = [];
    for (const id of [foreignEvent.id, world.event.id, UNKNOWN_ID])
      for (const person of [viewer, sam]) {
        const reply = await world.as(person).get(`${byId(company)}?timeRange=all&eventId=${id}`);
        expect(summarizeResponse(reply)).toEqual([404, "NOT_FOUND"]);
        bodies.push(reply.body);
      }
    for (const body of bodies) expect(body).toEqual(bodies[0]);
  });

  test("have the last ten reports, and neither months nor events where there are none", async () => {
    const own = await world.newOrganization("Nothing yet");
    await world.join(viewer, own, "org_viewer");
    const empty = await analytics("timeRange=all", byId(own));
    expectShape(empty, SHAPE);
    expect(empty.metrics).toMatchObject({ totalReports: 0, avgResolutionTime: null });
    expect([empty.byEvent, empty.monthlyTrends, empty.recentReports]).toEqual([[], [], []]);
    const event = await world.newEvent(own, "Many Days");
    await heed.sql(
      `insert into incidents (event_id, title, description, created_at)
       select $1, 'Report ' || n || ' of many', 'What happened.', now() - n * interval '1 hour' from generate_series(1, 11) n`,
      [event.id],
    );
    const { recentReports } = await analytics("", byId(own));
    const newest = Array.from({ length: 10 }, (_, index) => `Report ${index + 1} of many`);
    expect(recentReports.map(({ title }: any) => title)).toEqual(newest);
  });
});

describe("a member without a role in the event", () => {
  test("sees neither content nor reporters", async () => {
    for (const person of [viewer, admin]) {
      const { status, text: all } = await world.as(person).get(`${byId(company)}?timeRange=all`);
      expect(status).toBe(200);
      expect(all).toContain(titleOf(6));
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
