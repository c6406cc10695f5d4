import { escapeFormula, formatCsvLines } from "#lib/design/csv.ts";
import { chooseTimeZoneForEventTimes, type ReaderTimeZones } from "#lib/design/reader-zone.ts";
import { formatDateTime } from "#lib/design/time.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { ExportedReportRow } from "./queries.ts";

type ReadableCsv = {
  header: string;
  formatRows: (rows: readonly ExportedReportRow[], urlOf: (row: ExportedReportRow) => string) => string;
};

/** Spreadsheets take a file for UTF-8 only if it begins with this. */
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Creates the columns of a CSV export for people (contract 10.3): named in their language, with states and severities
 * as the pages name them, and times in the zone that the reader chose, else in that of each report's event.
 */
export function createReadableCsvFormat(locale: Locale, reader: ReaderTimeZones): ReadableCsv {
  const t = createTranslatorForLocale(locale, "insights");
  const tIncident = createTranslatorForLocale(locale, "incident");
  const header = [
    t("recent.report"),
    ...COLUMNS.map((column) => tIncident(`field.${column}`)),
    t("csv.url"),
    t("csv.id"),
  ];
  const formatRow = (row: ExportedReportRow, url: string): string[] => {
    const timeZone = chooseTimeZoneForEventTimes(reader, row.timeZone);
    const time = (at: string | null) => (at ? formatDateTime(new Date(at), { locale, timeZone }) : "");
    return [
      escapeFormula(row.title),
      tIncident(`state.${row.state}`),
      tIncident(`severity.${row.severity ?? "none"}`),
      escapeFormula(row.event),
      escapeFormula(row.assignedTo ?? ""),
      ...[row.createdAt, row.firstResponseAt, row.resolvedAt].map(time),
      url,
      row.id,
    ];
  };
  return {
    header: BYTE_ORDER_MARK + formatCsvLines([header]),
    formatRows: (rows, urlOf) =>
      rows.length === 0 ? "" : formatCsvLines(rows.map((row) => formatRow(row, urlOf(row)))),
  };
}

const COLUMNS = ["state", "severity", "event", "assignee", "reported", "firstAnswer", "resolved"] as const;
