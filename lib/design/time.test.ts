import { expect, test } from "vitest";
import { formatDate, formatDateTime, formatZonelessTime, formatMonth, formatRelativeTime } from "./time.ts";

const now = new Date("2026-03-14T14:02:30.000Z");

test("the exact time names its zone, the month its year", () => {
  expect(formatDateTime(now)).toBe("14 Mar 2026, 14:02 UTC");
  expect(formatDate(new Date("2025-12-31T23:59:59.999Z"))).toBe("31 Dec 2025");
  expect(formatMonth("2026-01")).toBe("Jan 2026");
});

test("a time of a form is told by the clock it was given by", () => {
  expect(formatZonelessTime("2026-11-20T10:00")).toBe("20 Nov 2026, 10:00");
  expect(formatZonelessTime("2026-11-20T10:00", "de")).toBe("20. Nov. 2026, 10:00");
  expect(formatZonelessTime("12026-11-20T10:00", "fr")).toBe("12026-11-20T10:00");
});

test.each([
  ["2026-03-14T14:02:00.000Z", "just now"],
  ["2026-03-14T14:01:30.000Z", "1 min ago"],
  ["2026-03-14T13:02:31.000Z", "59 min ago"],
  ["2026-03-14T11:02:30.000Z", "3 h ago"],
  ["2026-03-13T14:02:30.000Z", "1 day ago"],
  ["2026-03-08T10:00:00.000Z", "6 days ago"],
  ["2026-02-12T14:02:30.000Z", "12 Feb 2026"],
  ["2026-03-14T19:30:00.000Z", "in 5 h"],
  ["2026-05-01T00:00:00.000Z", "1 May 2026"],
])("%s is %s", (at, expected) => {
  expect(formatRelativeTime(new Date(at), now)).toBe(expected);
});
