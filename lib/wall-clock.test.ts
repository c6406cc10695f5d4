import { describe, expect, it, test } from "vitest";
import { listTimeZones } from "./time-zones.ts";
import { computeWallClockTimeAsUtcMs, convertZonedTimeToUtc } from "./wall-clock.ts";
import { formatDayInTimeZone } from "./zoned-day.ts";

test.each([
  ["2026-07-04T18:30", "UTC", "2026-07-04T18:30:00.000Z"],
  ["2026-07-04T18:30", "Europe/Lisbon", "2026-07-04T17:30:00.000Z"],
  ["2026-01-04T18:30", "Europe/Lisbon", "2026-01-04T18:30:00.000Z"],
  ["2026-01-04T00:10", "Asia/Kolkata", "2026-01-03T18:40:00.000Z"],
  ["2026-01-04T22:00:30", "America/St_Johns", "2026-01-05T01:30:30.000Z"],
  // The evenings before and mornings after the clocks of New York change to and from daylight saving time.
  ["2026-03-07T23:59", "America/New_York", "2026-03-08T04:59:00.000Z"],
  ["2026-03-08T03:00", "America/New_York", "2026-03-08T07:00:00.000Z"],
  ["2026-11-01T00:59", "America/New_York", "2026-11-01T04:59:00.000Z"],
  ["2026-11-01T02:00", "America/New_York", "2026-11-01T07:00:00.000Z"],
  // A skipped time is read by the clock before the change; of a repeated time, the first one counts.
  ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
  ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30:00.000Z"],
  ["2026-09-06T00:00", "America/Santiago", "2026-09-06T04:00:00.000Z"],
  ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00.000Z"],
  ["2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
  ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30:00.000Z"],
])("%s in %s is %s", (local, zone, time) => {
  expect(convertZonedTimeToUtc(local, zone)).toBe(time);
});

test("a time is converted to the zone's clock, before and after a DST change", () => {
  const shown = ["00:59", "01:00"].map((time) =>
    computeWallClockTimeAsUtcMs(Date.parse(`2026-03-29T${time}:00Z`), "Europe/Berlin"),
  );
  expect(shown).toEqual([Date.parse("2026-03-29T01:59:00Z"), Date.parse("2026-03-29T03:00:00Z")]);
  expect(formatDayInTimeZone(new Date("2026-07-04T22:30:00Z"), "Europe/Berlin")).toBe("2026-07-05");
});

describe("what is no time", () => {
  it.each([
    ["2026-02-30T10:00", "UTC"],
    ["2026-02-20", "UTC"],
    ["2026-02-20T25:00", "UTC"],
    ["2026-02-20T10:00Z", "UTC"],
    ["", "UTC"],
    ["2026-02-20T10:00", "Mars/Olympus"],
    ["2026-02-20T10:00", ""],
  ])("%j in %j is none", (local, zone) => {
    expect(convertZonedTimeToUtc(local, zone)).toBeNull();
  });
});

test("every listed zone has a clock", () => {
  const names = listTimeZones();
  expect(names).toContain("Europe/Kyiv");
  expect(names).not.toContain("UTC");
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => convertZonedTimeToUtc("2026-02-20T10:00", name) === null)).toEqual([]);
});
