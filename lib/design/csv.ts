import Papa from "papaparse";
import type { ExportedReportRow } from "#lib/analytics/export-queries.ts";

/** The columns of a CSV export, in order (contract 10.3). */
export const REPORT_CSV_COLUMNS = [
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

const NEWLINE = "\r\n";

export const formatReportCsvHeader = (): string => REPORT_CSV_COLUMNS.join(",") + NEWLINE;

/** Formats rows as RFC 4180 lines, each ending in CR LF. `urlOf` returns the URL of a report's page. */
export function formatReportCsvRows(
  rows: readonly ExportedReportRow[],
  urlOf: (row: ExportedReportRow) => string,
): string {
  if (rows.length === 0) return "";
  return formatCsvLines(rows.map((row) => toCells(row, urlOf)));
}

/** Formats cells as RFC 4180 lines. User text among them must have gone through `escapeFormula`. */
export const formatCsvLines = (lines: readonly string[][], delimiter = ","): string =>
  Papa.unparse([...lines], { header: false, newline: NEWLINE, delimiter }) + NEWLINE;

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

/**
 * Prefixes user text with an apostrophe if a spreadsheet could read it as a formula. The formula sign may follow
 * quotes, blanks, separators and invisible characters, since programs skip them or split there; full-width forms of the
 * signs count too (contract 10.3).
 */
export const escapeFormula = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text);

const FORMULA_START = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}"'`,;|]*[=+\-@＝＋－＠])/u;
