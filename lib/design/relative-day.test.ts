import { expect, test } from "vitest";
import { buildRelativeDayMessageValues } from "./relative-day.ts";

const now = new Date("2026-03-18T09:30:00Z");

test.each([
  ["2026-03-18", { when: "today", day: "" }],
  ["2026-03-17", { when: "yesterday", day: "" }],
  ["2026-03-13", { when: "day", day: "Friday" }],
  ["2026-03-12", { when: "day", day: "Thursday" }],
  ["2026-03-11", { when: "day", day: "11 Mar 2026" }],
  ["2026-03-19", { when: "day", day: "19 Mar 2026" }],
])("%s becomes %j on 18 March 2026", (date, expected) => {
  expect(buildRelativeDayMessageValues(date, now, "en")).toEqual(expected);
});

test("a weekday has its name in the reader's language", () => {
  expect(buildRelativeDayMessageValues("2026-03-13", now, "de")).toEqual({ when: "day", day: "Freitag" });
});
