import { audit } from "#lib/audit/audit.ts";
import { transaction } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { recordExport } from "#lib/incidents/access.ts";
import { csvHeader, csvLines } from "./csv.ts";
import { LISTED_IN_PDF, renderPdf } from "./pdf.ts";
import { analyticsOf, namesOf, reportsAfter, type ReportRow, type Selection } from "./queries.ts";
import { lineOf, reportOf, textHead, textLines } from "./report.ts";
import type { ExportQuery } from "./schema.ts";

/** Who asks, by what right, and in which request: for the audit log. */
export type Exporter = { actorId: string; right: string; requestId: string };
/**
 * `format=pdf` is readable text, unless the client asked for a PDF proper (rulings R6). `signal` tells that
 * the client has gone.
 */
export type Wanted = { query: ExportQuery; typeset: boolean; signal?: AbortSignal };

/**
 * Hands an organization's reports out, in this order: the filter is checked, the export goes into the audit
 * log, the first reports are read, the answer begins, and the rest is read as the client takes it. No report leaves
 * without a line in its own log of who has looked.
 * @throws AppError NOT_FOUND when the filter names an event that isn't the organization's;
 *   SERVICE_UNAVAILABLE when too many PDFs are being made
 */
export async function exportReports(
  organizationId: string,
  { query, typeset, signal }: Wanted,
  by: Exporter,
): Promise<Response> {
  const { format, ...filter } = query;
  const selection: Selection = { organizationId, filter, now: new Date() };
  const names = await namesOf(selection);
  await record(selection, format, by);
  const read: Reader = (last, count) => recorded(reportsAfter(selection, last, count), by);
  if (format === "csv") return download(selection, "csv", await streamed(read, csvHeader(), csv));
  const report = reportOf(selection, names, await analyticsOf(selection));
  if (!typeset) return download(selection, "txt", await streamed(read, textHead(report), plain));
  const newest = await read(undefined, LISTED_IN_PDF);
  return download(selection, "pdf", await renderPdf(report, newest.map(toLine), signal));
}

async function record({ organizationId, filter }: Selection, format: string, by: Exporter): Promise<void> {
  const { timeRange, eventId = null, status = null, severity = null } = filter;
  await transaction((tx) =>
    audit(tx, {
      action: "reports.export",
      organizationId,
      eventId,
      object: { type: "organization", id: organizationId },
      data: { format, timeRange, eventId, status, severity },
      ...by,
    }),
  );
}

type Reader = (last: ReportRow | undefined, count: number) => Promise<ReportRow[]>;

async function recorded(reading: Promise<ReportRow[]>, by: Exporter): Promise<ReportRow[]> {
  const rows = await reading;
  await recordExport(
    rows.map(({ id }) => id),
    by,
  );
  return rows;
}

type Writer = (rows: readonly ReportRow[]) => string;

const csv: Writer = (rows) => csvLines(rows, urlOf);
const plain: Writer = (rows) => textLines(rows.map(toLine));
const toLine = (row: ReportRow) => lineOf(row, urlOf(row));

/** Where a report is read, for those who may. */
const urlOf = (row: ReportRow): string => `${env().baseUrl}/e/${row.eventSlug}/i/${row.id}`;

const BATCH = 1000;

/**
 * A head and then every report of the selection, read a batch at a time as the client takes them: memory
 * stays flat, and a client that goes away stops the reading. The first batch is read before the answer
 * begins, so that a database that can't be reached is an error and no torn file.
 */
async function streamed(read: Reader, head: string, write: Writer): Promise<ReadableStream<Uint8Array>> {
  let rows = await read(undefined, BATCH);
  let waiting = head;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        controller.enqueue(encoder.encode(waiting + write(rows)));
        waiting = "";
        if (rows.length < BATCH) return controller.close();
        rows = await read(rows.at(-1), BATCH);
      },
    },
    { highWaterMark: 1 },
  );
}

const encoder = new TextEncoder();

const TYPES = { csv: "text/csv; charset=utf-8", txt: "text/plain; charset=utf-8", pdf: "application/pdf" };

const download = ({ now }: Selection, ending: keyof typeof TYPES, body: BodyInit): Response =>
  new Response(body, {
    headers: {
      "Content-Type": TYPES[ending],
      "Content-Disposition": `attachment; filename="heed-reports-${now.toISOString().slice(0, 10)}.${ending}"`,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Cache-Control": "private, no-store",
      Vary: "Cookie",
    },
  });
