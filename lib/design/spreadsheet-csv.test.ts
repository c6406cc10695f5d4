import { expect, it } from "vitest";
import { createSpreadsheetCsv } from "./spreadsheet-csv.ts";

const berlin = createSpreadsheetCsv({ locale: "de", timeZone: "Europe/Berlin" });

it("separates cells by semicolons where the comma is the decimal sign, and quotes cells that have one", () => {
  expect(berlin.formatLines([["a;b", "1,5"]])).toBe('"a;b";1,5\r\n');
  const english = createSpreadsheetCsv({ locale: "en", timeZone: "UTC" });
  expect(english.formatLines([["a;b", "1,5"]])).toBe('a;b,"1,5"\r\n');
});

it("begins with a byte order mark, without which spreadsheets take the file for Latin-1", () => {
  expect(berlin.formatHeader(["Größe"])).toBe("\uFEFFGröße\r\n");
});

it("writes times as spreadsheets read them, in the zone that the heading names", () => {
  expect(berlin.formatTimeHeading("Gemeldet")).toBe("Gemeldet (Europe/Berlin)");
  expect(berlin.formatTime("2026-07-04T22:31:59.500Z")).toBe("2026-07-05 00:31");
  expect(berlin.formatTime(null)).toBe("");
});

it("writes a rounded time of a report as the span that it stands for, also over midnight", () => {
  expect(berlin.formatReportTime("2026-07-04T21:45:00.000Z")).toBe("2026-07-04 23:45–00:00");
  expect(berlin.formatReportTime("2026-07-04T21:45:00.001Z")).toBe("2026-07-04 23:45");
});
