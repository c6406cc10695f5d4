import { Prisma } from "#lib/generated/prisma/client.ts";
import { IS_OPEN_SQL } from "#lib/incidents/list-sql.ts";
import { eventConditionSql, statusAndSeveritySql, type ReportSelection } from "./filter-sql.ts";
import { endOfPeriod, startOfPeriod, unitOfPeriod } from "./period.ts";

export type Backlog = {
  /** Reports that were open when the period began. */
  openAtStart: number;
  /** Per day or month of the period: how many reports came in, and how many were resolved, whenever they came in. */
  changes: { at: string; created: number; resolved: number }[];
};

/**
 * Builds the statement that counts what was open before and what changed in the period: every report of the selection's
 * event, status and severity, whenever it was created. A reopened report counts as open all the time, since only its
 * last resolution is kept. It returns one `Backlog`.
 */
export function backlogSql(selection: ReportSelection): Prisma.Sql {
  const start = (startOfPeriod(selection)?.toISOString() ?? "-infinity") as string;
  const end = (endOfPeriod(selection)?.toISOString() ?? "infinity") as string;
  const format = unitOfPeriod(selection) === "day" ? "YYYY-MM-DD" : "YYYY-MM";
  const inPeriod = (column: "created_at" | "resolved_at") =>
    Prisma.sql`${Prisma.raw(`i.${column}`)} >= ${start}::timestamptz and ${Prisma.raw(`i.${column}`)} < ${end}::timestamptz`;
  const changesOf = (column: "created_at" | "resolved_at") => Prisma.sql`
    select to_char(date_trunc('day', ${Prisma.raw(`i.${column}`)}, 'UTC') at time zone 'UTC', ${format}) as at,
      ${column === "created_at" ? Prisma.sql`count(*) as created, 0 as resolved` : Prisma.sql`0 as created, count(*) as resolved`}
    ${reportsSql(selection, inPeriod(column))} group by 1`;
  return Prisma.sql`
    select
      ((select count(*) ${reportsSql(selection, IS_OPEN_SQL)} and i.created_at < ${start}::timestamptz)
        + (select count(*) ${reportsSql(selection, Prisma.sql`i.resolved_at >= ${start}::timestamptz`)} and i.created_at < ${start}::timestamptz))::int as "openAtStart",
      (select coalesce(json_agg(c), '[]') from (
        select at, sum(created)::int as created, sum(resolved)::int as resolved
        from (${changesOf("created_at")} union all ${changesOf("resolved_at")}) one group by at
      ) c) as changes`;
}

/** `from …`: reports `i` that fulfill the condition, found event by event. */
const reportsSql = (selection: ReportSelection, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  from incidents i join events e on e.id = i.event_id
  where e.organization_id = ${selection.organizationId}::uuid ${eventConditionSql(selection)}
    ${statusAndSeveritySql(selection)} and ${condition}`;
