import { isReadableSql } from "#lib/access/readers-sql.ts";
import { prisma, queryWithCustomPlan } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { IncidentState, Severity } from "#lib/incidents/schema.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { andIncidentConditionsSql, type ReportSelection } from "./counted-reports-sql.ts";

/**
 * Returns the names for the header of an export. `event` is null without a filter by event. @throws AppError NOT_FOUND
 */
export async function loadOrganizationAndEventNames({
  organizationId,
  filter,
}: ReportSelection): Promise<{ organization: string; event: string | null }> {
  const { eventId } = filter;
  const select = { name: true } as const;
  const [organization, event] = await Promise.all([
    prisma.organization.findUnique({ where: { id: organizationId }, select }),
    eventId ? prisma.event.findFirst({ where: { id: eventId, organizationId }, select }) : null,
  ]);
  if (!organization) throw createNotFoundError("organization");
  if (eventId && !event) throw createNotFoundError("event");
  return { organization: organization.name, event: event?.name ?? null };
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

const isoTimeSql = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The columns of an `ExportedReportRow`, of incident `i`, its event `e` and its assignee `u`. */
export const EXPORTED_REPORT_COLUMNS_SQL = Prisma.sql`i.id, i.title, i.state::text as state, i.severity::text as severity,
  e.name as event, e.slug as "eventSlug", e.time_zone as "timeZone", u.name as "assignedTo",
  ${isoTimeSql(Prisma.sql`i.created_at`)} as "createdAt", ${isoTimeSql(Prisma.sql`i.first_response_at`)} as "firstResponseAt",
  ${isoTimeSql(Prisma.sql`i.resolved_at`)} as "resolvedAt"`;

/** Returns the events whose reports a selection includes. */
export function listSelectedEvents({
  organizationId,
  filter,
}: ReportSelection): Promise<{ id: string; timeZone: string | null }[]> {
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
  selection: ReportSelection,
  { events, last, count }: NextReportExportBatch,
): Promise<ExportedReportRow[]> {
  const after = last
    ? Prisma.sql`and (i.created_at, i.id) < (${last.createdAt}::timestamptz, ${last.id}::uuid)`
    : Prisma.empty;
  return queryWithCustomPlan<ExportedReportRow>(Prisma.sql`
    select ${EXPORTED_REPORT_COLUMNS_SQL} from (
      select i.* from incidents i where i.event_id = any(${[...events]}::uuid[]) ${andIncidentConditionsSql(selection)}
        and ${isReadableSql(selection.reader)} ${after}
      order by i.created_at desc, i.id desc limit ${count}::int
    ) i join events e on e.id = i.event_id left join users u on u.id = i.assigned_responder_id
    order by i.created_at desc, i.id desc`);
}
