import { sql, queryWithCustomPlan } from "#lib/database/client.ts";
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
import {
  andEventFilterSql,
  andIncidentConditionsSql,
  dayStartSql,
  fromReportFactsSql,
  isInPeriodSql,
  secondsUntilSql,
  type ReportSelection,
} from "./counted-reports-sql.ts";
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
export async function loadAnalytics(selection: ReportSelection): Promise<Analytics> {
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

/**
 * Builds the statement that counts everything that analytics shows from the rows of reports, read once, and so at one
 * point in time.
 */
const selectAnalyticsCountsSql = (selection: ReportSelection): Prisma.Sql => Prisma.sql`
    with facts as materialized (${selectFactsSql(selection)}), reports as not materialized (select * from facts where created),
    cells as (
      select state, coalesce(severity::text, 'none') as severity, reports, escalated, unassigned from (
        select state, severity, count(*)::int as reports, (count(*) filter (where escalated))::int as escalated,
          (count(*) filter (where resolution is null and not assigned))::int as unassigned
        from reports group by 1, 2
      ) counted
    ), months as (
      select to_char(day at time zone 'UTC', 'YYYY-MM') as month, sum(n)::int as reports
      from (select day, count(*) as n from reports group by 1) days group by 1
    ), resolutions as (
      select to_char(day at time zone 'UTC', 'YYYY-MM') as month, sum(n)::int as resolved
      from (select resolved_day as day, count(*) as n from facts where resolved_day is not null group by 1) days group by 1
    ), of_events as (
      select event_id, count(*)::int as n from reports group by 1
    ), times as (
      select avg(resolution) as "meanResolution", percentile_cont(0.5) within group (order by resolution) as "medianResolution",
        percentile_cont(0.5) within group (order by first_response) as "medianFirstResponse"
      from reports
    ), recent as (${recentReportsSql(selection)})
    select times.*,
      (select coalesce(json_agg(cells), '[]') from cells) as cells,
      (select coalesce(json_agg(months), '[]') from months) as months,
      (select coalesce(json_agg(resolutions), '[]') from resolutions) as resolutions,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'eventName', e.name, 'eventSlug', e.slug,
        'count', coalesce(c.n, 0)) order by coalesce(c.n, 0) desc, e.name collate title_order, e.id), '[]')
        from events e left join of_events c on c.event_id = e.id
        where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}) as events,
      (select coalesce(json_agg(json_build_object('id', id, 'title', title, 'status', state, 'severity', severity,
        'eventId', event_id, 'eventName', name, 'createdAt', created_at) order by created_at desc, id desc), '[]')
        from recent) as recent
    from times`;

/** Selects the reports that were created in the period, and with them those that were resolved in it. */
function selectFactsSql(selection: ReportSelection): Prisma.Sql {
  const created = isInPeriodSql(selection, "created_at");
  const resolved = isInPeriodSql(selection, "resolved_at");
  return Prisma.sql`
    select i.event_id, i.state, i.severity, i.escalated, i.assigned, ${dayStartSql(Prisma.sql`i.created_at`)} as day,
      ${secondsUntilSql("first_response_at")} as first_response, ${secondsUntilSql("resolved_at")} as resolution,
      case when ${resolved} then ${dayStartSql(Prisma.sql`i.resolved_at`)} end as resolved_day, ${created} as created
    ${fromReportFactsSql(selection)} and (${created} or ${resolved})`;
}

/** Selects the newest ten reports whose titles the reader may read. */
const recentReportsSql = (selection: ReportSelection): Prisma.Sql => Prisma.sql`
    select i.id, i.title, i.state, i.severity, i.event_id, e.name, i.created_at
    from incidents i join events e on e.id = i.event_id
    where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}
      and ${isReadableSql(selection.reader)} ${andIncidentConditionsSql(selection)}
    order by i.created_at desc, i.id desc limit 10`;
