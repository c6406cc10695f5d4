import {
  chooseTimeZoneForEventTimes,
  chooseTimeZoneOutsideEvents,
  type ReaderTimeZones,
} from "#lib/design/reader-zone.ts";
import { formatDate, formatDateTime, createUtcTimeFormatOptions } from "#lib/design/time.ts";
import { DEFAULT_LOCALE } from "#lib/i18n/locales.ts";
import {
  isCustomPeriod,
  computeLastDayOfPeriod,
  computePeriodStart,
  type PeriodFilterAndNow,
  type TimeRangeName,
} from "./period.ts";
import type { ExportedReportRow } from "./export-queries.ts";
import type { Analytics } from "./schema.ts";
import type { ReportSelection } from "./counted-reports-sql.ts";

/** The texts of an exported document, used by the plain text and the PDF. */
export type AnalyticsExportDocument = {
  title: string;
  organization: string;
  confidential: string;
  generated: string;
  /** The scope of the document, as names and values. */
  scope: [string, string][];
  metrics: [string, string][];
  tables: { title: string; rows: { name: string; count: number; percentage: number }[] }[];
  total: number;
};

/** The subject of the document, and its reader. */
type ExportContext = { organization: string; event: string | null; reader: ReaderTimeZones };

/** Builds the document from the numbers of `selection`. */
export function buildAnalyticsExportDocument(
  selection: ReportSelection,
  { reader, ...names }: ExportContext,
  counted: Analytics,
): AnalyticsExportDocument {
  const { filter, now } = selection;
  const { metrics } = counted;
  return {
    title: "Conduct reports",
    organization: toSafeSingleLine(names.organization),
    confidential: "Conduct reports: confidential",
    generated: formatDateTime(now, { locale: DEFAULT_LOCALE, timeZone: chooseTimeZoneOutsideEvents(reader) }),
    scope: [
      ["Period", describePeriod(selection)],
      ["Event", toSafeSingleLine(names.event ?? "All events")],
      ["Status", filter.status?.map(capitalize).join(", ") ?? "Any"],
      ["Severity", filter.severity?.map(formatSeverity).join(", ") ?? "Any"],
    ],
    metrics: [
      ["Reports", String(metrics.totalReports)],
      ["Open", String(metrics.pendingReports)],
      ["Open, unassigned", String(metrics.unassignedReports)],
      ["Escalated", String(metrics.escalatedReports)],
      ["Median first response", formatHours(metrics.medianFirstResponse)],
      ["Median resolution", formatHours(metrics.medianResolution)],
      ["Average resolution", formatHours(metrics.avgResolutionTime)],
    ],
    tables: buildTables(counted),
    total: metrics.totalReports,
  };
}

function buildTables({
  byStatus,
  bySeverity,
  byEvent,
  metrics,
}: Analytics): AnalyticsExportDocument["tables"] {
  const share = (count: number) => (metrics.totalReports ? (100 * count) / metrics.totalReports : 0);
  return [
    {
      title: "By status",
      rows: byStatus.map(({ status, ...rest }) => ({ name: capitalize(status), ...rest })),
    },
    {
      title: "By severity",
      rows: bySeverity.map(({ severity, ...rest }) => ({ name: formatSeverity(severity), ...rest })),
    },
    {
      title: "By event",
      rows: byEvent.map(({ eventName, count }) => ({
        name: toSafeSingleLine(eventName),
        count,
        percentage: share(count),
      })),
    },
  ];
}

const PERIOD_LABELS: Record<TimeRangeName, string> = {
  "30d": "last 30 days",
  "90d": "last 90 days",
  "1y": "last year",
  all: "all time",
};

function describePeriod(selection: PeriodFilterAndNow): string {
  const { filter } = selection;
  const [from, to] = [computePeriodStart(selection), computeLastDayOfPeriod(selection)].map(
    (at) => at && formatDate(at, createUtcTimeFormatOptions()),
  );
  const dateRange = from ? `${from} to ${to}` : `up to ${to}`;
  return isCustomPeriod(filter) ? dateRange : `${dateRange} (${PERIOD_LABELS[filter.timeRange]})`;
}

const formatHours = (value: number | null): string => (value === null ? "none yet" : `${value.toFixed(1)} h`);
const formatSeverity = (severity: string): string => (severity === "none" ? "Not set" : capitalize(severity));

/** A row of the list in the exported document, each value as the text that is printed. */
export type ExportDocumentReportRow = {
  created: string;
  status: string;
  severity: string;
  event: string;
  title: string;
  assignedTo: string;
  url: string;
};

/**
 * Formats a report as a row of the document. Times are in the zone that the reader chose, else in that of the
 * report's event.
 */
export const formatExportDocumentReportRow = (
  row: ExportedReportRow,
  url: string,
  reader: ReaderTimeZones,
): ExportDocumentReportRow => ({
  created: formatDateTime(new Date(row.createdAt), {
    locale: DEFAULT_LOCALE,
    timeZone: chooseTimeZoneForEventTimes(reader, row.timeZone),
  }),
  status: capitalize(row.state),
  severity: formatSeverity(row.severity ?? "none"),
  event: toSafeSingleLine(row.event),
  title: toSafeSingleLine(row.title),
  assignedTo: toSafeSingleLine(row.assignedTo ?? "No one"),
  url,
});

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Returns user text without line breaks and without characters that control a terminal or change the text direction.
 */
export const toSafeSingleLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\s]+/gu, " ").trim();

/** Renders the plain-text document except for its list. */
export function renderExportTextBeforeReportList(report: AnalyticsExportDocument): string {
  return [
    `${report.title}: ${report.organization}`,
    report.confidential,
    `Generated ${report.generated}`,
    "",
    ...alignColumns(report.scope),
    "",
    ...alignColumns(report.metrics),
    ...report.tables.flatMap(({ title, rows }) => ["", title, ...renderShares(rows)]),
    "",
    `Reports, newest first (${report.total})`,
    "",
  ].join("\n");
}

const alignColumns = (pairs: readonly [string, string][]): string[] => {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
};

const renderShares = (rows: AnalyticsExportDocument["tables"][number]["rows"]): string[] => {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(
    ({ name, count, percentage }) =>
      `  ${name.padEnd(width)}  ${String(count).padStart(7)}  ${percentage.toFixed(1).padStart(5)}%`,
  );
};

/** As long as "14 Mar 2026, 14:02 GMT-3". */
const MAX_TIME_LENGTH = 24;

/** Renders reports as text, one line each. */
export const renderExportedReportLinesAsText = (rows: readonly ExportDocumentReportRow[]): string =>
  rows.map(renderTextLine).join("");

const renderTextLine = ({
  created,
  status,
  severity,
  event,
  title,
  assignedTo,
  url,
}: ExportDocumentReportRow): string =>
  `${created.padEnd(MAX_TIME_LENGTH)}  ${status.padEnd(13)}  ${severity.padEnd(8)}  ${event} | ${title} | ${assignedTo} | ${url}\n`;
