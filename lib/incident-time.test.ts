import { describe, expect, test } from "vitest";
import { type IncidentTimeFormValues, readIncidentTime, toIncidentTimeFormValues } from "./incident-time.ts";

const read = (
  fields: IncidentTimeFormValues,
  { zone = "Europe/Berlin", now = "2026-11-21T12:00:00Z" } = {},
) => readIncidentTime(fields, { zone, now: new Date(now) });

test("nothing entered is no time, and no problem", () => {
  expect(read({})).toBeNull();
  expect(read({ incidentDay: "", incidentClock: "", incidentTime: "" })).toBeNull();
});

test("a day stays a day, with or without its part, in the zone of the event", () => {
  expect(read({ incidentDay: "2026-07-04" })).toEqual({
    incidentAt: "2026-07-04T10:00:00.000Z",
    incidentOn: "2026-07-04",
    incidentDayPart: null,
  });
  expect(read({ incidentDay: "2026-07-04", incidentClock: "evening" })).toEqual({
    incidentAt: "2026-07-04T18:00:00.000Z",
    incidentOn: "2026-07-04",
    incidentDayPart: "evening",
  });
});

test("a time is a moment", () => {
  const moment = { incidentAt: "2026-07-04T16:30:00.000Z", incidentOn: null, incidentDayPart: null };
  expect(read({ incidentDay: "2026-07-04", incidentClock: "exact", incidentTime: "18:30" })).toEqual(moment);
});

test("a time doesn't count once its field is hidden again", () => {
  const day = { incidentAt: "2026-07-04T10:00:00.000Z", incidentOn: "2026-07-04", incidentDayPart: null };
  expect(read({ incidentDay: "2026-07-04", incidentClock: "", incidentTime: "18:30" })).toEqual(day);
  expect(read({ incidentDay: "", incidentClock: "", incidentTime: "18:30" })).toBeNull();
});

describe("nothing passes by half", () => {
  test.each([
    ["a time without a day", { incidentClock: "exact", incidentTime: "18:30" }, "incidentDay", "noDay"],
    ["a part without a day", { incidentClock: "night" }, "incidentDay", "noDay"],
    [
      "an exact time that is missing",
      { incidentDay: "2026-07-04", incidentClock: "exact" },
      "incidentTime",
      "noTime",
    ],
    ["a day that never was", { incidentDay: "2026-02-30" }, "incidentDay", "notADay"],
    ["half a day", { incidentDay: "2026-07" }, "incidentDay", "notADay"],
    [
      "a time that clocks skipped",
      { incidentDay: "2026-03-29", incidentClock: "exact", incidentTime: "02:30" },
      "incidentTime",
      "skipped",
    ],
    [
      "a time that stands twice",
      { incidentDay: "2026-10-25", incidentClock: "exact", incidentTime: "02:30" },
      "incidentTwice",
      "twice",
    ],
    [
      "a time that is ahead",
      { incidentDay: "2026-11-21", incidentClock: "exact", incidentTime: "13:16" },
      "incidentAhead",
      "ahead",
    ],
    ["tomorrow", { incidentDay: "2026-11-22" }, "incidentAhead", "ahead"],
  ])("%s", (_, fields, field, problem) => {
    expect(read(fields)).toEqual({ field, problem });
  });
});

test.each([
  ["first", "2026-10-25T00:30:00.000Z"],
  ["second", "2026-10-25T01:30:00.000Z"],
])("the %s of two moments is what its reporter says", (incidentTwice, incidentAt) => {
  const at = { incidentDay: "2026-10-25", incidentClock: "exact", incidentTime: "02:30", incidentTwice };
  expect(read(at)).toMatchObject({ incidentAt });
});

test("a future time passes once it is confirmed, and clocks may differ by minutes", () => {
  const ahead = {
    incidentDay: "2026-11-22",
    incidentClock: "exact",
    incidentTime: "10:00",
    incidentAhead: "true",
  };
  expect(read(ahead)).toMatchObject({ incidentAt: "2026-11-22T09:00:00.000Z" });
  expect(read({ incidentDay: "2026-11-21", incidentClock: "exact", incidentTime: "13:14" })).toMatchObject({
    incidentOn: null,
  });
});

test("today is the day of the event's zone, all of it", () => {
  const now = "2026-11-21T15:30:00Z";
  const today = { incidentDay: "2026-11-22", incidentClock: "night" };
  expect(read(today, { zone: "Asia/Tokyo", now })).toMatchObject({ incidentOn: "2026-11-22" });
  expect(read(today, { zone: "Europe/Berlin", now })).toMatchObject({ problem: "ahead" });
  expect(read({ incidentDay: "2026-11-22" }, { zone: "America/New_York", now })).toMatchObject({
    problem: "ahead",
  });
});

test("a form shows what is stored as it was entered, in the zone of the event", () => {
  const entered = [
    { incidentDay: "2026-07-04", incidentClock: "exact", incidentTime: "18:30" },
    { incidentDay: "2026-07-04", incidentClock: "evening", incidentTime: "" },
    { incidentDay: "2026-07-04", incidentClock: "", incidentTime: "" },
  ];
  for (const values of entered) {
    const time = read(values);
    if (!time || "problem" in time) throw new Error("not read");
    expect(toIncidentTimeFormValues(time, "Europe/Berlin")).toEqual(values);
  }
  const none = { incidentAt: null, incidentOn: null, incidentDayPart: null };
  expect(toIncidentTimeFormValues(none, "UTC")).toEqual({
    incidentDay: "",
    incidentClock: "",
    incidentTime: "",
  });
});
