import { Prisma } from "#lib/generated/prisma/client.ts";
import { isReadableSql } from "#lib/access/readers-sql.ts";
import { selectResolutionsByMonthSql } from "./backlog-sql.ts";
import {
  andEventFilterSql,
  andIncidentConditionsSql,
  dayStartSql,
  fromReportFactsOfPeriodSql,
  secondsUntilSql,
  type ConductReportSelection,
} from "./filter-sql.ts";

/**
 * Builds the statement that counts everything that analytics shows from the rows of reports, and so at one point in time.
 */
export function selectAnalyticsCountsSql(selection: ConductReportSelection): Prisma.Sql {
  return Prisma.sql`
    with reports as materialized (
      select i.event_id, i.state, coalesce(i.severity::text, 'none') as severity, i.escalated, i.assigned, ${dayStartSql(Prisma.sql`i.created_at`)} as day,
        ${secondsUntilSql("first_response_at")} as first_response, ${secondsUntilSql("resolved_at")} as resolution
      ${fromReportFactsOfPeriodSql(selection)}
    ), cells as (
      select state, severity, count(*)::int as reports, (count(*) filter (where escalated))::int as escalated,
        (count(*) filter (where resolution is null and not assigned))::int as unassigned
      from reports group by 1, 2
    ), months as (
      select to_char(day at time zone 'UTC', 'YYYY-MM') as month, sum(n)::int as reports
      from (select day, count(*) as n from reports group by 1) days group by 1
    ), resolutions as (${selectResolutionsByMonthSql(selection)}), of_events as (
      select event_id, count(*)::int as n from reports group by 1
    ), recent as (${recentReportsSql(selection)})
    select
      (select coalesce(json_agg(cells), '[]') from cells) as cells,
      (select avg(resolution) from reports) as "meanResolution",
      (select percentile_cont(0.5) within group (order by resolution) from reports) as "medianResolution",
      (select percentile_cont(0.5) within group (order by first_response) from reports) as "medianFirstResponse",
      (select coalesce(json_agg(months), '[]') from months) as months,
      (select coalesce(json_agg(resolutions), '[]') from resolutions) as resolutions,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'eventName', e.name, 'eventSlug', e.slug,
        'count', coalesce(c.n, 0)) order by coalesce(c.n, 0) desc, e.name collate title_order, e.id), '[]')
        from events e left join of_events c on c.event_id = e.id
        where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}) as events,
      (select coalesce(json_agg(json_build_object('id', id, 'title', title, 'status', state, 'severity', severity,
        'eventId', event_id, 'eventName', name, 'createdAt', created_at) order by created_at desc, id desc), '[]')
        from recent) as recent`;
}

/** Selects the newest ten reports whose titles the reader may read. */
const recentReportsSql = (selection: ConductReportSelection): Prisma.Sql => Prisma.sql`
    select i.id, i.title, i.state, i.severity, i.event_id, e.name, i.created_at
    from incidents i join events e on e.id = i.event_id
    where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}
      and ${isReadableSql(selection.reader)} ${andIncidentConditionsSql(selection)}
    order by i.created_at desc, i.id desc limit 10`;
