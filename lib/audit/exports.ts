import Papa from "papaparse";
import { harmless } from "#lib/analytics/csv.ts";
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

/**
 * Every entry of a log that fits the filter, newest first, as RFC 4180 lines. Read a batch at a time as the
 * client takes them: memory stays flat, and a client that goes away stops the reading.
 */
export async function exportLog(log: Log, filter: Filter): Promise<Response> {
  const bounded = await boundsOf(log, filter);
  let rows = await readEntries(log, bounded, { before: null, limit: BATCH });
  let waiting = LOG_COLUMNS.join(",") + NEWLINE;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        controller.enqueue(encoder.encode(waiting + logLines(rows)));
        waiting = "";
        if (rows.length < BATCH) return controller.close();
        rows = await readEntries(log, bounded, { before: rows.at(-1)?.seq ?? 1, limit: BATCH });
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, { headers: HEADERS });
}

const encoder = new TextEncoder();

const HEADERS = {
  "Content-Type": "text/csv; charset=utf-8",
  "Content-Disposition": 'attachment; filename="heed-audit.csv"',
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "Cache-Control": "private, no-store",
  Vary: "Cookie",
};

/** Entries as lines, each ending in CR LF. What people wrote is no formula to a spreadsheet. */
export function logLines(entries: readonly AuditEntryRecord[]): string {
  if (entries.length === 0) return "";
  return Papa.unparse(entries.map(cellsOf), { header: false, newline: NEWLINE }) + NEWLINE;
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
