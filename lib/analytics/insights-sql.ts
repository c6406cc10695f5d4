import { env } from "#lib/env.ts";
import { isConflictCheckUnansweredSql } from "#lib/access/readers-sql.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { IS_OPEN_SQL } from "#lib/incidents/list-sql.ts";
import { computePeriodStart, computePreviousPeriodStart } from "./period.ts";
import { FIRST_RESPONSE_BUCKET_BOUNDS_HOURS, MIN_REPORTS_PER_NAMED_FREE_TEXT_TYPE } from "./schema.ts";
import {
  countedDayOrMonthSql,
  dayStartSql,
  andEventFilterSql,
  fromReportFactsOfPeriodSql,
  fromReportFactsSql,
  isInPeriodSql,
  secondsUntilSql,
  type ReportSelection,
} from "./counted-reports-sql.ts";

/**
 * Builds the statement that counts what the insights page shows. One pass counts the figures of both periods, or of the
 * current one without `compare`; everything else is counted for the current period only. Of an incident whose conflict
 * check the reader hasn't answered, type, channel and replies aren't counted (contract 16.10).
 */
export function selectInsightsSql(selection: ReportSelection, compare: boolean): Prisma.Sql {
  const current = fromReportFactsOfPeriodSql(selection);
  return Prisma.sql`
    with figures as (${figuresSql(selection, compare)}), cells as (
      select ${countedDayOrMonthSql(selection)} as at, state, coalesce(severity::text, 'none') as severity, sum(n)::int as n from (
        select ${dayStartSql(Prisma.sql`i.created_at`)} as day, i.state, i.severity, count(*) as n ${current} group by 1, 2, 3
      ) days group by 1, 2, 3
    ), answers as (
      select width_bucket(${secondsUntilSql("first_response_at")} / 3600, ${BUCKET_BOUNDS_HOURS}::float8[]) as bucket, count(*)::int as n
      ${current} and i.first_response_at is not null group by 1
    ), types as (
      select case when type is null or type = any(${Object.values(STORED_TYPE_BY_INCIDENT_KIND)}::text[]) or n >= ${MIN_REPORTS_PER_NAMED_FREE_TEXT_TYPE} then type else '' end as type,
        sum(n)::int as n
      from (select case when ${isUnopenedSql(selection)} then '' else i.type end as type, count(*) as n ${current} group by 1) counted group by 1 order by 2 desc, 1
    )
    select
      (select coalesce(json_agg(figures), '[]') from figures) as figures,
      (select coalesce(json_agg(cells), '[]') from cells) as cells,
      (select coalesce(json_agg(answers), '[]') from answers) as answers,
      (select coalesce(json_agg(types), '[]') from types) as types,
      (select coalesce(json_agg(distinct ${deadlineHoursSql()}), '[]') from events e left join event_report_settings s on s.event_id = e.id
        where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)}) as deadlines`;
}

/**
 * The first-response deadline in hours: the event's own, or else the service's default, as the deadline clock counts it
 * (decision 020).
 */
const deadlineHoursSql = () =>
  Prisma.sql`coalesce(s.answer_within_hours, ${env().RESPONSE_DEADLINE_HOURS}::int)`;

/** A bound belongs to the bucket below it: "up to 24 hours" includes what took 24 hours to the millisecond. */
const BUCKET_BOUNDS_HOURS = FIRST_RESPONSE_BUCKET_BOUNDS_HOURS.map((hours) => hours + 0.0005 / 3600);

/** The condition that the reader may not know type, channel and replies of report `i`. */
const isUnopenedSql = ({ reader }: ReportSelection): Prisma.Sql => isConflictCheckUnansweredSql(reader);

/** `named` is null where the report is unopened; without `offset 0`, each of its uses would look for an answer. */
function figuresSql(selection: ReportSelection, compare: boolean): Prisma.Sql {
  const { now } = selection;
  const since = computePeriodStart(selection);
  const matching = fromReportFactsOfPeriodSql(
    selection,
    compare ? computePreviousPeriodStart(selection) : since,
  );
  const isCurrent = since ? Prisma.sql`created_at >= ${since.toISOString()}::timestamptz` : Prisma.sql`true`;
  return Prisma.sql`
    select ${isCurrent} as current, count(*)::int as reports, (count(*) filter (where state in ${OPEN_STATES_SQL}))::int as open,
      (count(*) - count(answer))::int as waiting, min(created_at) filter (where answer is null) as "oldestWaiting",
      count(answer)::int as answered, percentile_cont(0.5) within group (order by answer) as "medianFirstResponse",
      (count(*) filter (where in_time))::int as "answeredInTime",
      (count(*) filter (where answer is not null or due_at < ${now.toISOString()}::timestamptz))::int as "answerDue",
      count(first.reply)::int as replied, percentile_cont(0.5) within group (order by first.reply) as "medianFirstReply",
      count(resolution)::int as resolved, percentile_cont(0.5) within group (order by resolution) as "medianResolution",
      (count(*) filter (where named))::int as named, (count(*) filter (where not named))::int as anonymous
    from (
      select i.id, i.state, i.created_at, i.first_response_due_at as due_at, i.first_response_at <= i.first_response_due_at as in_time, case when not ${isUnopenedSql(selection)} then i.named end as named, i.first_reply, ${secondsUntilSql("first_response_at")} as answer,
        ${secondsUntilSql("resolved_at")} as resolution ${matching} offset 0
    ) reports left join (${firstRepliesSql(matching)}) replies using (id)
      cross join lateral (select case when named is not null then coalesce(replies.reply, reports.first_reply) end as reply) first group by 1`;
}

/** For each report that hasn't been deleted, the seconds until somebody else first wrote to its reporter. */
const firstRepliesSql = (matching: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select r.id, date_part('epoch', min(m.created_at - r.created_at)) as reply
  from (select i.id, i.created_at, i.reporter_id ${matching}) r join messages m on m.conversation_id = r.id
  where not m.from_party group by r.id`;

/** How many reports were open when a period began, and what changed in it. */
export type OpenReportCounts = {
  /** Reports that were open when the period began. */
  openAtStart: number;
  /** Per day or month of the period: how many reports came in, and how many were resolved, whenever they came in. */
  changes: { at: string; created: number; resolved: number }[];
};

/**
 * Builds the statement that counts what was open before and what changed in the period: every report of the selection's
 * event, status and severity, whenever it was created. A reopened report counts as open all the time, since only its
 * last resolution is kept. It returns one `OpenReportCounts`.
 */
export function selectBacklogOverPeriodSql(selection: ReportSelection): Prisma.Sql {
  const reports = fromReportFactsSql(selection);
  const start = computePeriodStart(selection)?.toISOString() ?? "-infinity";
  return Prisma.sql`
    select
      (select count(*)::int ${reports} and i.created_at < ${start}::timestamptz
        and (${IS_OPEN_SQL} or i.resolved_at >= ${start}::timestamptz)) as "openAtStart",
      (select coalesce(json_agg(c), '[]') from (
        select ${countedDayOrMonthSql(selection)} as at, sum(created)::int as created, sum(resolved)::int as resolved from (
          ${selectDailyCountsSql(selection, "created_at", "count(*) as created, 0 as resolved")}
          union all ${selectDailyCountsSql(selection, "resolved_at", "0 as created, count(*) as resolved")}
        ) days group by 1
      ) c) as changes`;
}

/** Counts by day of column `column` the reports for which it lies in the period. */
const selectDailyCountsSql = (
  selection: ReportSelection,
  column: "created_at" | "resolved_at",
  counts: string,
): Prisma.Sql => Prisma.sql`
  select ${dayStartSql(Prisma.raw(`i.${column}`))} as day, ${Prisma.raw(counts)} ${fromReportFactsSql(selection)}
    and ${isInPeriodSql(selection, column)} group by 1`;
