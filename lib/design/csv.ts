import Papa from "papaparse";
import type { ReportRow } from "#lib/analytics/queries.ts";

/** The columns of a CSV export, in order (contract 10.3). */
export const COLUMNS = [
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
const OPTIONS = { header: false, newline: NEWLINE };

export const csvHeader = (): string => COLUMNS.join(",") + NEWLINE;

/** Rows as RFC 4180 lines, each ending in CR LF. `urlOf` gives the address of a report's page. */
export function csvLines(rows: readonly ReportRow[], urlOf: (row: ReportRow) => string): string {
  if (rows.length === 0) return "";
  return (
    Papa.unparse(
      rows.map((row) => cellsOf(row, urlOf)),
      OPTIONS,
    ) + NEWLINE
  );
}

const cellsOf = (row: ReportRow, urlOf: (row: ReportRow) => string): string[] => [
  row.id,
  harmless(row.title),
  row.state,
  row.severity ?? "",
  harmless(row.event),
  harmless(row.assignedTo ?? ""),
  row.createdAt,
  row.firstResponseAt ?? "",
  row.resolvedAt ?? "",
  urlOf(row),
];

/**
 * Text that people wrote, so that no spreadsheet takes it for a formula: an apostrophe goes before it.
 * Quotes, blanks, separators and what can't be seen may stand before the sign, since programs skip them or
 * split there; the wide forms of the signs count too (contract 10.3).
 */
export const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const FORMULA = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}"'`,;|]*[=+\-@＝＋－＠])/u;
