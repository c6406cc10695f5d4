import { expect, test } from "vitest";
import { env } from "#lib/env.ts";
import { chooseTimeZoneForEventTimes, chooseTimeZoneOutsideEvents } from "./reader-zone.ts";

const eventsIn = (...zones: (string | null)[]) =>
  zones.map((timeZone, index) => ({ eventId: String(index), timeZone }));

test("times of an event are in the reader's zone, else in the event's, else in the installation's", () => {
  const reader = { timeZone: "Asia/Tokyo", events: [] };
  expect(chooseTimeZoneForEventTimes(reader, "Europe/Berlin")).toBe("Asia/Tokyo");
  expect(chooseTimeZoneForEventTimes({ ...reader, timeZone: null }, "Europe/Berlin")).toBe("Europe/Berlin");
  expect(chooseTimeZoneForEventTimes(null, null)).toBe(env().timeZone);
});

test("times of no event are in the zone that the reader's events share", () => {
  expect(chooseTimeZoneOutsideEvents({ events: eventsIn("Europe/Berlin", "Europe/Berlin") })).toBe(
    "Europe/Berlin",
  );
  expect(chooseTimeZoneOutsideEvents({ events: eventsIn("Europe/Berlin", null) })).toBe(env().timeZone);
  expect(chooseTimeZoneOutsideEvents({ events: [] })).toBe(env().timeZone);
  expect(chooseTimeZoneOutsideEvents({ timeZone: "Asia/Tokyo", events: eventsIn("Europe/Berlin") })).toBe(
    "Asia/Tokyo",
  );
});
