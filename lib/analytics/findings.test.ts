import { describe, expect, test } from "vitest";
import { eventFinding, hoursInWords, monthlyFinding, severityFinding, statusFinding } from "./findings.ts";

const months = (...counts: number[]) =>
  counts.map((count, at) => ({ month: `2026-0${at + 1}`, count, resolved: 0 }));

describe("monthlyFinding", () => {
  test("names the busiest month", () => {
    expect(monthlyFinding(months(3, 14, 5))).toBe("Most reports came in Feb 2026, 14 of 22");
  });
  test("names two that are alike", () => {
    expect(monthlyFinding(months(4, 1, 4))).toBe("Most reports came in Jan 2026 and Mar 2026, 4 each of 9");
  });
  test("names none when many are alike", () => {
    expect(monthlyFinding(months(1, 1, 1))).toBe("Never more than 1 report a month, 3 in all");
  });
  test("says it plainly for one month and for none", () => {
    expect(monthlyFinding(months(2))).toBe("2 reports in Jan 2026");
    expect(monthlyFinding(months(0, 1, 0))).toBe("One report came in, in Feb 2026");
    expect(monthlyFinding(months(0, 0))).toBe("No report came in");
    expect(monthlyFinding([])).toBe("No report came in");
  });
});

describe("statusFinding", () => {
  const states = (submitted: number, closed: number) => [
    { status: "submitted" as const, count: submitted, percentage: 0 },
    { status: "closed" as const, count: closed, percentage: 0 },
  ];
  test("tells how many wait", () => {
    expect(statusFinding(states(9, 53))).toBe("9 of 62 reports wait for a first answer");
    expect(statusFinding(states(1, 1))).toBe("1 of 2 reports waits for a first answer");
  });
  test("tells when all do", () => {
    expect(statusFinding(states(4, 0))).toBe("All 4 reports wait for a first answer");
    expect(statusFinding(states(1, 0))).toBe("The one report waits for a first answer");
  });
  test("tells when none does", () => {
    expect(statusFinding(states(0, 3))).toBe("All 3 reports have had a first answer");
    expect(statusFinding(states(0, 1))).toBe("The one report has had a first answer");
  });
});

describe("severityFinding", () => {
  const severities = (high: number, low: number, none: number) => [
    { severity: "high" as const, count: high, percentage: 0 },
    { severity: "low" as const, count: low, percentage: 0 },
    { severity: "none" as const, count: none, percentage: 0 },
  ];
  test("tells how many are grave", () => {
    expect(severityFinding(severities(2, 3, 1))).toBe("2 of 6 reports are high or critical");
    expect(severityFinding(severities(1, 0, 0))).toBe("The one report is high or critical");
    expect(severityFinding(severities(0, 3, 1))).toBe("No report is high or critical");
  });
  test("tells when nobody has set one", () => {
    expect(severityFinding(severities(0, 0, 4))).toBe("No report has a severity yet");
  });
});

describe("eventFinding", () => {
  const event = (eventName: string, count: number) => ({
    eventId: eventName,
    eventSlug: eventName,
    eventName,
    count,
  });
  test("names the event with the most", () => {
    expect(eventFinding([event("Harbour", 31), event("Quiet", 2)])).toBe(
      "Harbour had the most reports, 31 of 33",
    );
  });
  test("counts those that are alike, and names the only one", () => {
    expect(eventFinding([event("A", 2), event("B", 2), event("C", 1)])).toBe(
      "2 events had the most reports, 2 each of 5",
    );
    expect(eventFinding([event("A", 2), event("B", 0)])).toBe("All 2 reports came from A");
  });
});

test.each([
  [0.4, "24 min"],
  [5.3, "5.3 h"],
  [24, "24 h"],
  [72, "3 days"],
  [76.8, "3.2 days"],
])("%d hours are %s", (hours, words) => {
  expect(hoursInWords(hours)).toBe(words);
});
