import { Prisma } from "#lib/generated/prisma/client.ts";
import { IS_OPEN_SQL } from "#lib/incidents/list-sql.ts";
import {
  countedDayOrMonthSql,
  dayStartSql,
  fromReportFactsSql,
  type ConductReportSelection,
} from "./filter-sql.ts";
import { computePeriodEnd, computePeriodStart } from "./period.ts";

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
export function selectBacklogOverPeriodSql(selection: ConductReportSelection): Prisma.Sql {
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

/** Builds the statement that counts by month, as `YYYY-MM`, the reports that were resolved in the period. */
export const selectResolutionsByMonthSql = (selection: ConductReportSelection): Prisma.Sql => Prisma.sql`
  select to_char(day at time zone 'UTC', 'YYYY-MM') as month, sum(resolved)::int as resolved
  from (${selectDailyCountsSql(selection, "resolved_at", "count(*) as resolved")}) days group by 1`;

/** Counts by day of column `column` the reports for which it lies in the period. */
function selectDailyCountsSql(
  selection: ConductReportSelection,
  column: "created_at" | "resolved_at",
  counts: string,
): Prisma.Sql {
  const at = Prisma.raw(`i.${column}`);
  const start = computePeriodStart(selection)?.toISOString() ?? "-infinity";
  const end = computePeriodEnd(selection)?.toISOString() ?? "infinity";
  return Prisma.sql`select ${dayStartSql(at)} as day, ${Prisma.raw(counts)} ${fromReportFactsSql(selection)}
    and ${at} >= ${start}::timestamptz and ${at} < ${end}::timestamptz group by 1`;
}
