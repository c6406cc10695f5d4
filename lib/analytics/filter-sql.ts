import { Prisma } from "#lib/generated/prisma/client.ts";
import { incidentNotHiddenSql } from "#lib/access/hidden-sql.ts";
import { listUncountedIncidentIds, type Actor } from "#lib/operation/policy.ts";
import { computePeriodEnd, computePeriodStart, chooseCountedUnit } from "./period.ts";
import type { ReportFilter } from "./schema.ts";

/**
 * The reports to count or list: of one organization, matching the filter, as of `now`, when ranges such as "30d" end,
 * without those hidden from their reader.
 */
export type ConductReportSelection = {
  organizationId: string;
  filter: ReportFilter;
  now: Date;
  hidden: readonly string[];
  /**
   * The person who reads. Without one, titles of incidents under the conflict check, and what insights count of their
   * content, are withheld (contract 16.10).
   */
  readerId?: string;
};

/** The reports of an organization that match a filter now and count for their reader. */
export const buildReportSelection = (
  organizationId: string,
  filter: ReportFilter,
  reader: Pick<Actor, "id" | "hiddenIncidentIds" | "uncountedIncidentIds">,
): ConductReportSelection => ({
  organizationId,
  filter,
  now: new Date(),
  hidden: listUncountedIncidentIds(reader),
  readerId: reader.id,
});

/**
 * Reports and the tombstones of deleted ones (docs/decisions/060), with the columns that statistics read. `named`:
 * whether the reporter is known. `first_reply`: in seconds, set on tombstones only. `type`: of a tombstone, "" stands
 * for any type that the form doesn't offer.
 */
export const REPORTS_AND_TOMBSTONES_SQL = Prisma.sql`(
    select id, event_id, created_at, first_response_at, first_response_due_at, resolved_at, state, severity, nullif(trim(type), '') as type, reporter_id,
      reporter_id is not null as named, null::float8 as first_reply, conflict_check from incidents
    union all
    select '00000000-0000-0000-0000-000000000000'::uuid, event_id, created_at, first_response_at, first_response_due_at, resolved_at, state, severity, type, null::uuid,
      named, first_reply, false from report_tombstones)`;

/**
 * The clauses `from … where …` that select reports `i`, deleted ones included, and their events `e`.
 * @param since the start, if it isn't that of the selection's time range
 */
export const fromMatchingReportsSql = (
  selection: ConductReportSelection,
  since = computePeriodStart(selection),
): Prisma.Sql => Prisma.sql`
    from ${REPORTS_AND_TOMBSTONES_SQL} i join events e on e.id = i.event_id
    where e.organization_id = ${selection.organizationId}::uuid ${andEventFilterSql(selection)} ${andIncidentConditionsSql(selection, since)}`;

/** The conditions on incidents `i` themselves, each preceded by ` and `. */
export const andIncidentConditionsSql = (
  selection: ConductReportSelection,
  since = computePeriodStart(selection),
): Prisma.Sql => Prisma.sql`
    and ${incidentNotHiddenSql(selection.hidden)} ${andCreatedBetweenSql(Prisma.sql`i`, since, computePeriodEnd(selection))} ${andStatusAndSeverityConditionsSql(selection)}`;

/** The condition, preceded by ` and `, that rows `of` were created from `since` on and before `end`. */
export const andCreatedBetweenSql = (
  of: Prisma.Sql,
  since: Date | undefined,
  end: Date | undefined,
): Prisma.Sql => Prisma.sql`
    ${since ? Prisma.sql`and ${of}.created_at >= ${since.toISOString()}::timestamptz` : Prisma.empty}
    ${end ? Prisma.sql`and ${of}.created_at < ${end.toISOString()}::timestamptz` : Prisma.empty}`;

/** The conditions of the status and severity filters on incidents `i`, each preceded by ` and `. */
export const andStatusAndSeverityConditionsSql = ({
  filter: { status, severity },
}: ConductReportSelection): Prisma.Sql => Prisma.sql`
    ${status ? Prisma.sql`and ${reportStateConditionSql(Prisma.sql`i`, status)}` : Prisma.empty}
    ${severity ? Prisma.sql`and ${reportSeverityConditionSql(Prisma.sql`i`, severity)}` : Prisma.empty}`;

/** The condition that rows `of` have one of these statuses. */
export const reportStateConditionSql = (
  of: Prisma.Sql,
  states: NonNullable<ReportFilter["status"]>,
): Prisma.Sql => Prisma.sql`${of}.state = any(${states}::incident_state[])`;

/** The condition that rows `of` have one of these severities. */
export const reportSeverityConditionSql = (
  of: Prisma.Sql,
  severities: NonNullable<ReportFilter["severity"]>,
): Prisma.Sql => {
  const named = severities.filter((severity) => severity !== "none");
  const isNamed = Prisma.sql`${of}.severity = any(${named}::severity[])`;
  return named.length < severities.length ? Prisma.sql`(${isNamed} or ${of}.severity is null)` : isNamed;
};

/** The condition of the event filter, preceded by ` and `; empty without one. */
export const andEventFilterSql = ({ filter }: Pick<ConductReportSelection, "filter">): Prisma.Sql =>
  filter.eventId ? Prisma.sql`and e.id = ${filter.eventId}::uuid` : Prisma.empty;

/** The start of the day (UTC) of a time; rows are grouped by it, since formatting each of them would be slow. */
export const dayStartSql = (time: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`date_bin('1 day', ${time}, '2000-01-01Z')`;

/** Names the day or month that column `day` belongs to, from which the points of a chart are made. */
export const countedDayOrMonthSql = (selection: ConductReportSelection): Prisma.Sql =>
  Prisma.sql`to_char(day at time zone 'UTC', ${chooseCountedUnit(selection) === "day" ? "YYYY-MM-DD" : "YYYY-MM"})`;
