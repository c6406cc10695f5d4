import { describe, expect, it, test } from "vitest";
import { zonedTimeToUtc, listTimeZones } from "./zones.ts";

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
])("%s in %s is %s", (local, zone, time) => {
  expect(zonedTimeToUtc(local, zone)).toBe(time);
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
    expect(zonedTimeToUtc(local, zone)).toBeNull();
  });

  it("is none of what the list of zones has", () => {
    const names = listTimeZones();
    expect(names).toContain("Europe/Kyiv");
    expect(names).not.toContain("UTC");
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => zonedTimeToUtc("2026-02-20T10:00", name) === null)).toEqual([]);
  });
});
