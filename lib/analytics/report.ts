import { exactDate, exactTime } from "#lib/design/time.ts";
import { startOf, type TimeRange } from "./period.ts";
import type { ReportRow } from "./queries.ts";
import type { Analytics } from "./schema.ts";
import type { Selection } from "./filter-sql.ts";

/** The words of a report on paper, for the plain text and the PDF alike. */
export type Report = {
  title: string;
  organization: string;
  confidential: string;
  generated: string;
  /** What the report is about, as name and value. */
  scope: [string, string][];
  metrics: [string, string][];
  tables: { title: string; rows: { name: string; count: number; percentage: number }[] }[];
  total: number;
};

/** What `selection` counted, in words. */
export function reportOf(
  selection: Selection,
  names: { organization: string; event: string | null },
  counted: Analytics,
): Report {
  const { filter, now } = selection;
  const { metrics } = counted;
  return {
    title: "Conduct reports",
    organization: oneLine(names.organization),
    confidential: "Conduct reports: confidential",
    generated: exactTime(now),
    scope: [
      ["Period", periodWords(filter.timeRange, now)],
      ["Event", oneLine(names.event ?? "All events")],
      ["Status", filter.status ? capital(filter.status) : "Any"],
      ["Severity", filter.severity ? severityWord(filter.severity) : "Any"],
    ],
    metrics: [
      ["Reports", String(metrics.totalReports)],
      ["Pending", String(metrics.pendingReports)],
      ["Pending, unassigned", String(metrics.unassignedReports)],
      ["Escalated", String(metrics.escalatedReports)],
      ["Median first response", hours(metrics.medianFirstResponse)],
      ["Median resolution", hours(metrics.medianResolution)],
      ["Average resolution", hours(metrics.avgResolutionTime)],
    ],
    tables: tablesOf(counted),
    total: metrics.totalReports,
  };
}

function tablesOf({ byStatus, bySeverity, byEvent, metrics }: Analytics): Report["tables"] {
  const share = (count: number) => (metrics.totalReports ? (100 * count) / metrics.totalReports : 0);
  return [
    { title: "By status", rows: byStatus.map(({ status, ...rest }) => ({ name: capital(status), ...rest })) },
    {
      title: "By severity",
      rows: bySeverity.map(({ severity, ...rest }) => ({ name: severityWord(severity), ...rest })),
    },
    {
      title: "By event",
      rows: byEvent.map(({ eventName, count }) => ({
        name: oneLine(eventName),
        count,
        percentage: share(count),
      })),
    },
  ];
}

const PERIODS: Record<TimeRange, string> = {
  "30d": "last 30 days",
  "90d": "last 90 days",
  "1y": "last year",
  all: "everything",
};

function periodWords(range: TimeRange, now: Date): string {
  const since = startOf(range, now);
  const words = since ? `${exactDate(since)} to ${exactDate(now)}` : `up to ${exactDate(now)}`;
  return `${words} (${PERIODS[range]})`;
}

const hours = (value: number | null): string => (value === null ? "none yet" : `${value.toFixed(1)} h`);
const severityWord = (severity: string): string => (severity === "none" ? "Not set" : capital(severity));

/** A report as a line of the list. */
export type ReportLine = {
  created: string;
  status: string;
  severity: string;
  event: string;
  title: string;
  assignedTo: string;
  url: string;
};

export const lineOf = (row: ReportRow, url: string): ReportLine => ({
  created: exactTime(new Date(row.createdAt)),
  status: capital(row.state),
  severity: severityWord(row.severity ?? "none"),
  event: oneLine(row.event),
  title: oneLine(row.title),
  assignedTo: oneLine(row.assignedTo ?? "Nobody"),
  url,
});

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What people wrote, without line breaks and characters that steer a terminal or turn the writing around. */
export const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\s]+/gu, " ").trim();

/** The head of the plain-text report: everything but the list. */
export function textHead(report: Report): string {
  return [
    `${report.title}: ${report.organization}`,
    report.confidential,
    `Generated ${report.generated}`,
    "",
    ...columns(report.scope),
    "",
    ...columns(report.metrics),
    ...report.tables.flatMap(({ title, rows }) => ["", title, ...shares(rows)]),
    "",
    `Reports, newest first (${report.total})`,
    "",
  ].join("\n");
}

const columns = (pairs: readonly [string, string][]): string[] => {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
};

const shares = (rows: Report["tables"][number]["rows"]): string[] => {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(
    ({ name, count, percentage }) =>
      `  ${name.padEnd(width)}  ${String(count).padStart(7)}  ${percentage.toFixed(1).padStart(5)} %`,
  );
};

/** Reports as lines of text, one a report. */
export const textLines = (lines: readonly ReportLine[]): string => lines.map(textLine).join("");

const textLine = ({ created, status, severity, event, title, assignedTo, url }: ReportLine): string =>
  `${created.padEnd(22)}  ${status.padEnd(13)}  ${severity.padEnd(8)}  ${event} | ${title} | ${assignedTo} | ${url}\n`;
