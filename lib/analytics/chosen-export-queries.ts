import { EXPORTED_REPORT_COLUMNS_SQL, type ExportedReportRow } from "#lib/analytics/export-queries.ts";
import { sql } from "#lib/database/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isReadableSql } from "#lib/access/readers-sql.ts";

export type IncidentExportRow = ExportedReportRow & { eventId: string; organizationId: string };

/** Lists incidents that the reader may read now, by their ids, newest first, with the columns of an export. */
export const listIncidentExportRows = (
  ids: readonly string[],
  reader: Actor,
): Promise<IncidentExportRow[]> => sql.$queryRaw<IncidentExportRow[]>`
  select ${EXPORTED_REPORT_COLUMNS_SQL}, e.id as "eventId", e.organization_id as "organizationId"
  from incidents i join events e on e.id = i.event_id left join users u on u.id = i.assigned_responder_id
  where i.id = any(${[...ids]}::uuid[]) and ${isReadableSql(reader)} order by i.created_at desc, i.id desc`;
