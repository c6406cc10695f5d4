import { describe, expect, it } from "vitest";
import { COMMON_TIME_ZONES, listTimeZones, resolveTimeZone } from "./time-zones.ts";

describe("the zone that somebody names", () => {
  it.each([
    ["Europe/Berlin", "Europe/Berlin"],
    [" europe/berlin ", "Europe/Berlin"],
    ["america/new york", "America/New_York"],
    ["New York", "America/New_York"],
    ["kyiv", "Europe/Kyiv"],
    ["Asia/Calcutta", "Asia/Kolkata"],
    ["utc", "UTC"],
  ])("%j is %s", (text, zone) => {
    expect(resolveTimeZone(text)).toBe(zone);
  });

  it.each(["", "+01:00", "EST", "CET", "Mars/Olympus", "Berlin/Europe", "Atlantis"])(
    "%j is not a time zone",
    (text) => {
      expect(resolveTimeZone(text)).toBeNull();
    },
  );

  it("is one of the suggestions, each by its current name", () => {
    expect(COMMON_TIME_ZONES.map(resolveTimeZone)).toEqual(COMMON_TIME_ZONES);
    expect(listTimeZones()).toEqual(expect.arrayContaining([...COMMON_TIME_ZONES]));
  });
});
