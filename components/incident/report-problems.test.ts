import { describe, expect, test } from "vitest";
import { outcomeUnknown, unavailable } from "#lib/errors.ts";
import { type Locale, LOCALES } from "#lib/words/locales.ts";
import { reader } from "#components/words/words.ts";
import { messagesOf } from "#lib/words/catalogue.ts";
import { type Problem, reportState } from "./report-problems.ts";

const wordsIn = (locale: Locale) => reader<"reportForm">(locale, messagesOf(locale, "reportForm"));

const LIMITS = { title: { min: 10, max: 70 } };

const said = (problem: Partial<Problem>, values: Record<string, string> = {}) =>
  reportState({ code: "", error: "", details: "", ...problem }, values, {
    t: wordsIn("en"),
    limits: LIMITS,
  }).error ?? "";

describe("what a refused report says", () => {
  test("is that nothing was kept only where the service says so", () => {
    const { code, details } = unavailable();
    expect(said({ code, details })).toContain("nothing of it was kept");
    for (const problem of [outcomeUnknown(), { code: "INTERNAL_ERROR" }, { code: "BROKEN_OFF" }])
      expect(said({ code: problem.code, details: "details" in problem ? problem.details : "" })).toMatch(
        /may (not have arrived|or may not have been kept)/,
      );
  });

  test("is to look into the list of one's reports only where the report would be in it", () => {
    for (const code of ["BROKEN_OFF", "STOPPED_ON_ITS_WAY", "INTERNAL_ERROR"]) {
      expect(said({ code })).toContain("Look into your list of reports");
      expect(said({ code }, { anonymous: "true" })).toContain("it is in no list of yours");
      expect(said({ code }, { anonymous: "true" })).not.toContain("Look into");
    }
  });

  test.each([
    [1, "in 1 minute."],
    [60, "in 1 minute."],
    [61, "in 2 minutes."],
    [3600, "in 60 minutes."],
  ])("is when to try again where that is %i seconds away", (retryAfter, words) => {
    expect(said({ code: "RATE_LIMITED", retryAfter })).toContain(words);
  });

  test("names no unit twice and none of another language", () => {
    for (const locale of LOCALES) {
      const t = wordsIn(locale);
      const state = reportState(
        { code: "RATE_LIMITED", error: "", details: "", retryAfter: 180 },
        {},
        { t, limits: LIMITS },
      );
      expect(state.error).toMatch(/[3٣] (minutes|Minuten|minutos|دقائق)/u);
    }
  });
});
