import { createCsvWriter } from "#lib/analytics/exports.ts";
import { chooseTimeZoneOutsideEvents } from "#lib/design/reader-zone.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import { createDownloadResponse, createTextStream } from "#lib/operation/exports.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { filterRestrictedIncidentIds } from "#lib/audit/queries.ts";
import { runSqlTransaction, sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { recordAccessOfIncidents } from "#lib/incidents/access.ts";
import {
  type IncidentFiltersAndOrder,
  type MatchingIncidentsBatchCursor,
  listFilteredTeamIncidentsBatch,
} from "#lib/incidents/adjacent-queries.ts";
import { hasTeamAccessToEvent, findActorRightForPermission, type Actor } from "#lib/operation/policy.ts";
import { listIncidentExportRows, type IncidentExportRow } from "#lib/analytics/chosen-export-queries.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** `labels`: the language of a CSV for people to read (contract 10.3); without it, the file is for programs. */
type Exporter = { actor: Actor; requestId: string; labels?: Locale | undefined };

const createWriter = ({ actor, labels }: Exporter) =>
  createCsvWriter(labels && { locale: labels, timeZone: chooseTimeZoneOutsideEvents(actor) });

/**
 * Exports the chosen incidents as CSV, newest first, in the columns of the organization's export (contract 10.3). The
 * actor must be on the team of each one's event. Each event's audit log and each incident's access log record it
 * first.
 * @throws AppError NOT_FOUND when one of them doesn't exist or is not in the actor's events
 */
export async function exportIncidentsByIds(exporter: Exporter, ids: readonly string[]): Promise<Response> {
  const rows = await listTeamExportRows(exporter.actor, ids);
  if (rows.length < ids.length) throw createNotFoundError("incidents");
  const [header, write] = createWriter(exporter);
  await recordExport(exporter, rows);
  return toCsvResponse(header + write(rows));
}

const EXPORT_BATCH_SIZE = 500;

type ExportFilters = Omit<IncidentFiltersAndOrder, "sort" | "order">;

/**
 * Exports all matching incidents in events where the actor is on the team, in the columns of `exportIncidentsByIds`.
 * Reads them in batches as the client consumes them, without those that were hidden from the actor meanwhile, and
 * records each batch in the audit log and the access logs before sending it.
 */
export const exportIncidentsByFilters = async (exporter: Exporter, query: ExportFilters): Promise<Response> =>
  toCsvResponse(await createTextStream(generateCsv(exporter, query)));

async function* generateCsv(exporter: Exporter, query: ExportFilters): AsyncGenerator<string, void> {
  const [firstLine, write] = createWriter(exporter);
  let header = firstLine;
  for (let after: MatchingIncidentsBatchCursor | undefined, complete = false; !complete; header = "") {
    const batch = await listFilteredTeamIncidentsBatch(
      exporter.actor,
      { ...query, limit: EXPORT_BATCH_SIZE },
      after,
    );
    const ids = batch.refs.map(({ id }) => id);
    const rows = await listTeamExportRows(exporter.actor, ids);
    await recordExport(exporter, rows);
    yield header + write(rows);
    const last = batch.refs.at(-1);
    after = last && { createdAt: last.createdAt.toISOString(), id: last.id };
    complete = batch.complete;
  }
}

const toCsvResponse = (body: BodyInit): Response =>
  createDownloadResponse("heed-reports.csv", "text/csv; charset=utf-8", body);

/** Records an export in the audit log and the access logs, before its rows are sent. */
async function recordExport(
  { actor, requestId }: Exporter,
  rows: readonly IncidentExportRow[],
): Promise<void> {
  await runSqlTransaction((tx) => auditExport(tx, { actor, requestId, rows }));
  for (const { right, ids } of groupIdsByRight(actor, rows))
    await recordAccessOfIncidents(sql, ids, { actorId: actor.id, kind: "export", right });
}

/** Lists the incidents in events where the actor is on the team, without hidden ones, newest first. */
async function listTeamExportRows(actor: Actor, ids: readonly string[]): Promise<IncidentExportRow[]> {
  const rows = await listIncidentExportRows(ids, actor);
  return rows.filter(({ eventId }) => hasTeamAccessToEvent(actor, eventId));
}

type ExportAudit = { actor: Actor; requestId: string; rows: readonly IncidentExportRow[] };

/**
 * Appends one entry per event, in a fixed order of the chains, so that two exports can't deadlock. Incidents hidden
 * from somebody have an entry of their own in the system's log (prisma/functions/audit.sql).
 */
async function auditExport(tx: SqlClient, { actor, requestId, rows }: ExportAudit): Promise<void> {
  const restricted = await filterRestrictedIncidentIds(
    tx,
    rows.map(({ id }) => id),
  );
  const chainOf = ({ id, organizationId }: IncidentExportRow) =>
    restricted.includes(id) ? null : organizationId;
  const chains = Map.groupBy(rows, (row) => `${chainOf(row) ?? "system"} ${row.eventId}`);
  for (const key of [...chains.keys()].toSorted()) {
    const eventRows = chains.get(key) ?? [];
    const [first] = eventRows;
    if (!first) continue;
    const { eventId } = first;
    const right = findRightInEvent(actor, eventId);
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        { organizationId: chainOf(first), eventId, actor, right, call: { requestId } },
        "incidents.export",
        { type: "event", id: eventId },
        { incidentIds: eventRows.map(({ id }) => id) },
      ),
    );
  }
}

const findRightInEvent = (actor: Actor, eventId: string) =>
  findActorRightForPermission(actor, "incident.view", { eventId }) ?? "SystemAdmin";

const groupIdsByRight = (actor: Actor, rows: readonly IncidentExportRow[]) =>
  [...Map.groupBy(rows, ({ eventId }) => findRightInEvent(actor, eventId))].map(([right, eventRows]) => ({
    right,
    ids: eventRows.map(({ id }) => id),
  }));
