import { Prisma } from "#lib/generated/prisma/client.ts";
import { SEVERITIES_AND_NONE, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import type { CachedAggregates, Measure } from "./cache.ts";
import { splitRange, startOfRange, type RangeParts } from "./period.ts";
import {
  incidentConditionsSql,
  eventConditionSql,
  statusAndSeveritySql,
  severitySql,
  type ReportSelection,
} from "./filter-sql.ts";

/**
 * Builds the statement that reads all aggregates. Reports are counted individually for the partial first day of the
 * range, and for changes that aren't rolled up yet; everything else comes from whole days and months. Days of a single
 * event have no histograms, so the durations of those reports are listed individually. Lists that the caller already
 * has are left out.
 */
export function aggregateReportsSql(
  selection: ReportSelection,
  before: CachedAggregates | undefined,
): Prisma.Sql {
  const { organizationId, filter } = selection;
  const rangeParts = splitRange(filter.timeRange, selection.now);
  const wholePeriods = wholePeriodsSql(rangeParts);
  // An event of another organization yields nothing.
  const scope = filter.eventId
    ? Prisma.sql`t.scope_id = (select e.id from events e where e.organization_id = ${organizationId}::uuid ${eventConditionSql(selection)})`
    : Prisma.sql`t.scope_id = ${organizationId}::uuid`;
  const histograms = Prisma.sql`from report_spreads t where ${scope} and ${combinedSql(selection)}
    and ${isUnfiltered(selection) ? ALL_TIME : wholePeriods}`;
  const days = (from: string, to: string) => Prisma.sql`(select ${versionSql} from report_tallies t
    where ${scope} and t.state = 'any' and t.severity = 'any' and t.period = 'day' and t.start >= ${from}::date and t.start < ${to}::date)`;
  const listedRange =
    filter.eventId && rangeParts && rangeParts.firstDay !== rangeParts.firstMonth ? rangeParts : undefined;
  return Prisma.sql`
    with changes as materialized (${changesSql(selection)}), tallied as materialized (
      select t.state, t.severity, t.start, t.reports, t.escalated, t.unassigned, t.resolved, t.resolution_ms
      from report_tallies t where ${scope} and ${statusAndSeveritiesSql(selection)} and ${wholePeriods}
    ), parts as (
      select state, severity, reports, escalated, unassigned, resolved, resolution_ms from tallied
      union all
      select state::text, coalesce(severity::text, 'none'), sum(weight), coalesce(sum(weight) filter (where escalated), 0),
        coalesce(sum(weight) filter (where resolved_at is null and not assigned), 0),
        coalesce(sum(weight) filter (where resolved_at is not null), 0), coalesce(sum(weight * round(resolution * 1000)), 0)
      from changes group by state, severity
    ), cells as (
      select state, severity, sum(reports)::int as reports, sum(escalated)::int as escalated, sum(unassigned)::int as unassigned,
        sum(resolved)::int as resolved, sum(resolution_ms)::float8 as "resolutionMs"
      from parts group by 1, 2
    ), months as (
      select month, sum(reports)::int as reports from (
        select to_char(start, 'YYYY-MM') as month, sum(reports) as reports from tallied group by start
        union all select to_char(month, 'YYYY-MM'), n from (
          select date_trunc('month', created_at at time zone 'UTC') as month, sum(weight) as n from changes group by 1) s
      ) m group by 1
    ), lists_version as (
      select (select ${versionSql} ${histograms}) ${listedRange ? Prisma.sql`|| ${days(listedRange.firstDay, listedRange.firstMonth)}` : Prisma.empty} as version
    ), lists as (
      select t.measure, t."values"::text, t.counts::text ${histograms}
      ${listedRange ? Prisma.sql`union all ${listsSql(rolledUpReportsSql(selection, listedRange.firstDay, listedRange.firstMonth))}` : Prisma.empty}
    ), singles_version as (
      select ${rangeParts ? days(rangeParts.brokenDay, rangeParts.firstDay) : Prisma.sql`''::text`} as version
    ), changed as (
      ${listsSql(Prisma.sql`select * from changes`)}
    ), of_events as (
      select event_id, sum(reports) as n from (${eventAggregatesSql(selection, wholePeriods)}
        union all select event_id, weight from changes) one group by 1
    ), recent as (${recentReportsSql(selection)})
    select
      (select coalesce(json_agg(cells), '[]') from cells) as cells,
      (select coalesce(json_agg(months), '[]') from months) as months,
      (select version from lists_version) as "listsVersion",
      case when (select version from lists_version) <> ${before?.listsVersion ?? ""}
        then (select coalesce(json_agg(lists), '[]') from lists) end as lists,
      (select version from singles_version) as "singlesVersion",
      case when (select version from singles_version) <> ${before?.singlesVersion ?? ""}
        then (${singlesSql(selection, rangeParts)}) end as singles,
      (select coalesce(json_agg(changed), '[]') from changed) as changes,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'eventName', e.name, 'eventSlug', e.slug,
        'count', coalesce(c.n, 0)) order by e.name, e.id), '[]')
        from events e left join of_events c on c.event_id = e.id
        where e.organization_id = ${organizationId}::uuid ${eventConditionSql(selection)}) as events,
      (select coalesce(json_agg(json_build_object('id', id, 'title', title, 'status', state, 'severity', severity,
        'eventId', event_id, 'eventName', name, 'createdAt', created_at) order by created_at desc, id desc), '[]')
        from recent) as recent`;
}

/** A version of rows `t`: any write moves a row to another place and gives it another transaction id. */
const versionSql = Prisma.sql`coalesce(md5(string_agg(t.ctid::text || t.xmin::text, ' ' order by t.ctid)), '')`;

/** Without filters, an organization's whole history is one histogram row per measure. */
const isUnfiltered = ({ filter }: ReportSelection): boolean =>
  filter.timeRange === "all" && !filter.eventId && !filter.status && !filter.severity;

const ALL_TIME = Prisma.sql`t.period = 'all'`;

/** Whole days up to the first whole month, and whole months from there. */
function wholePeriodsSql(rangeParts: RangeParts | undefined): Prisma.Sql {
  if (!rangeParts) return Prisma.sql`t.period = 'month'`;
  const { firstDay, firstMonth } = rangeParts;
  return Prisma.sql`((t.period = 'day' and t.start >= ${firstDay}::date and t.start < ${firstMonth}::date)
    or (t.period = 'month' and t.start >= ${firstMonth}::date))`;
}

/** Matches the aggregates of each status and severity that the filter allows. */
function statusAndSeveritiesSql({ filter: { status, severity } }: ReportSelection): Prisma.Sql {
  const states = status ? [status] : INCIDENT_STATES;
  const severities = severity ? [severity] : [...SEVERITIES_AND_NONE];
  return Prisma.sql`t.state = any(${[...states]}::text[]) and t.severity = any(${severities}::text[])`;
}

/**
 * Like `statusAndSeveritiesSql`, for queries that don't group by them: without a filter, matches the rows that combine
 * all statuses and severities.
 */
const combinedSql = (selection: ReportSelection): Prisma.Sql =>
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
const tenthsOfHoursSql = (measure: Measure): Prisma.Sql => Prisma.raw(`floor(${measure} / 360 + 0.5)::int`);

/** Equivalent to the database's `month_number`, at a third of the cost. */
const RESOLVED_MONTH_SQL = Prisma.sql`(date_part('year', resolved_at at time zone 'UTC') * 12
  + date_part('month', resolved_at at time zone 'UTC') - 1)::int`;

/** Selects the changes `c` that aren't rolled up yet, by the selection except for its time range. */
const pendingChangesSql = ({ organizationId, filter }: ReportSelection): Prisma.Sql => Prisma.sql`
  from report_changes c where c.organization_id = ${organizationId}::uuid
    ${filter.eventId ? Prisma.sql`and c.event_id = ${filter.eventId}::uuid` : Prisma.empty}
    ${filter.status ? Prisma.sql`and c.state = ${filter.status}::incident_state` : Prisma.empty}
    ${filter.severity ? Prisma.sql`and ${severitySql(Prisma.sql`c`, filter.severity)}` : Prisma.empty}`;

function changesSql(selection: ReportSelection): Prisma.Sql {
  const since = startOfRange(selection.filter.timeRange, selection.now);
  return Prisma.sql`
    select c.event_id, c.created_at, c.state, c.severity, c.escalated, c.assigned, c.resolved_at, c.weight::int as weight,
      ${elapsedSecondsSql("c", "first_response_at")} as answer, ${elapsedSecondsSql("c", "resolved_at")} as resolution
    ${pendingChangesSql(selection)} ${since ? Prisma.sql`and c.created_at >= ${since.toISOString()}::timestamptz` : Prisma.empty}`;
}

/**
 * Selects the reports of whole days, in the columns of `changesSql`, minus the changes that aren't rolled up yet. The
 * result stays the same until a rollup writes the aggregates of those days.
 */
function rolledUpReportsSql(selection: ReportSelection, from: string, to: string): Prisma.Sql {
  return Prisma.sql`
    select i.event_id, i.created_at, i.state, i.severity, i.escalated_at is not null as escalated,
      i.assigned_responder_id is not null as assigned, i.resolved_at, 1 as weight,
      ${elapsedSecondsSql("i", "first_response_at")} as answer, ${elapsedSecondsSql("i", "resolved_at")} as resolution
    ${reportsByEventSql(selection, Prisma.sql`i.created_at < ${to}::timestamptz`, new Date(from))}
    union all
    select c.event_id, c.created_at, c.state, c.severity, c.escalated, c.assigned, c.resolved_at, -c.weight::int,
      ${elapsedSecondsSql("c", "first_response_at")}, ${elapsedSecondsSql("c", "resolved_at")}
    ${pendingChangesSql(selection)} and c.created_at >= ${from}::timestamptz and c.created_at < ${to}::timestamptz`;
}

/**
 * Lists durations and months of resolution in the form of the stored histograms. @param ones in the columns of
 * `changesSql`
 */
const listsSql = (ones: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select l.measure, l."values", l.counts from (
    select array_agg(${tenthsOfHoursSql("answer")}) filter (where answer is not null)::text as answers,
      array_agg(weight) filter (where answer is not null)::text as answer_counts,
      array_agg(${tenthsOfHoursSql("resolution")}) filter (where resolution is not null)::text as resolutions,
      array_agg(weight) filter (where resolution is not null)::text as resolution_counts,
      array_agg(${RESOLVED_MONTH_SQL}) filter (where resolution is not null)::text as months
    from (${ones}) one
  ) a cross join lateral (values ('answer', answers, answer_counts), ('resolution', resolutions, resolution_counts),
    ('resolved', months, resolution_counts)) l(measure, "values", counts)
  where l.counts is not null`;

/** Returns one list per column: a thousand objects with member names would take twice as long. */
function singlesSql(selection: ReportSelection, rangeParts: RangeParts | undefined): Prisma.Sql {
  if (!rangeParts) return Prisma.sql`null::json`;
  return Prisma.sql`
    select json_build_object('createdAt', coalesce(json_agg(round(date_part('epoch', created_at) * 1000)::bigint), '[]'),
      'eventId', json_agg(event_id), 'state', json_agg(state), 'severity', json_agg(coalesce(severity::text, 'none')),
      'escalated', json_agg(escalated), 'unassigned', json_agg(resolved_at is null and not assigned),
      'answer', json_agg(${tenthsOfHoursSql("answer")}), 'resolution', json_agg(${tenthsOfHoursSql("resolution")}),
      'resolutionMs', json_agg(round(resolution * 1000)::bigint), 'resolved', json_agg(${RESOLVED_MONTH_SQL}), 'weight', json_agg(weight))
    from (${rolledUpReportsSql(selection, rangeParts.brokenDay, rangeParts.firstDay)}) one`;
}

const eventAggregatesSql = (selection: ReportSelection, wholePeriods: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select e.id as event_id, c.reports from events e cross join lateral (
    select sum(t.reports) as reports from report_tallies t
    where t.scope_id = e.id and ${combinedSql(selection)} and ${wholePeriods}
  ) c where e.organization_id = ${selection.organizationId}::uuid ${eventConditionSql(selection)}`;

/**
 * `from …`: reports `i` of the selection, searched event by event, so that reports of other organizations are never
 * read.
 * @param since the start, if it isn't that of the selection's time range
 */
export const reportsByEventSql = (
  selection: ReportSelection,
  condition: Prisma.Sql,
  since?: Date,
): Prisma.Sql => Prisma.sql`
  from events e cross join lateral (
    select * from incidents i where i.event_id = e.id ${incidentConditionsSql(selection, since)} and ${condition} offset 0
  ) i where e.organization_id = ${selection.organizationId}::uuid ${eventConditionSql(selection)}`;

/**
 * Selects the newest ten of each event, and of these the newest ten. The time range is applied outside: inside, the
 * planner would prefer it to the index order and read all of the range.
 */
function recentReportsSql(selection: ReportSelection): Prisma.Sql {
  const since = startOfRange(selection.filter.timeRange, selection.now);
  return Prisma.sql`
    select r.id, r.title, r.state, r.severity, r.event_id, e.name, r.created_at
    from events e cross join lateral (
      select i.id, i.title, i.state, i.severity, i.event_id, i.created_at from incidents i
      where i.event_id = e.id ${statusAndSeveritySql(selection)} order by i.created_at desc, i.id desc limit 10
    ) r
    where e.organization_id = ${selection.organizationId}::uuid ${eventConditionSql(selection)}
      ${since ? Prisma.sql`and r.created_at >= ${since.toISOString()}::timestamptz` : Prisma.empty}
    order by r.created_at desc, r.id desc limit 10`;
}
