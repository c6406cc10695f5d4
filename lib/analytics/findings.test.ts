import { describe, expect, test } from "vitest";
import {
  describeTimelyFirstResponses,
  describeBacklogChange,
  describeBusiestChartPoint,
  describeAnonymousShare,
  describeBusiestEvents,
  formatHoursAsDuration,
  describeMostFrequentReportType,
  describeHighSeverityShare,
  describeWaitingReports,
} from "./findings.ts";

const months = (...counts: number[]) => counts.map((count, index) => ({ at: `2026-0${index + 1}`, count }));
const inMonths = { unit: "month", locale: "en" } as const;

describe("describeBusiestChartPoint", () => {
  test("names the busiest month", () => {
    expect(describeBusiestChartPoint(months(3, 14, 5), inMonths)).toBe(
      "Feb 2026 had the most reports: 14 of 22",
    );
  });
  test("names two months with the same number", () => {
    expect(describeBusiestChartPoint(months(4, 1, 4), inMonths)).toBe(
      "Jan 2026 and Mar 2026 had the most reports: 4 each, out of 9",
    );
  });
  test("names no month when many have the same number", () => {
    expect(describeBusiestChartPoint(months(1, 1, 1), inMonths)).toBe(
      "Never more than 1 report a month, 3 in all",
    );
  });
  test("names the busiest day", () => {
    const days = [3, 14].map((count, index) => ({ at: `2026-03-0${index + 1}`, count }));
    expect(describeBusiestChartPoint(days, { unit: "day", locale: "en" })).toBe(
      "2 Mar 2026 had the most reports: 14 of 17",
    );
  });
  test("names the busiest year in each language's words", () => {
    const years = [3, 14].map((count, index) => ({ at: `202${index + 5}`, count }));
    expect(describeBusiestChartPoint(years, { unit: "year", locale: "en" })).toBe(
      "2026 had the most reports: 14 of 17",
    );
    expect(describeBusiestChartPoint(years, { unit: "year", locale: "de" })).toBe(
      "Die meisten Meldungen kamen im Jahr 2026: 14 von 17",
    );
  });
  test("has its own sentence for one month and for none", () => {
    expect(describeBusiestChartPoint(months(2), inMonths)).toBe("2 reports in Jan 2026");
    expect(describeBusiestChartPoint(months(0, 1, 0), inMonths)).toBe("One report came in during Feb 2026");
    expect(describeBusiestChartPoint(months(0, 0), inMonths)).toBe("No reports came in");
    expect(describeBusiestChartPoint([], inMonths)).toBe("No reports came in");
  });
});

describe("describeWaitingReports", () => {
  const states = (submitted: number, closed: number) => [
    { status: "submitted" as const, count: submitted, percentage: 0 },
    { status: "closed" as const, count: closed, percentage: 0 },
  ];
  test("says how many wait", () => {
    expect(describeWaitingReports(states(9, 53), "en")).toBe(
      "9 of 62 reports are waiting for a first response",
    );
    expect(describeWaitingReports(states(1, 1), "en")).toBe("1 of 2 reports is waiting for a first response");
  });
  test("says when all wait", () => {
    expect(describeWaitingReports(states(4, 0), "en")).toBe("All 4 reports are waiting for a first response");
    expect(describeWaitingReports(states(1, 0), "en")).toBe(
      "The only report is waiting for a first response",
    );
  });
  test("says when none waits", () => {
    expect(describeWaitingReports(states(0, 3), "en")).toBe("All 3 reports have had a first response");
    expect(describeWaitingReports(states(0, 1), "en")).toBe("The only report has had a first response");
  });
});

describe("describeHighSeverityShare", () => {
  const severities = (high: number, low: number, none: number) => [
    { severity: "high" as const, count: high, percentage: 0 },
    { severity: "low" as const, count: low, percentage: 0 },
    { severity: "none" as const, count: none, percentage: 0 },
  ];
  test("says how many are high or critical", () => {
    expect(describeHighSeverityShare(severities(2, 3, 1), "en")).toBe("2 of 6 reports are high or critical");
    expect(describeHighSeverityShare(severities(1, 0, 0), "en")).toBe("The only report is high or critical");
    expect(describeHighSeverityShare(severities(0, 3, 1), "en")).toBe("No reports are high or critical");
  });
  test("says when no severity is set", () => {
    expect(describeHighSeverityShare(severities(0, 0, 4), "en")).toBe(
      "None of these reports has a severity yet",
    );
  });
});

describe("describeBusiestEvents", () => {
  const event = (eventName: string, count: number) => ({
    eventId: eventName,
    eventSlug: eventName,
    eventName,
    count,
  });
  test("names the event with the most", () => {
    expect(describeBusiestEvents([event("Harbour", 31), event("Quiet", 2)], "en")).toBe(
      "Harbour had the most reports: 31 of 33",
    );
  });
  test("counts events with the same number, and names a single one", () => {
    expect(describeBusiestEvents([event("A", 2), event("B", 2), event("C", 1)], "en")).toBe(
      "2 events had the most reports: 2 each, out of 5",
    );
    expect(describeBusiestEvents([event("A", 2), event("B", 0)], "en")).toBe("All 2 reports came from A");
  });
});

test.each([
  [0.4, "24 min"],
  [5.3, "5.3 h"],
  [24, "24 h"],
  [72, "3 days"],
  [76.8, "3.2 days"],
])("%d hours are %s", (hours, expected) => {
  expect(formatHoursAsDuration(hours, "en")).toBe(expected);
});

test("hours are formatted for the language", () => {
  expect(formatHoursAsDuration(5.3, "de")).toBe("5,3 Std.");
  expect(formatHoursAsDuration(76.8, "de")).toBe("3,2 Tage");
});

describe("describeTimelyFirstResponses", () => {
  const figures = (answeredInTime: number, answerDue: number) => ({ answeredInTime, answerDue });
  test("says the share of first responses in time", () => {
    expect(describeTimelyFirstResponses(figures(6, 8), "en")).toBe(
      "75% of 8 reports got a first response in time",
    );
  });
  test("says no share of few reports", () => {
    expect(describeTimelyFirstResponses(figures(3, 4), "en")).toBe(
      "Too few reports to show how fast first responses are",
    );
    expect(describeTimelyFirstResponses(figures(0, 0), "en")).toBe("No first responses were due yet");
  });
});

test.each([
  [{ anonymous: 3, named: 9 }, "3 of 12 reports came without a name"],
  [{ anonymous: 1, named: 1 }, "1 of 2 reports came without a name"],
  [{ anonymous: 0, named: 9 }, "Every report came with a name"],
  [{ anonymous: 2, named: 0 }, "No reports came with a name"],
])("channels %o: %s", (channels, expected) => {
  expect(describeAnonymousShare(channels, { unopened: 0, locale: "en" })).toBe(expected);
});

test.each([
  [{ anonymous: 0, named: 9 }, "0 of 9 reports whose details you can see came without a name"],
  [{ anonymous: 0, named: 0 }, "Details of these reports aren’t shown to you"],
])("channels %o beside an unopened report: %s", (channels, expected) => {
  expect(describeAnonymousShare(channels, { unopened: 1, locale: "en" })).toBe(expected);
});

test("kinds of unopened reports alone aren't called no reports", () => {
  expect(describeMostFrequentReportType([], { total: 0, others: 0, unopened: 1, locale: "en" })).toBe(
    "Details of these reports aren’t shown to you",
  );
});

test.each([
  [[], "No reports give a type"],
  [
    [
      { name: "Threats", count: 4 },
      { name: "Safety", count: 1 },
    ],
    "Threats came up most often: 4 of 9",
  ],
  [
    [
      { name: "Threats", count: 2 },
      { name: "Safety", count: 2 },
    ],
    "No type stands out: none has more than 2 of 9 reports",
  ],
])("kinds %o: %s", (kinds, expected) => {
  expect(describeMostFrequentReportType(kinds, { total: 9, others: 0, unopened: 0, locale: "en" })).toBe(
    expected,
  );
});

test.each([
  [1, 0, "1 report open at the end of the period, compared with 0 before it"],
  [4, 4, "4 reports open at the end of the period, as many as before it"],
  [0, null, "0 reports open"],
])("a backlog of %j after %j", (now, before, expected) => {
  expect(describeBacklogChange(now, before, "en")).toBe(expected);
});

test("kinds that aren't named are counted", () => {
  expect(describeMostFrequentReportType([], { total: 9, others: 2, unopened: 0, locale: "en" })).toBe(
    "2 of 9 reports describe the type in their own words",
  );
});
