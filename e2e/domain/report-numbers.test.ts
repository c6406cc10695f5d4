import { expect, it } from "vitest";
import {
  computePeriodEnd,
  computePeriodStart,
  TIME_RANGE_NAMES,
  type TimeRangeName,
} from "#lib/analytics/period.ts";
import { loadInsights } from "#lib/analytics/insights.ts";
import { loadAnalytics, convertSecondsToHours } from "#lib/analytics/queries.ts";
import type { ReportFilter } from "#lib/analytics/schema.ts";
import type { ReportSelection } from "#lib/analytics/counted-reports-sql.ts";
import { prisma } from "#lib/database/client.ts";
import { SEVERITIES, INCIDENT_STATES, type IncidentState } from "#lib/incidents/schema.ts";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";

const DAY = 24 * 3_600_000;
const NOW = new Date();
const startOf = (timeRange: TimeRangeName) => computePeriodStart({ filter: { timeRange }, now: NOW });

/** Always the same numbers from 0 to 1. */
let drawn = 7;
const draw = () => (drawn = (drawn * 16_807) % 2_147_483_647) / 2_147_483_647;
const one = <T>(of: readonly T[]): T => of[Math.floor(draw() * of.length)] as T;

const workflowFields = (state: IncidentState, createdAt: Date) => {
  const firstResponseAt =
    state === "submitted" ? null : new Date(createdAt.getTime() + Math.floor(draw() * DAY));
  const isOver = state === "resolved" || state === "closed";
  return {
    state,
    firstResponseAt,
    resolvedAt: isOver ? new Date(createdAt.getTime() + Math.floor(draw() * 40 * DAY)) : null,
  };
};

/** Some lie around the edges of days, months and ranges. */
function someTime(): Date {
  // Some at the very same moment.
  if (draw() < 0.2) return new Date(NOW.getTime() - 40 * DAY);
  const edges = (["30d", "90d", "1y"] as const).map(startOf) as Date[];
  if (draw() < 0.2) return new Date(one(edges).getTime() + Math.floor((draw() - 0.5) * 2 * DAY));
  const at = new Date(NOW.getTime() - Math.floor(draw() * 500 * DAY));
  if (draw() < 0.2) at.setUTCHours(0, 0, 0, 0);
  return at;
}

const AT_ONCE = 40;

/** Does the work for all, many at once: with more of them, the last would wait too long for a database connection. */
async function doForAll<One, Done>(all: readonly One[], work: (one: One) => Promise<Done>): Promise<Done[]> {
  const done: Done[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map((one) => work(one)))));
  return done;
}

type World = Awaited<ReturnType<typeof aWorld>>;

async function aWorld(reports: number) {
  const organization = await createOrganization();
  const events = [await createEvent(organization.id), await createEvent(organization.id, "Another")];
  const elsewhere = await createEvent((await createOrganization()).id);
  const team = await createUser();
  const make = (eventId: string) => {
    const createdAt = someTime();
    return createIncident({
      eventId,
      createdAt,
      severity: one([...SEVERITIES, null]),
      ...workflowFields(one(INCIDENT_STATES), createdAt),
      assignedResponderId: draw() < 0.5 ? team.id : null,
      escalatedAt: draw() < 0.2 ? createdAt : null,
    });
  };
  const made = await doForAll(Array.from({ length: reports }), () => make(one([...events, elsewhere]).id));
  return { organization, events, team, made, make };
}

/** Each of them something else, many at once. */
async function shake({ made, team, events }: World): Promise<void> {
  await doForAll(made, async ({ id, createdAt }) => {
    const changes = [
      { severity: one([...SEVERITIES, null]) },
      { assignedResponderId: draw() < 0.5 ? team.id : null },
      { escalatedAt: NOW },
      { title: "Another title for it" },
      workflowFields(one(INCIDENT_STATES), createdAt),
      { eventId: one(events).id },
    ];
    await prisma.incident.update({ where: { id }, data: one(changes) });
  });
}

/** All reports of the organization, read once for all filters. */
const loadReports = ({ organization }: World) =>
  prisma.incident.findMany({
    where: { event: { organizationId: organization.id } },
    select: {
      eventId: true,
      state: true,
      severity: true,
      createdAt: true,
      firstResponseAt: true,
      resolvedAt: true,
      escalatedAt: true,
      assignedResponderId: true,
    },
  });

type Report = Awaited<ReturnType<typeof loadReports>>[number];

/** The reports of a filter, of whatever time. */
const matching = (all: readonly Report[], { eventId, status, severity }: ReportFilter): Report[] =>
  all.filter(
    (report) =>
      (!eventId || report.eventId === eventId) &&
      (!status || status.includes(report.state)) &&
      (!severity || severity.includes(report.severity ?? "none")),
  );

/** The numbers from the reports themselves. */
function counted({ events }: World, all: readonly Report[], filter: ReportFilter) {
  const isInPeriod = (at: Date) =>
    at >= (computePeriodStart({ filter, now: NOW }) ?? new Date(0)) &&
    at < (computePeriodEnd({ filter, now: NOW }) ?? new Date(8e15));
  const ofAnyTime = matching(all, filter);
  const reports = ofAnyTime.filter(({ createdAt }) => isInPeriod(createdAt));
  const over = reports.filter(({ resolvedAt }) => resolvedAt !== null);
  const took = (end: "resolvedAt" | "firstResponseAt") =>
    reports.flatMap((report) => (report[end] ? [report[end].getTime() - report.createdAt.getTime()] : []));
  const resolutions = took("resolvedAt");
  const mean = resolutions.reduce((sum, ms) => sum + ms, 0) / resolutions.length;
  return {
    metrics: {
      totalReports: reports.length,
      pendingReports: reports.length - over.length,
      avgResolutionTime: resolutions.length > 0 ? convertSecondsToHours(mean / 1000) : null,
      escalatedReports: reports.filter(({ escalatedAt }) => escalatedAt).length,
      medianFirstResponse: convertSecondsToHours(median(took("firstResponseAt"))),
      medianResolution: convertSecondsToHours(median(resolutions)),
      unassignedReports: reports.filter((r) => !r.resolvedAt && !r.assignedResponderId).length,
    },
    states: INCIDENT_STATES.map((state) => reports.filter((report) => report.state === state).length),
    severities: [...SEVERITIES, null].map(
      (severity) => reports.filter((r) => r.severity === severity).length,
    ),
    events: Object.fromEntries(
      events
        .filter(({ id }) => !filter.eventId || id === filter.eventId)
        .map(({ id }) => [id, reports.filter(({ eventId }) => eventId === id).length]),
    ),
    made: byMonth(
      reports.map(({ createdAt }) => createdAt),
      lastMonthOf(filter),
    ),
    // Each resolution counts in its month, also of a report from before the period.
    resolved: byMonth(
      ofAnyTime.flatMap(({ resolvedAt }) => (resolvedAt && isInPeriod(resolvedAt) ? [resolvedAt] : [])),
      lastMonthOf(filter),
    ),
  };
}

function median(ms: number[]): number | null {
  const sorted = ms.toSorted((a, b) => a - b);
  const [lower, upper] = [sorted[Math.ceil(ms.length / 2) - 1], sorted[Math.floor(ms.length / 2)]];
  return lower === undefined || upper === undefined ? null : (lower + upper) / 2000;
}

/** The chart ends with the last month of the period. */
const lastMonthOf = ({ to }: ReportFilter) => (to ?? NOW.toISOString()).slice(0, 7);

function byMonth(times: Date[], last: string): Record<string, number> {
  const months: Record<string, number> = {};
  for (const at of times) {
    const month = at.toISOString().slice(0, 7);
    if (month <= last) months[month] = (months[month] ?? 0) + 1;
  }
  return months;
}

async function shown({ organization }: World, filter: ReportFilter) {
  const found = await loadAnalytics({ organizationId: organization.id, filter, now: NOW, reader: null });
  const present = lastMonthOf(filter);
  const months = (name: "count" | "resolved") =>
    Object.fromEntries(
      found.monthlyTrends.filter((m) => m[name] > 0 && m.month <= present).map((m) => [m.month, m[name]]),
    );
  return {
    metrics: found.metrics,
    states: found.byStatus.map(({ count }) => count),
    severities: found.bySeverity.map(({ count }) => count),
    events: Object.fromEntries(found.byEvent.map(({ eventId, count }) => [eventId, count])),
    made: months("count"),
    resolved: months("resolved"),
  };
}

const dayAgo = (days: number) => new Date(NOW.getTime() - days * DAY).toISOString().slice(0, 10);

/** Time ranges, and days: within a month, over several months, without a first or a last one. */
const PERIODS = [
  ...TIME_RANGE_NAMES.map((timeRange) => ({ timeRange })),
  { timeRange: "30d", from: dayAgo(47), to: dayAgo(40) },
  { timeRange: "30d", from: dayAgo(290), to: dayAgo(33) },
  { timeRange: "30d", to: dayAgo(90) },
  { timeRange: "30d", from: dayAgo(75) },
] as const;

const filtersOf = ({ events }: World): ReportFilter[] =>
  PERIODS.flatMap((period) => [
    period,
    { ...period, eventId: events[0]?.id },
    { ...period, status: ["closed" as const] },
    { ...period, status: ["submitted" as const, "closed" as const] },
    { ...period, severity: ["high" as const], eventId: events[1]?.id },
    { ...period, severity: ["none" as const] },
    { ...period, severity: ["none" as const, "high" as const] },
  ]);

/** The backlog, counted report by report: what was open at the end of each day or month, whenever it came in. */
function countedBacklog(all: readonly Report[], filter: ReportFilter, ends: readonly Date[]): number[] {
  const reports = matching(all, filter);
  return ends.map(
    (end) =>
      reports.filter(({ createdAt, resolvedAt }) => createdAt < end && (!resolvedAt || resolvedAt >= end))
        .length,
  );
}

/** The moment at which a day, month or year ends. */
function endOf(at: string): Date {
  const [year = 0, month = 12, day] = at.split("-").map(Number);
  return day ? new Date(Date.UTC(year, month - 1, day + 1)) : new Date(Date.UTC(year, month, 1));
}

async function expectSameBacklog(world: World): Promise<void> {
  const all = await loadReports(world);
  for (const filter of filtersOf(world)) {
    const selection = { organizationId: world.organization.id, filter, now: NOW, reader: null };
    const { points, openBefore } = await loadInsights(selection, false);
    const start = computePeriodStart(selection);
    // The first day of a period of months lies within its first month, and so does the last one.
    const last = computePeriodEnd(selection);
    const ends = points.map(({ at }) => endOf(at)).map((end) => (last && end > last ? last : end));
    const label = JSON.stringify(filter);
    expect(
      points.map(({ open }) => open),
      label,
    ).toEqual(countedBacklog(all, filter, ends));
    expect([openBefore], label).toEqual(start ? countedBacklog(all, filter, [start]) : [0]);
  }
}

async function expectSame(world: World): Promise<void> {
  const all = await loadReports(world);
  for (const filter of filtersOf(world))
    expect(await shown(world, filter), JSON.stringify(filter)).toEqual(counted(world, all, filter));
}

it("counts the backlog of every period from all reports, whenever they came in", async () => {
  await expectSameBacklog(await aWorld(300));
}, 180_000);

it("returns the numbers of the reports, before and after any change", async () => {
  const world = await aWorld(400);
  await expectSame(world);
  await shake(world);
  await prisma.incident.deleteMany({ where: { id: { in: world.made.slice(0, 60).map(({ id }) => id) } } });
  await expectSame(world);
}, 180_000);

const ofSeverities = async (selection: ReportSelection) =>
  (await loadAnalytics(selection)).bySeverity
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => [severity, count]);

/** Two reports of an event: one just before and one at the midnight with which a range begins. */
async function aroundTheStart() {
  const organization = await createOrganization();
  const { id: eventId } = await createEvent(organization.id);
  const since = Math.floor((NOW.getTime() - 30 * DAY) / DAY) * DAY;
  await createIncident({ eventId, createdAt: new Date(since - 1), severity: "low" });
  await createIncident({ eventId, createdAt: new Date(since), severity: "high" });
  const filter: ReportFilter = { timeRange: "30d" };
  return { eventId, selection: { organizationId: organization.id, filter, now: NOW, reader: null } };
}

it.each(["organization", "event"])("counts whole days of an %s, from midnight to midnight", async (scope) => {
  const { eventId, selection } = await aroundTheStart();
  if (scope === "event") selection.filter.eventId = eventId;
  const at = (hour: number, minute: number) => {
    const now = new Date(NOW);
    now.setUTCHours(hour, minute, 0, 0);
    return ofSeverities({ ...selection, now });
  };
  expect(await at(0, 0)).toEqual([["high", 1]]);
  expect(await at(23, 59)).toEqual([["high", 1]]);
  expect(await at(24, 0)).toEqual([]);
  expect(await at(-1, 0)).toEqual([
    ["low", 1],
    ["high", 1],
  ]);
});

it("knows nothing of another organization's event", async () => {
  const { eventId, selection } = await aroundTheStart();
  const foreign = { ...selection, organizationId: (await createOrganization()).id };
  foreign.filter = { ...selection.filter, eventId };
  await expect(loadAnalytics(foreign)).rejects.toMatchObject({ code: "NOT_FOUND" });
});
