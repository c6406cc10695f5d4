import { download, streamed } from "#lib/operation/exports.ts";
import { audit } from "#lib/audit/audit.ts";
import { transaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { recordExport } from "#lib/incidents/access.ts";
import { csvHeader, csvLines } from "#lib/design/csv.ts";
import { LISTED_IN_PDF, renderPdf } from "./pdf.ts";
import { analyticsOf, eventsOf, namesOf, reportsAfter, type ReportRow } from "./queries.ts";
import { lineOf, reportOf, textHead, textLines } from "./report.ts";
import type { ExportQuery } from "./schema.ts";
import type { Selection } from "./filter-sql.ts";

/** Who asks, by what right, and in which request: for the audit log. */
export type Exporter = { actorId: string; right: string; requestId: string };
/**
 * `format=pdf` is readable text, unless the client asked for a PDF proper (contract 10.3). `signal` tells that
 * the client has gone.
 */
export type Wanted = { query: ExportQuery; typeset: boolean; signal?: AbortSignal };

/**
 * Hands an organization's reports out, in this order: the filter is checked, the export goes into the audit
 * log, the first reports are read, the answer begins, and the rest is read as the client takes it. No report leaves
 * without a line in its own log of who has looked.
 * @throws AppError NOT_FOUND when the filter names an event that isn't the organization's;
 *   SERVICE_UNAVAILABLE when another PDF of theirs, or too many, are being made
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
  const events = await eventsOf(selection);
  const read: Reader = (last, count) => recorded(reportsAfter(selection, { events, last, count }), by);
  if (format === "csv") return file(selection, "csv", await streamed(written(read, csvHeader(), csv)));
  const report = reportOf(selection, names, await analyticsOf(selection));
  if (!typeset) return file(selection, "txt", await streamed(written(read, textHead(report), plain)));
  const newest = await read(undefined, LISTED_IN_PDF);
  return file(
    selection,
    "pdf",
    await renderPdf(report, newest.map(toLine), { personId: by.actorId, signal }),
  );
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
export const urlOf = (row: Pick<ReportRow, "id" | "eventSlug">): string =>
  `${env().baseUrl}/e/${row.eventSlug}/i/${row.id}`;

const BATCH = 1000;

/** A head and then every report of the selection, read a batch at a time. */
async function* written(read: Reader, head: string, write: Writer): AsyncGenerator<string, void> {
  let rows = await read(undefined, BATCH);
  yield head + write(rows);
  while (rows.length === BATCH) {
    rows = await read(rows.at(-1), BATCH);
    yield write(rows);
  }
}

const TYPES = { csv: "text/csv; charset=utf-8", txt: "text/plain; charset=utf-8", pdf: "application/pdf" };

const file = ({ now }: Selection, ending: keyof typeof TYPES, body: BodyInit): Response =>
  download(`heed-reports-${now.toISOString().slice(0, 10)}.${ending}`, TYPES[ending], body);
