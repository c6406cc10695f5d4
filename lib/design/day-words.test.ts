import { expect, test } from "vitest";
import { dayInWords, numberInWords } from "./day-words.ts";

const now = new Date("2026-03-18T09:30:00Z");

test.each([
  ["2026-03-18", "today"],
  ["2026-03-17", "yesterday"],
  ["2026-03-13", "on Friday"],
  ["2026-03-12", "on Thursday"],
  ["2026-03-11", "on 11 Mar 2026"],
  ["2026-03-19", "on 19 Mar 2026"],
])("%s is told as %s on 18 March 2026", (date, words) => {
  expect(dayInWords(date, now)).toBe(words);
});

test("numbers are words up to twelve", () => {
  expect([2, 12, 13].map(numberInWords)).toEqual(["two", "twelve", "13"]);
});
