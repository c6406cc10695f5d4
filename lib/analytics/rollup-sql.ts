import { isReaderNowSql } from "#lib/access/hidden-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { SEVERITIES_AND_NONE, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { selectResolutionsByMonthSql } from "./backlog-sql.ts";
import { incidentReadableConditionSql } from "#lib/access/visibility-sql.ts";
import {
  computePeriodEnd,
  isCustomPeriod,
  computePeriodDayAndMonthBounds,
  computePeriodStart,
  type PeriodDayAndMonthBounds,
} from "./period.ts";
import {
  REPORTS_AND_TOMBSTONES_SQL,
  andCreatedBetweenSql,
  andIncidentConditionsSql,
  andEventFilterSql,
  andStatusAndSeverityConditionsSql,
  reportSeverityConditionSql,
  reportStateConditionSql,
  type ConductReportSelection,
} from "./filter-sql.ts";

/** Durations that are measured from the creation of the report. */
export type ReportDurationName = "first_response" | "resolution";

/**
 * Builds the statement that reads all aggregates: those of whole days and months, and the changes that aren't rolled up
 * yet, which are counted individually.
 */
export function selectReportAggregatesSql(selection: ConductReportSelection): Prisma.Sql {
  const bounds = computePeriodDayAndMonthBounds(selection);
  const wholePeriods = wholePeriodsSql(bounds);
  const scope = scopeSql(selection);
  return Prisma.sql`
    with changes as materialized (${changesSql(selection)}), aggregates as materialized (
      select t.state, t.severity, t.start, t.reports, t.escalated, t.unassigned, t.resolved, t.resolution_ms
      from report_aggregates t where ${scope} and ${statusAndSeveritiesSql(selection)} and ${wholePeriods}
    ), parts as (
      select state, severity, reports, escalated, unassigned, resolved, resolution_ms from aggregates
      union all
      select state::text, coalesce(severity::text, 'none'), sum(weight), coalesce(sum(weight) filter (where escalated), 0),
        coalesce(sum(weight) filter (where resolved_at is null and not assigned), 0),
        coalesce(sum(weight) filter (where resolved_at is not null), 0), coalesce(sum(weight * round(resolution * 1000)), 0)
      from changes group by state, severity
    ), cells as (
      select state, severity, sum(reports)::int as reports, sum(escalated)::int as escalated, sum(unassigned)::int as unassigned,
        sum(resolved)::int as resolved, sum(resolution_ms)::float8 as "resolutionMs"
      from parts group by 1, 2
    ), months as (${MONTHS_SQL}), histograms as (
      select t.measure, t."values"::text, t.counts::text from report_histograms t where ${scope} and t.measure <> 'resolved' and ${combinedSql(selection)}
        and ${isUnfiltered(selection) ? ALL_TIME : wholePeriods}
      union all ${singleValuesSql(selection, bounds)}
    ), of_events as (
      select event_id, sum(reports) as n from (${eventAggregatesSql(selection, wholePeriods)}
        union all select event_id, weight from changes) one group by 1
    ), resolutions as (${selectResolutionsByMonthSql(selection)}), recent as (${recentReportsSql(selection)})
    select
      (select coalesce(json_agg(cells), '[]') from cells) as cells,
      (select coalesce(json_agg(months), '[]') from months) as months,
      (select coalesce(json_agg(resolutions), '[]') from resolutions) as resolutions,
      (select coalesce(json_agg(histograms), '[]') from histograms) as histograms,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'eventName', e.name, 'eventSlug', e.slug,
        'count', coalesce(c.n, 0)) order by coalesce(c.n, 0) desc, e.name collate title_order, e.id), '[]')
        from events e left join of_events c on c.event_id = e.id
        where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}) as events,
      (select coalesce(json_agg(json_build_object('id', id, 'title', title, 'status', state, 'severity', severity,
        'eventId', event_id, 'eventName', name, 'createdAt', created_at) order by created_at desc, id desc), '[]')
        from recent) as recent`;
}

/** Matches the rows of the organization or event. An event of another organization has none. */
const scopeSql = (selection: ConductReportSelection): Prisma.Sql =>
  selection.filter.eventId
    ? Prisma.sql`t.scope_id = (select e.id from events e where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)})`
    : Prisma.sql`t.scope_id = ${selection.organizationId}::uuid`;

const MONTHS_SQL = Prisma.sql`
  select month, sum(reports)::int as reports from (
    select to_char(start, 'YYYY-MM') as month, sum(reports) as reports from aggregates group by start
    union all select to_char(month, 'YYYY-MM'), n from (
      select date_trunc('month', created_at at time zone 'UTC') as month, sum(weight) as n from changes group by 1) s
  ) m group by 1`;

/** Without filters, an organization's whole history is one histogram row per measure. */
const isUnfiltered = ({ filter }: ConductReportSelection): boolean =>
  filter.timeRange === "all" &&
  !isCustomPeriod(filter) &&
  !filter.eventId &&
  !filter.status &&
  !filter.severity;

const ALL_TIME = Prisma.sql`t.period = 'all'`;

/** Whole days up to the first whole month, whole months from there, and whole days after the last of them. */
function wholePeriodsSql({ firstDay, firstMonth, endMonth, endDay }: PeriodDayAndMonthBounds): Prisma.Sql {
  const [from, to] = [firstMonth ?? "-infinity", endMonth ?? "infinity"];
  return Prisma.sql`((t.period = 'month' and t.start >= ${from}::date and t.start < ${to}::date)
    or (t.period = 'day' and t.start >= ${firstDay ?? "-infinity"}::date and t.start < ${endDay ?? "infinity"}::date
      and (t.start < ${from}::date or t.start >= ${to}::date)))`;
}

/** Matches the aggregates of each status and severity that the filter allows. */
function statusAndSeveritiesSql({ filter: { status, severity } }: ConductReportSelection): Prisma.Sql {
  const states = status ?? INCIDENT_STATES;
  const severities = severity ?? [...SEVERITIES_AND_NONE];
  return Prisma.sql`t.state = any(${[...states]}::text[]) and t.severity = any(${severities}::text[])`;
}

/**
 * Like `statusAndSeveritiesSql`, for queries that don't group by them: without a filter, matches the rows that combine
 * all statuses and severities.
 */
const combinedSql = (selection: ConductReportSelection): Prisma.Sql =>
  selection.filter.status || selection.filter.severity
    ? statusAndSeveritiesSql(selection)
    : Prisma.sql`t.state = 'any' and t.severity = 'any'`;

/**
 * Seconds since the report was created. Times are whole milliseconds, so a float is exact and costs a third of a
 * numeric.
 */
const elapsedSecondsSql = (of: "c" | "i", end: "first_response_at" | "resolved_at"): Prisma.Sql =>
  Prisma.raw(`date_part('epoch', ${of}.${end} - ${of}.created_at)`);

/** Equivalent to the database's `tenths_of_hours`. */
const tenthsOfHoursSql = (measure: ReportDurationName): Prisma.Sql =>
  Prisma.raw(`floor(${measure} / 360 + 0.5)::int`);

/** Selects the changes that aren't rolled up yet, and for each hidden report one that takes it away. */
function changesSql(selection: ConductReportSelection): Prisma.Sql {
  const { organizationId, filter, hidden } = selection;
  return Prisma.sql`
    select c.event_id, c.created_at, c.state, c.severity, c.escalated, c.assigned, c.resolved_at, c.weight::int as weight,
      ${elapsedSecondsSql("c", "first_response_at")} as first_response, ${elapsedSecondsSql("c", "resolved_at")} as resolution
    from (
      select organization_id, event_id, created_at, state, severity, escalated, assigned, first_response_at, resolved_at, weight
      from report_changes
      union all
      select e.organization_id, i.event_id, i.created_at, i.state, i.severity, i.escalated_at is not null,
        i.assigned_responder_id is not null, i.first_response_at, i.resolved_at, -1
      from incidents i join events e on e.id = i.event_id where i.id = any(${hidden}::uuid[])
    ) c where c.organization_id = ${organizationId}::uuid
      ${filter.eventId ? Prisma.sql`and c.event_id = ${filter.eventId}::uuid` : Prisma.empty}
      ${filter.status ? Prisma.sql`and ${reportStateConditionSql(Prisma.sql`c`, filter.status)}` : Prisma.empty}
      ${filter.severity ? Prisma.sql`and ${reportSeverityConditionSql(Prisma.sql`c`, filter.severity)}` : Prisma.empty}
      ${andCreatedBetweenSql(Prisma.sql`c`, computePeriodStart(selection), computePeriodEnd(selection))}`;
}

/**
 * Selects the durations that the stored histograms lack, in the same form: those of changes, and, since a single event
 * has no histograms by day, those of its reports outside whole months.
 */
function singleValuesSql(
  selection: ConductReportSelection,
  { firstMonth, endMonth }: PeriodDayAndMonthBounds,
): Prisma.Sql {
  if (!selection.filter.eventId || (!firstMonth && !endMonth))
    return listsSql(Prisma.sql`select * from changes`);
  const inMonths = Prisma.sql`(created_at >= ${firstMonth ?? "-infinity"}::date::timestamp at time zone 'UTC'
    and created_at < ${endMonth ?? "infinity"}::date::timestamp at time zone 'UTC')`;
  return listsSql(Prisma.sql`
    select first_response, resolution, weight from changes where ${inMonths}
    union all
    select ${elapsedSecondsSql("i", "first_response_at")}, ${elapsedSecondsSql("i", "resolved_at")}, 1
    ${fromReportsEventByEventSql(selection, Prisma.sql`not ${inMonths}`)}`);
}

/** @param ones columns `first_response` and `resolution` in seconds, and `weight` */
const listsSql = (ones: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select l.measure, l."values", l.counts from (
    select array_agg(${tenthsOfHoursSql("first_response")}) filter (where first_response is not null)::text as first_responses,
      array_agg(weight) filter (where first_response is not null)::text as first_response_counts,
      array_agg(${tenthsOfHoursSql("resolution")}) filter (where resolution is not null)::text as resolutions,
      array_agg(weight) filter (where resolution is not null)::text as resolution_counts
    from (${ones}) one
  ) a cross join lateral (values ('first_response', first_responses, first_response_counts), ('resolution', resolutions, resolution_counts)) l(measure, "values", counts)
  where l.counts is not null`;

const eventAggregatesSql = (
  selection: ConductReportSelection,
  wholePeriods: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  select e.id as event_id, c.reports from events e cross join lateral (
    select sum(t.reports) as reports from report_aggregates t
    where t.scope_id = e.id and ${combinedSql(selection)} and ${wholePeriods}
  ) c where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}`;

/**
 * The `from` and `where` clauses for the organization's reports `i`, deleted ones included, that fulfill the
 * condition. They look up the reports of each of its events in turn, so that those of other organizations are never
 * read.
 */
export const fromReportsEventByEventSql = (
  selection: ConductReportSelection,
  condition: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  from events e cross join lateral (
    select * from ${REPORTS_AND_TOMBSTONES_SQL} i where i.event_id = e.id ${andIncidentConditionsSql(selection)} and ${condition} offset 0
  ) i where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}`;

/**
 * Selects the newest ten reports of each event whose titles the reader may read, and of these the newest ten. The start
 * of the period is a condition of the outer query: in the inner query, the planner would prefer that condition to the
 * index order and read the whole period.
 */
function recentReportsSql(selection: ConductReportSelection): Prisma.Sql {
  return Prisma.sql`
    select r.id, r.title, r.state, r.severity, r.event_id, e.name, r.created_at
    from events e cross join lateral (
      select i.id, i.title, i.state, i.severity, i.event_id, i.created_at from incidents i
      where i.event_id = e.id and ${incidentReadableConditionSql(selection.hidden, selection.readerId ?? null)}
        and ${isReaderNowSql(Prisma.sql`${selection.readerId ?? null}::uuid`)} ${andCreatedBetweenSql(Prisma.sql`i`, undefined, computePeriodEnd(selection))} ${andStatusAndSeverityConditionsSql(selection)} order by i.created_at desc, i.id desc limit 10
    ) r
    where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}
      ${andCreatedBetweenSql(Prisma.sql`r`, computePeriodStart(selection), undefined)}
    order by r.created_at desc, r.id desc limit 10`;
}
