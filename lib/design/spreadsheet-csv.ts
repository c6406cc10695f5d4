import { formatCsvLines } from "./csv.ts";
import { formatZoneName, isQuarterHour, type TimeFormatOptions } from "./time.ts";
import { computeWallClockTimeAsUtcMs } from "#lib/wall-clock.ts";

/** Spreadsheets take a file for UTF-8 only if it begins with this. */
const BYTE_ORDER_MARK = "\uFEFF";
const QUARTER_HOUR_MS = 15 * 60 * 1000;

/** The parts of a CSV file that a person opens in a spreadsheet (contract 10.3). */
type SpreadsheetCsv = {
  /** The first line, after the byte order mark. */
  formatHeader: (headings: readonly string[]) => string;
  /** Lines as in `formatCsvLines`: user text among the cells must have gone through `escapeFormula`. */
  formatLines: (lines: readonly string[][]) => string;
  /** The heading of a column of times, with the zone in which they are: "Reported (Europe/Berlin)". */
  formatTimeHeading: (heading: string) => string;
  /** "2026-03-14 15:02" in the zone; blank for null. */
  formatTime: (at: Date | string | null) => string;
  /** The same for the time of a report: "2026-03-14 15:30–15:45" where it is rounded (contract 7.3). */
  formatReportTime: (at: Date | string) => string;
};

/**
 * Creates the format of a CSV file for people. Cells are separated as spreadsheets in that language expect it: by a
 * semicolon where the comma is the decimal sign.
 */
export function createSpreadsheetCsv({ locale, timeZone }: TimeFormatOptions): SpreadsheetCsv {
  const delimiter = locale === "en" ? "," : ";";
  const clock = (at: number) =>
    new Date(computeWallClockTimeAsUtcMs(at, timeZone)).toISOString().slice(0, 16).replace("T", " ");
  const formatTime = (at: Date | string | null) => (at === null ? "" : clock(new Date(at).getTime()));
  return {
    formatHeader: (headings) => BYTE_ORDER_MARK + formatCsvLines([[...headings]], delimiter),
    formatLines: (lines) => (lines.length === 0 ? "" : formatCsvLines(lines, delimiter)),
    formatTimeHeading: (heading) => `${heading} (${formatZoneName(timeZone)})`,
    formatTime,
    formatReportTime: (at) =>
      isQuarterHour(at)
        ? `${formatTime(at)}–${clock(new Date(at).getTime() + QUARTER_HOUR_MS).slice("2026-03-14 ".length)}`
        : formatTime(at),
  };
}
