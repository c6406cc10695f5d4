import { describe, expect, it } from "vitest";
import { toEndOfEventDay, toStartOfEventDay, toEventFirstAndLastDay } from "./event-days.ts";

const NEW_YORK = "America/New_York";

describe("the days of an event", () => {
  it("are those of its own calendar", () => {
    const times = { startDate: "2026-03-14T04:00:00.000Z", endDate: "2026-03-16T03:59:00.000Z" };
    expect(toEventFirstAndLastDay({ ...times, timeZone: NEW_YORK })).toEqual({
      first: "2026-03-14",
      last: "2026-03-15",
    });
    expect(toEventFirstAndLastDay({ ...times, timeZone: "UTC" })).toEqual({
      first: "2026-03-14",
      last: "2026-03-16",
    });
  });

  it("are the dates that a client gave without a time of day, west of Greenwich too", () => {
    const dates = { startDate: "2026-03-14T00:00:00.000Z", endDate: "2026-03-15T00:00:00.000Z" };
    expect(toEventFirstAndLastDay({ ...dates, timeZone: NEW_YORK })).toEqual({
      first: "2026-03-14",
      last: "2026-03-15",
    });
  });

  it("end with an evening that is midnight in UTC, if the beginning isn't", () => {
    const times = { startDate: "2026-06-13T13:00:00.000Z", endDate: "2026-06-14T00:00:00.000Z" };
    expect(toEventFirstAndLastDay({ ...times, timeZone: NEW_YORK })).toEqual({
      first: "2026-06-13",
      last: "2026-06-13",
    });
  });

  it("may be unknown", () => {
    expect(toEventFirstAndLastDay({ startDate: null, endDate: null, timeZone: null })).toEqual({
      first: null,
      last: null,
    });
  });
});

it.each([
  ["2026-03-08", NEW_YORK, "2026-03-08T05:00:00.000Z", "2026-03-09T03:59:00.000Z"],
  ["2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z", "2026-09-07T02:59:00.000Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:00.000Z"],
])("%s in %s begins and ends by its clocks, on the day they change", (day, zone, start, end) => {
  expect(toStartOfEventDay(day, zone)).toBe(start);
  expect(toEndOfEventDay(day, zone)).toBe(end);
  expect(toEventFirstAndLastDay({ startDate: start, endDate: end, timeZone: zone })).toEqual({
    first: day,
    last: day,
  });
});
