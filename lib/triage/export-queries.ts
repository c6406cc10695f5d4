import { isoTimeSql, type ExportedReportRow } from "#lib/analytics/export-queries.ts";
import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isReadableSql } from "#lib/access/readers-sql.ts";

export type IncidentExportRow = ExportedReportRow & { eventId: string; organizationId: string };

const incidentColumnSql = (column: "created_at" | "first_response_at" | "resolved_at") =>
  Prisma.raw(`i.${column}`);

/** Lists incidents that the reader may read now, by their ids, newest first, with the columns of an export. */
export const listIncidentExportRows = (
  ids: readonly string[],
  reader: Actor,
): Promise<IncidentExportRow[]> => sql.$queryRaw<IncidentExportRow[]>`
  select i.id, i.title, i.state::text as state, i.severity::text as severity, e.name as event, e.slug as "eventSlug", e.time_zone as "timeZone",
    u.name as "assignedTo", e.id as "eventId", e.organization_id as "organizationId",
    ${isoTimeSql(incidentColumnSql("created_at"))} as "createdAt", ${isoTimeSql(incidentColumnSql("first_response_at"))} as "firstResponseAt",
    ${isoTimeSql(incidentColumnSql("resolved_at"))} as "resolvedAt"
  from incidents i join events e on e.id = i.event_id left join users u on u.id = i.assigned_responder_id
  where i.id = any(${[...ids]}::uuid[]) and ${isReadableSql(reader)} order by i.created_at desc, i.id desc`;
