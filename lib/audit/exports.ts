import Papa from "papaparse";
import { escapeFormula } from "#lib/design/csv.ts";
import { createDownloadResponse, createTextStream } from "#lib/operation/exports.ts";
import {
  resolveAuditFilterToSeqsAndActions,
  listAuditEntriesBefore,
  refreshHiddenIncidents,
  type AuditFilter,
  type AuditLogReadScope,
} from "#lib/audit/queries.ts";
import type { AuditEntryRecord } from "#lib/audit/schema.ts";

/** Columns of the CSV export, in order. */
export const AUDIT_CSV_COLUMNS = [
  "seq",
  "at",
  "actorId",
  "actor",
  "action",
  "objectType",
  "objectId",
  "eventId",
  "right",
  "requestId",
  "data",
] as const;

const NEWLINE = "\r\n";
const BATCH_SIZE = 1000;

/** `hashes` adds a column with the hash of each entry. */
type ExportableLog = AuditLogReadScope & { hashes?: boolean };

/** Exports every entry of a log that matches the filter, newest first, as RFC 4180 CSV, read in batches. */
export const createAuditCsvResponse = async (log: ExportableLog, filter: AuditFilter): Promise<Response> =>
  createDownloadResponse(
    "heed-audit.csv",
    "text/csv; charset=utf-8",
    await createTextStream(generateCsv(log, filter)),
  );

async function* generateCsv(log: ExportableLog, filter: AuditFilter): AsyncGenerator<string, void> {
  const resolvedFilter = await resolveAuditFilterToSeqsAndActions(log, filter);
  let rows = await listAuditEntriesBefore(log, resolvedFilter, { before: null, limit: BATCH_SIZE });
  const columns = log.hashes ? [...AUDIT_CSV_COLUMNS, "hash"] : AUDIT_CSV_COLUMNS;
  yield columns.join(",") + NEWLINE + toAuditCsvLines(rows, log);
  while (rows.length === BATCH_SIZE) {
    rows = await listAuditEntriesBefore(await refreshHiddenIncidents(log), resolvedFilter, {
      before: rows.at(-1)?.seq ?? 1,
      limit: BATCH_SIZE,
    });
    yield toAuditCsvLines(rows, log);
  }
}

/**
 * Formats entries as lines that end in CR LF. Escapes user-written text so that spreadsheets don't run it as a formula.
 */
export function toAuditCsvLines(
  entries: readonly (AuditEntryRecord & { hash?: string })[],
  { hashes }: { hashes?: boolean } = {},
): string {
  if (entries.length === 0) return "";
  const rows = entries.map((entry) =>
    hashes ? [...toCsvCells(entry), entry.hash ?? ""] : toCsvCells(entry),
  );
  return Papa.unparse(rows, { header: false, newline: NEWLINE }) + NEWLINE;
}

const toCsvCells = (entry: AuditEntryRecord): string[] => [
  String(entry.seq),
  entry.at.toISOString(),
  entry.actor?.id ?? "",
  escapeFormula(entry.actor?.name ?? ""),
  entry.action,
  entry.objectType,
  entry.objectId ?? "",
  entry.eventId ?? "",
  entry.right,
  escapeFormula(entry.requestId ?? ""),
  escapeFormula(JSON.stringify(entry.data)),
];
