import Papa from "papaparse";
import { harmless } from "#lib/design/csv.ts";
import { download, streamed } from "#lib/operation/exports.ts";
import { boundsOf, readEntries, type Filter, type Log } from "#lib/audit/queries.ts";
import type { AuditEntryRecord } from "#lib/audit/schema.ts";

/** The columns of a log as CSV, in order. */
export const LOG_COLUMNS = [
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
const BATCH = 1000;

/** A log of which the hash of each entry is told, in a column of its own. */
type Exported = Log & { hashes?: boolean };

/** Every entry of a log that fits the filter, newest first, as RFC 4180 lines, read a batch at a time. */
export const exportLog = async (log: Exported, filter: Filter): Promise<Response> =>
  download("heed-audit.csv", "text/csv; charset=utf-8", await streamed(written(log, filter)));

async function* written(log: Exported, filter: Filter): AsyncGenerator<string, void> {
  const bounded = await boundsOf(log, filter);
  let rows = await readEntries(log, bounded, { before: null, limit: BATCH });
  const columns = log.hashes ? [...LOG_COLUMNS, "hash"] : LOG_COLUMNS;
  yield columns.join(",") + NEWLINE + logLines(rows, log);
  while (rows.length === BATCH) {
    rows = await readEntries(log, bounded, { before: rows.at(-1)?.seq ?? 1, limit: BATCH });
    yield logLines(rows, log);
  }
}

/** Entries as lines, each ending in CR LF. What people wrote is no formula to a spreadsheet. */
export function logLines(
  entries: readonly (AuditEntryRecord & { hash?: string })[],
  { hashes }: { hashes?: boolean } = {},
): string {
  if (entries.length === 0) return "";
  const rows = entries.map((entry) => (hashes ? [...cellsOf(entry), entry.hash ?? ""] : cellsOf(entry)));
  return Papa.unparse(rows, { header: false, newline: NEWLINE }) + NEWLINE;
}

const cellsOf = (entry: AuditEntryRecord): string[] => [
  String(entry.seq),
  entry.at.toISOString(),
  entry.actor?.id ?? "",
  harmless(entry.actor?.name ?? ""),
  entry.action,
  entry.objectType,
  entry.objectId ?? "",
  entry.eventId ?? "",
  entry.right,
  harmless(entry.requestId ?? ""),
  harmless(JSON.stringify(entry.data)),
];
