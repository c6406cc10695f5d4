import { Prisma } from "#lib/generated/prisma/client.ts";
import { isCountedSql, type Reader } from "#lib/access/readers-sql.ts";
import { computePeriodEnd, computePeriodStart, chooseCountedUnit } from "./period.ts";
import type { ReportFilter } from "./schema.ts";

/**
 * The reports to count or list: of one organization, matching the filter, as of `now`, when ranges such as "30d" end, and
 * only those that count for the reader.
 */
export type ReportSelection = {
  organizationId: string;
  filter: ReportFilter;
  now: Date;
  reader: Reader;
};

/** The reports of an organization that match a filter now and count for their reader. */
export const buildReportSelection = (
  organizationId: string,
  filter: ReportFilter,
  reader: Reader,
): ReportSelection => ({ organizationId, filter, now: new Date(), reader });

/**
 * The rows that statistics count: the reports that count for the reader, and the tombstones of deleted ones
 * (docs/decisions/060). `named`: whether the reporter is known. `first_reply`: in seconds, set on tombstones only. `type`:
 * of a tombstone, "" stands for any type that the form doesn't offer.
 */
const reportFactsSql = (reader: Reader): Prisma.Sql => Prisma.sql`(
    select i.id, i.event_id, i.created_at, i.first_response_at, i.first_response_due_at, i.resolved_at, i.state, i.severity,
      i.escalated_at is not null as escalated, i.assigned_responder_id is not null as assigned, nullif(trim(i.type), '') as type,
      i.reporter_id, i.reporter_id is not null as named, null::float8 as first_reply, i.conflict_check
    from incidents i where ${isCountedSql(reader)}
    union all
    select '00000000-0000-0000-0000-000000000000'::uuid, event_id, created_at, first_response_at, first_response_due_at, resolved_at, state, severity,
      escalated, true, type, null::uuid, named, first_reply, false
    from report_tombstones)`;

/**
 * The clauses `from … where …` that select the facts `i` of the organization's reports and their events `e`, of the
 * filter's event, status and severity, whenever they were created.
 */
export const fromReportFactsSql = (selection: ReportSelection): Prisma.Sql => Prisma.sql`
    from ${reportFactsSql(selection.reader)} i join events e on e.id = i.event_id
    where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)} ${andStatusAndSeverityConditionsSql(selection)}`;

/**
 * The same, of reports created in the selection's period.
 * @param since the start, if it isn't that of the period
 */
export const fromReportFactsOfPeriodSql = (
  selection: ReportSelection,
  since = computePeriodStart(selection),
): Prisma.Sql =>
  Prisma.sql`${fromReportFactsSql(selection)} ${andCreatedBetweenSql(since, computePeriodEnd(selection))}`;

/** The conditions of period, status and severity on incidents `i`, each preceded by ` and `. */
export const andIncidentConditionsSql = (selection: ReportSelection): Prisma.Sql => Prisma.sql`
    ${andCreatedBetweenSql(computePeriodStart(selection), computePeriodEnd(selection))} ${andStatusAndSeverityConditionsSql(selection)}`;

const andCreatedBetweenSql = (since: Date | undefined, end: Date | undefined): Prisma.Sql => Prisma.sql`
    ${since ? Prisma.sql`and i.created_at >= ${since.toISOString()}::timestamptz` : Prisma.empty}
    ${end ? Prisma.sql`and i.created_at < ${end.toISOString()}::timestamptz` : Prisma.empty}`;

const andStatusAndSeverityConditionsSql = ({
  filter: { status, severity },
}: ReportSelection): Prisma.Sql => Prisma.sql`
    ${status ? Prisma.sql`and i.state = any(${status}::incident_state[])` : Prisma.empty}
    ${severity ? Prisma.sql`and coalesce(i.severity::text, 'none') = any(${severity}::text[])` : Prisma.empty}`;

/** The condition of the event filter, preceded by ` and `; empty without one. */
export const andEventFilterSql = ({ filter }: Pick<ReportSelection, "filter">): Prisma.Sql =>
  filter.eventId ? Prisma.sql`and e.id = ${filter.eventId}::uuid` : Prisma.empty;

/** The condition that a time of report `i` lies in the selection's period; null for one that isn't set. */
export function isInPeriodSql(selection: ReportSelection, column: "created_at" | "resolved_at"): Prisma.Sql {
  const at = Prisma.raw(`i.${column}`);
  const start = computePeriodStart(selection)?.toISOString() ?? "-infinity";
  const end = computePeriodEnd(selection)?.toISOString() ?? "infinity";
  return Prisma.sql`(${at} >= ${start}::timestamptz and ${at} < ${end}::timestamptz)`;
}

/** Seconds from the creation of report `i` to one of its times, null without it. Times are whole milliseconds. */
export const secondsUntilSql = (end: "first_response_at" | "resolved_at"): Prisma.Sql =>
  Prisma.raw(`date_part('epoch', i.${end} - i.created_at)`);

/** The start of the day (UTC) of a time; rows are grouped by it, since formatting each of them would be slow. */
export const dayStartSql = (time: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`date_bin('1 day', ${time}, '2000-01-01Z')`;

/** Names the day or month that column `day` belongs to, from which the points of a chart are made. */
export const countedDayOrMonthSql = (selection: ReportSelection): Prisma.Sql =>
  Prisma.sql`to_char(day at time zone 'UTC', ${chooseCountedUnit(selection) === "day" ? "YYYY-MM-DD" : "YYYY-MM"})`;
