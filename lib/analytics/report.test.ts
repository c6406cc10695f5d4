import { describe, expect, it } from "vitest";
import {
  formatExportDocumentReportRow,
  toSafeSingleLine,
  buildAnalyticsExportDocument,
  renderExportTextBeforeReportList,
  renderExportedReportLinesAsText,
} from "./report.ts";
import type { Analytics } from "./schema.ts";

const row = {
  id: "0b8e4f0e-8a55-4a8e-9a5c-0d6c3f0f9a01",
  title: "Shouted at a volunteer",
  state: "resolved",
  severity: null,
  event: "Signal Days",
  eventSlug: "signal-days",
  assignedTo: null,
  createdAt: "2026-03-14T14:02:03.004Z",
  firstResponseAt: null,
  resolvedAt: null,
  timeZone: null,
} as const;

const counted: Analytics = {
  metrics: {
    totalReports: 3,
    pendingReports: 2,
    avgResolutionTime: 26.5,
    escalatedReports: 1,
    medianFirstResponse: null,
    medianResolution: 26.5,
    unassignedReports: 1,
  },
  byStatus: [
    { status: "submitted", count: 2, percentage: 66.7 },
    { status: "resolved", count: 1, percentage: 33.3 },
  ],
  bySeverity: [{ severity: "none", count: 3, percentage: 100 }],
  byEvent: [{ eventId: row.id, eventName: "Signal\nDays", eventSlug: "signal-days", count: 3 }],
  monthlyTrends: [],
  recentReports: [],
};

describe("toSafeSingleLine", () => {
  it.each([
    ["Line one\r\nline two", "Line one line two"],
    ["\u001b[31mred", "[31mred"],
    ["turned \u202eround", "turned round"],
    ["a\u2028b\0c", "a b c"],
    ["العربية 😀", "العربية 😀"],
  ])("writes %j as %j", (text, line) => {
    expect(toSafeSingleLine(text)).toBe(line);
  });
});

describe("renderExportTextBeforeReportList", () => {
  it("says what the report is about, then the numbers, then the shares", () => {
    const filter = { timeRange: "30d" as const, status: ["resolved" as const] };
    const selection = { organizationId: row.id, filter, now: new Date("2026-03-14T14:02:00Z"), reader: null };
    expect(
      renderExportTextBeforeReportList(
        buildAnalyticsExportDocument(
          selection,
          { organization: "Open Signal", event: null, reader: null },
          counted,
        ),
      ),
    ).toBe(
      [
        "Conduct reports: Open Signal",
        "Conduct reports: confidential",
        "Generated 14 Mar 2026, 14:02 UTC",
        "",
        "Period    12 Feb 2026 to 14 Mar 2026 (last 30 days)",
        "Event     All events",
        "Status    Resolved",
        "Severity  Any",
        "",
        "Reports                3",
        "Open                   2",
        "Open, unassigned       1",
        "Escalated              1",
        "Median first response  none yet",
        "Median resolution      26.5 h",
        "Average resolution     26.5 h",
        "",
        "By status",
        "  Submitted        2   66.7%",
        "  Resolved         1   33.3%",
        "",
        "By severity",
        "  Not set        3  100.0%",
        "",
        "By event",
        "  Signal Days        3  100.0%",
        "",
        "Reports, newest first (3)",
        "",
      ].join("\n"),
    );
  });

  it("names a filter for reports without a severity", () => {
    const filter = { timeRange: "30d" as const, severity: ["none" as const] };
    const selection = { organizationId: row.id, filter, now: new Date("2026-03-14T14:02:00Z"), reader: null };
    const head = renderExportTextBeforeReportList(
      buildAnalyticsExportDocument(
        selection,
        { organization: "Open Signal", event: null, reader: null },
        counted,
      ),
    );
    expect(head).toContain("\nStatus    Any\nSeverity  Not set\n");
  });
});

it("writes times for the reader: in their own zone, else in the event's", () => {
  const berlin = { ...row, timeZone: "Europe/Berlin" };
  const createdFor = (timeZone: string | null) =>
    formatExportDocumentReportRow(berlin, "", { timeZone, events: [] }).created;
  expect(createdFor(null)).toBe("14 Mar 2026, 15:02 CET");
  expect(createdFor("America/New_York")).toBe("14 Mar 2026, 10:02 EDT");
});

describe("renderExportedReportLinesAsText", () => {
  it("writes a line a report", () => {
    const line = formatExportDocumentReportRow(
      { ...row, title: "Line one\nline two" },
      "https://heed.example.org/e/signal-days/i/1",
      null,
    );
    expect(renderExportedReportLinesAsText([line])).toBe(
      "14 Mar 2026, 14:02 UTC    Resolved       Not set   Signal Days | Line one line two | No one | " +
        "https://heed.example.org/e/signal-days/i/1\n",
    );
  });
});
