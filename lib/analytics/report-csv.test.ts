import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import type { ExportedReportRow } from "./export-queries.ts";
import { formatReportCsvHeader, formatReportCsvRows } from "./report-csv.ts";

const report: ExportedReportRow = {
  id: "0b8e4f0e-8a55-4a8e-9a5c-0d6c3f0f9a01",
  title: "Shouted at a volunteer",
  state: "resolved",
  severity: "high",
  event: "Signal Days",
  eventSlug: "signal-days",
  timeZone: null,
  assignedTo: "Omar Håkansson",
  createdAt: "2026-03-14T14:02:03.004Z",
  firstResponseAt: "2026-03-14T15:00:00.000Z",
  resolvedAt: "2026-03-16T09:30:00.000Z",
};
const urlOf = (row: ExportedReportRow) => `https://heed.example.org/e/${row.eventSlug}/i/${row.id}`;
const readBack = (rows: ExportedReportRow[]) =>
  Papa.parse<Record<string, string>>(formatReportCsvHeader() + formatReportCsvRows(rows, urlOf), {
    header: true,
    skipEmptyLines: true,
  }).data;

describe("formatReportCsvRows", () => {
  it("writes every column in the documented order, lines ending in CR LF", () => {
    expect(formatReportCsvHeader() + formatReportCsvRows([report], urlOf)).toBe(
      "id,title,status,severity,event,assignedTo,createdAt,firstResponseAt,resolvedAt,url\r\n" +
        "0b8e4f0e-8a55-4a8e-9a5c-0d6c3f0f9a01,Shouted at a volunteer,resolved,high,Signal Days,Omar Håkansson," +
        "2026-03-14T14:02:03.004Z,2026-03-14T15:00:00.000Z,2026-03-16T09:30:00.000Z," +
        "https://heed.example.org/e/signal-days/i/0b8e4f0e-8a55-4a8e-9a5c-0d6c3f0f9a01\r\n",
    );
  });

  it("leaves missing values empty", () => {
    const [row] = readBack([
      { ...report, severity: null, assignedTo: null, firstResponseAt: null, resolvedAt: null },
    ]);
    expect([row?.severity, row?.assignedTo, row?.firstResponseAt, row?.resolvedAt]).toEqual(["", "", "", ""]);
  });

  it.each([
    'He said "no", twice; left',
    "Line one\nline two",
    "Lone\rreturn",
    " blank around ",
    "😀 العربية",
    "a,b;c\td",
  ])("gives %j back to a CSV reader", (title) => {
    const rows = readBack([{ ...report, title }, report]);
    expect(rows.map((row) => row.title)).toEqual([title, report.title]);
    expect(Object.keys(rows[0] ?? {}).join()).toBe(formatReportCsvHeader().trimEnd());
  });

  it("prefixes a formula in a title, an event or a name with an apostrophe", () => {
    const [row] = readBack([
      { ...report, title: '=HYPERLINK("x","y")', event: "+Signal", assignedTo: "@omar" },
    ]);
    expect([row?.title, row?.event, row?.assignedTo]).toEqual([
      '\'=HYPERLINK("x","y")',
      "'+Signal",
      "'@omar",
    ]);
  });

  it("writes nothing for no rows", () => {
    expect(formatReportCsvRows([], urlOf)).toBe("");
  });
});
