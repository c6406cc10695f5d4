import { createDownloadResponse, createTextStream } from "#lib/operation/exports.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { recordAccessOfIncidents } from "#lib/incidents/access.ts";
import { chooseTimeZoneOfEvents, type ReaderTimeZones } from "#lib/design/reader-zone.ts";
import type { TimeFormatOptions } from "#lib/design/time.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { MAX_REPORTS_IN_PDF, renderPdf } from "./pdf.ts";
import {
  listNextReportExportBatch,
  listSelectedEvents,
  loadOrganizationAndEventNames,
  type ExportedReportRow,
} from "./export-queries.ts";
import { loadAnalytics } from "./queries.ts";
import { createReadableCsvFormat, formatReportCsvHeader, formatReportCsvRows } from "./report-csv.ts";
import {
  formatExportDocumentReportRow,
  buildAnalyticsExportDocument,
  renderExportTextBeforeReportList,
  renderExportedReportLinesAsText,
} from "./report.ts";
import type { ReportExportQuery } from "./schema.ts";
import { type ReportSelection, buildReportSelection } from "./counted-reports-sql.ts";

/** The person who exports, their right and their request, for the audit log. */
type ExportAuditContext = { actor: { id: string }; right: string; call: { requestId: string } };
/**
 * `format=pdf` returns plain text unless the client accepts a real PDF (contract 10.3). `signal` aborts when the client
 * disconnects. Exports for people show times in the zone that `reader` chose, else in that of the report's event; a CSV
 * file has one zone for all.
 */
type ReportExportOptions = {
  query: ReportExportQuery;
  typeset: boolean;
  signal?: AbortSignal;
  reader: ReaderTimeZones & Pick<Actor, "id" | "token">;
};

/**
 * Creates the response that exports an organization's reports, in this order: checks the filter, writes the audit
 * entry, reads the first reports, starts the response, and reads the rest as the client consumes it. Records every
 * exported report in its own access log before it is sent.
 * @throws AppError NOT_FOUND when the filter names an event that isn't the organization's; SERVICE_UNAVAILABLE when
 *   this person already has a PDF in progress, or too many are in progress
 */
export async function createReportExportResponse(
  organizationId: string,
  { query, typeset, signal, reader }: ReportExportOptions,
  context: ExportAuditContext,
): Promise<Response> {
  const { format, labels, ...filter } = query;
  const selection = buildReportSelection(organizationId, filter, reader);
  const names = await loadOrganizationAndEventNames(selection);
  await auditExport(selection, format, context);
  const selectedEvents = await listSelectedEvents(selection);
  const events = selectedEvents.map(({ id }) => id);
  const readReports: ReportReader = (last, count) =>
    recordAccess(listNextReportExportBatch(selection, { events, last, count }), context);
  const respondWithText = async (kind: "csv" | "txt", text: AsyncGenerator<string>) =>
    fileResponse(selection, kind, await createTextStream(text));
  if (format === "csv") {
    const readable = labels && { locale: labels, timeZone: chooseTimeZoneOfEvents(reader, selectedEvents) };
    return respondWithText("csv", streamReports(readReports, ...createCsvWriter(readable)));
  }
  const report = buildAnalyticsExportDocument(
    selection,
    { ...names, reader },
    await loadAnalytics(selection),
  );
  const toDocumentRow = (row: ExportedReportRow) =>
    formatExportDocumentReportRow(row, buildIncidentPageUrl(row), reader);
  if (typeset) {
    const rows = (await readReports(undefined, MAX_REPORTS_IN_PDF)).map(toDocumentRow);
    const rendering = { personId: context.actor.id, signal };
    const pdf = await renderPdf({ kind: "reports", content: { report, rows } }, rendering);
    return fileResponse(selection, "pdf", pdf);
  }
  const writeLines: ReportWriter = (rows) => renderExportedReportLinesAsText(rows.map(toDocumentRow));
  const before = renderExportTextBeforeReportList(report);
  return respondWithText("txt", streamReports(readReports, before, writeLines));
}

async function auditExport(
  { organizationId, filter }: ReportSelection,
  format: string,
  context: ExportAuditContext,
): Promise<void> {
  const { timeRange, eventId = null, from, to } = filter;
  const status = filter.status?.join(",") ?? null;
  const severity = filter.severity?.join(",") ?? null;
  await runTransaction((tx) =>
    appendAuditEntry(
      tx,
      buildAuditEntry(
        { ...context, organizationId, eventId },
        "reports.export",
        { type: "organization", id: organizationId },
        { format, timeRange, eventId, status, severity, ...(from && { from }), ...(to && { to }) },
      ),
    ),
  );
}

type ReportReader = (last: ExportedReportRow | undefined, count: number) => Promise<ExportedReportRow[]>;

async function recordAccess(
  reading: Promise<ExportedReportRow[]>,
  { actor, right }: ExportAuditContext,
): Promise<ExportedReportRow[]> {
  const rows = await reading;
  const ids = rows.map(({ id }) => id);
  await recordAccessOfIncidents(sql, ids, { actorId: actor.id, kind: "export", right });
  return rows;
}

type ReportWriter = (rows: readonly ExportedReportRow[]) => string;

/** The header and the rows: in the columns of the contract or, with `readable`, for people. */
export function createCsvWriter(
  readable: TimeFormatOptions | undefined,
): [header: string, write: ReportWriter] {
  if (!readable) return [formatReportCsvHeader(), (rows) => formatReportCsvRows(rows, buildIncidentPageUrl)];
  const { header, formatRows } = createReadableCsvFormat(readable);
  return [header, (rows) => formatRows(rows, buildIncidentPageUrl)];
}

/** Builds the URL of an incident's page; only people with access can open it. */
const buildIncidentPageUrl = (row: Pick<ExportedReportRow, "id" | "eventSlug">): string =>
  `${env().baseUrl}/e/${row.eventSlug}/i/${row.id}`;

const BATCH_SIZE = 1000;

/** Yields the header and then every report of the selection, reading one batch at a time. */
async function* streamReports(
  readReports: ReportReader,
  head: string,
  write: ReportWriter,
): AsyncGenerator<string, void> {
  let rows = await readReports(undefined, BATCH_SIZE);
  yield head + write(rows);
  while (rows.length === BATCH_SIZE) {
    rows = await readReports(rows.at(-1), BATCH_SIZE);
    yield write(rows);
  }
}

const CONTENT_TYPES = {
  csv: "text/csv; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  pdf: "application/pdf",
};

const fileResponse = (
  { now }: ReportSelection,
  ending: keyof typeof CONTENT_TYPES,
  body: BodyInit,
): Response =>
  createDownloadResponse(
    `heed-reports-${now.toISOString().slice(0, 10)}.${ending}`,
    CONTENT_TYPES[ending],
    body,
  );
