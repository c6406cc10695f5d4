import { prisma, sql, queryWithCustomPlan } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  SEVERITIES_AND_NONE,
  INCIDENT_STATES,
  OPEN_STATES,
  type Severity,
  type IncidentState,
} from "#lib/incidents/schema.ts";
import { fillMonthGaps, type MonthReportCounts } from "./period.ts";
import type { Analytics, EventsSummary } from "./schema.ts";
import { andIncidentConditionsSql, type ConductReportSelection } from "./filter-sql.ts";
import { selectAnalyticsCountsSql } from "./counts-sql.ts";
import { countedIncidentCountsSql, isReadableSql, type Reader } from "#lib/access/readers-sql.ts";
import { sumStateCountsSql, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { isEventRoleUsableSql } from "#lib/access/team-sql.ts";

/** The number of reports with one status and severity; an unset severity is "none". */
type Cell = {
  state: IncidentState;
  severity: Severity | "none";
  reports: number;
  escalated: number;
  unassigned: number;
};

/** What `selectAnalyticsCountsSql` returns. Durations are in seconds, null if no report has one. */
type AnalyticsCounts = {
  cells: Cell[];
  meanResolution: number | null;
  medianResolution: number | null;
  medianFirstResponse: number | null;
  months: { month: string; reports: number }[];
  /** Reports that were resolved in the month, whenever they were created. */
  resolutions: { month: string; resolved: number }[];
  events: Analytics["byEvent"];
  recent: (Omit<Analytics["recentReports"][number], "createdAt"> & { createdAt: string })[];
};

/**
 * Returns everything that analytics shows, read by the database at one point in time. Times in hours with one decimal.
 * The `resolved` of a month counts the reports of the selection that were resolved in it. Lists events without matching
 * reports with 0. Nothing here shows who reported what.
 * @throws AppError NOT_FOUND when the filter names an event that isn't the organization's
 */
export async function loadAnalytics(selection: ConductReportSelection): Promise<Analytics> {
  const [row] = await queryWithCustomPlan<AnalyticsCounts>(selectAnalyticsCountsSql(selection));
  const counts = row as AnalyticsCounts;
  if (selection.filter.eventId && counts.events.length === 0) throw createNotFoundError("event");
  const { cells } = counts;
  const total = sum(cells, "reports");
  const share = (some: Cell[]) => {
    const count = sum(some, "reports");
    return { count, percentage: total ? Math.round((1000 * count) / total) / 10 : 0 };
  };
  return {
    metrics: {
      totalReports: total,
      pendingReports: sum(
        cells.filter(({ state }) => OPEN_STATES.some((open) => open === state)),
        "reports",
      ),
      avgResolutionTime: convertSecondsToHours(counts.meanResolution),
      escalatedReports: sum(cells, "escalated"),
      medianFirstResponse: convertSecondsToHours(counts.medianFirstResponse),
      medianResolution: convertSecondsToHours(counts.medianResolution),
      unassignedReports: sum(cells, "unassigned"),
    },
    byStatus: INCIDENT_STATES.map((status) => ({
      status,
      ...share(cells.filter(({ state }) => state === status)),
    })),
    bySeverity: SEVERITIES_AND_NONE.map((severity) => ({
      severity,
      ...share(cells.filter((cell) => cell.severity === severity)),
    })),
    byEvent: counts.events,
    monthlyTrends: fillMonthGaps(mergeMonths(counts), selection),
    recentReports: counts.recent.map((report) => ({ ...report, createdAt: new Date(report.createdAt) })),
  };
}

const sum = (cells: Cell[], count: "reports" | "escalated" | "unassigned") =>
  cells.reduce((total, cell) => total + cell[count], 0);

/** The months in which a report was created or resolved. */
function mergeMonths({ months, resolutions }: AnalyticsCounts): MonthReportCounts[] {
  const names = new Set([...months, ...resolutions].map(({ month }) => month));
  return [...names].map((month) => ({
    month,
    count: months.find((one) => one.month === month)?.reports ?? 0,
    resolved: resolutions.find((one) => one.month === month)?.resolved ?? 0,
  }));
}

/** Converts seconds to hours with one decimal. */
export const convertSecondsToHours = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds / 360) / 10;

/**
 * Returns the names for the header of an export. `event` is null without a filter by event. @throws AppError NOT_FOUND
 */
export async function loadOrganizationAndEventNames({
  organizationId,
  filter,
}: ConductReportSelection): Promise<{ organization: string; event: string | null }> {
  const [found] = await sql.$queryRaw<{ organization: string; event: string | null }[]>`
    select o.name as organization, e.name as event from organizations o
    left join events e on e.organization_id = o.id and e.id = ${filter.eventId ?? null}::uuid
    where o.id = ${organizationId}::uuid`;
  if (!found) throw createNotFoundError("organization");
  if (filter.eventId && found.event === null) throw createNotFoundError("event");
  return found;
}

/**
 * A report as exports list it: no description, no parties, no reporter (contract 10.1). The database formats times the
 * way responses show them, which is much cheaper than creating a hundred thousand Dates.
 */
export type ExportedReportRow = {
  id: string;
  title: string;
  state: IncidentState;
  severity: Severity | null;
  event: string;
  eventSlug: string;
  /** The event's time zone; null when it has none. */
  timeZone: string | null;
  assignedTo: string | null;
  createdAt: string;
  firstResponseAt: string | null;
  resolvedAt: string | null;
};

export const isoTimeSql = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Returns the events whose reports a selection includes. */
export function listSelectedEvents({
  organizationId,
  filter,
}: ConductReportSelection): Promise<{ id: string; timeZone: string | null }[]> {
  const where = { organizationId, ...(filter.eventId && { id: filter.eventId }) };
  return prisma.event.findMany({ where, select: { id: true, timeZone: true } });
}

type NextReportExportBatch = {
  events: readonly string[];
  last: ExportedReportRow | undefined;
  count: number;
};

/**
 * Returns the next reports of these events after `last`, newest first, at most `count`. Memory stays constant, and
 * every batch takes the same time: a plan made for these events continues in the index where the last batch ended,
 * whereas a generic plan would read and sort all remaining reports each time.
 */
export async function listNextReportExportBatch(
  selection: ConductReportSelection,
  { events, last, count }: NextReportExportBatch,
): Promise<ExportedReportRow[]> {
  const after = last
    ? Prisma.sql`and (i.created_at, i.id) < (${last.createdAt}::timestamptz, ${last.id}::uuid)`
    : Prisma.empty;
  return queryWithCustomPlan<ExportedReportRow>(Prisma.sql`
    select r.id, r.title, r.state, r.severity, e.name as event, e.slug as "eventSlug", e.time_zone as "timeZone", u.name as "assignedTo",
      ${isoTimeSql(Prisma.sql`r.created_at`)} as "createdAt",
      ${isoTimeSql(Prisma.sql`r.first_response_at`)} as "firstResponseAt",
      ${isoTimeSql(Prisma.sql`r.resolved_at`)} as "resolvedAt"
    from (
      select i.id, i.title, i.state, i.severity, i.created_at, i.first_response_at, i.resolved_at,
        i.assigned_responder_id, i.event_id
      from incidents i where i.event_id = any(${[...events]}::uuid[]) ${andIncidentConditionsSql(selection)} and ${isReadableSql(selection.reader)} ${after}
      order by i.created_at desc, i.id desc limit ${count}::int
    ) r join events e on e.id = r.event_id left join users u on u.id = r.assigned_responder_id
    order by r.created_at desc, r.id desc`);
}

/**
 * Lists the events of an organization by name, with the number of people on their teams who can read reports now, and
 * the counts of their reports. Counts come from stored counters, not from counting rows; deleted reports count as well.
 */
export async function listEventsWithReportCounts(
  organizationId: string,
  reader: Reader,
): Promise<EventsSummary> {
  const events = await sql.$queryRaw<EventsSummary["events"]>`
    select e.id, e.name, e.slug, e.is_active as "isActive",
      (coalesce(c.reports, 0) + (select count(*) from report_tombstones t where t.event_id = e.id))::int as "reportCount", coalesce(c.open, 0)::int as "openCount",
      coalesce(c.submitted, 0)::int as "submittedCount",
      (select count(distinct user_id)::int from event_roles r
        where r.event_id = e.id and r.role_name in ${TEAM_ROLES_SQL} and ${isEventRoleUsableSql()}) as "teamSize"
    from events e cross join lateral (
      select sum(${sumStateCountsSql("n", INCIDENT_STATES)}) as reports,
        sum(${sumStateCountsSql("n", OPEN_STATES)}) as open, sum(n.submitted) as submitted
      from ${countedIncidentCountsSql(reader)} n where n.event_id = e.id
    ) c
    where e.organization_id = ${organizationId}::uuid
    order by e.name collate title_order, e.id`;
  return {
    totalEvents: events.length,
    activeEvents: events.filter((event) => event.isActive).length,
    events,
  };
}
