import { escapeFormula, formatCsvLines } from "#lib/design/csv.ts";
import { createSpreadsheetCsv } from "#lib/design/spreadsheet-csv.ts";
import type { TimeFormatOptions } from "#lib/design/time.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { ExportedReportRow } from "./export-queries.ts";

/** The columns of a CSV export, in order (contract 10.3). */
const REPORT_CSV_COLUMNS = [
  "id",
  "title",
  "status",
  "severity",
  "event",
  "assignedTo",
  "createdAt",
  "firstResponseAt",
  "resolvedAt",
  "url",
] as const;

export const formatReportCsvHeader = (): string => formatCsvLines([[...REPORT_CSV_COLUMNS]]);

/** Formats rows as RFC 4180 lines, each ending in CR LF. `urlOf` returns the URL of a report's page. */
export function formatReportCsvRows(
  rows: readonly ExportedReportRow[],
  urlOf: (row: ExportedReportRow) => string,
): string {
  if (rows.length === 0) return "";
  return formatCsvLines(rows.map((row) => toCells(row, urlOf)));
}

const toCells = (row: ExportedReportRow, urlOf: (row: ExportedReportRow) => string): string[] => [
  row.id,
  escapeFormula(row.title),
  row.state,
  row.severity ?? "",
  escapeFormula(row.event),
  escapeFormula(row.assignedTo ?? ""),
  row.createdAt,
  row.firstResponseAt ?? "",
  row.resolvedAt ?? "",
  urlOf(row),
];

type ReadableCsv = {
  header: string;
  formatRows: (rows: readonly ExportedReportRow[], urlOf: (row: ExportedReportRow) => string) => string;
};

/**
 * Creates the columns of a CSV export of reports for people (contract 10.3): named in their language, with statuses and
 * severities as the pages name them, and all times in one zone.
 */
export function createReadableCsvFormat(format: TimeFormatOptions): ReadableCsv {
  const t = createTranslatorForLocale(format.locale, "insights");
  const tIncident = createTranslatorForLocale(format.locale, "incident");
  const csv = createSpreadsheetCsv(format);
  const formatRow = (row: ExportedReportRow, url: string): string[] => [
    escapeFormula(row.title),
    tIncident(`state.${row.state}`),
    tIncident(`severity.${row.severity ?? "none"}`),
    escapeFormula(row.event),
    escapeFormula(row.assignedTo ?? ""),
    csv.formatReportTime(row.createdAt),
    csv.formatTime(row.firstResponseAt),
    csv.formatTime(row.resolvedAt),
    url,
    row.id,
  ];
  return {
    header: csv.formatHeader([
      t("recent.report"),
      ...(["state", "severity", "event", "assignee"] as const).map((column) => tIncident(`field.${column}`)),
      ...(["reported", "firstAnswer", "resolved"] as const).map((column) =>
        csv.formatTimeHeading(tIncident(`field.${column}`)),
      ),
      t("csv.url"),
      t("csv.id"),
    ]),
    formatRows: (rows, urlOf) => csv.formatLines(rows.map((row) => formatRow(row, urlOf(row)))),
  };
}
