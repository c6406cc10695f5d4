import { describe, expect, it } from "vitest";
import { COMMON_TIME_ZONES, listTimeZones, findTimeZoneByText } from "./time-zones.ts";

describe("the zone that somebody names", () => {
  it.each([
    ["Europe/Berlin", "Europe/Berlin"],
    [" europe/berlin ", "Europe/Berlin"],
    ["america/new york", "America/New_York"],
    ["New York", "America/New_York"],
    ["kyiv", "Europe/Kyiv"],
    ["Asia/Calcutta", "Asia/Kolkata"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["america/argentina/buenos aires", "America/Argentina/Buenos_Aires"],
    ["us/pacific", "US/Pacific"],
    ["Pacific/Johnston", "Pacific/Johnston"],
    ["utc", "UTC"],
  ])("%j is %s", (text, zone) => {
    expect(findTimeZoneByText(text)).toBe(zone);
  });

  it.each(["", "+01:00", "EST", "CET", "Mars/Olympus", "Berlin/Europe", "Atlantis"])(
    "%j is not a time zone",
    (text) => {
      expect(findTimeZoneByText(text)).toBeNull();
    },
  );

  it("is one of the suggestions, each by its current name", () => {
    expect(COMMON_TIME_ZONES.map(findTimeZoneByText)).toEqual(COMMON_TIME_ZONES);
    expect(listTimeZones()).toEqual(expect.arrayContaining([...COMMON_TIME_ZONES]));
  });
});
