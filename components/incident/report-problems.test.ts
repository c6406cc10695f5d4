import { describe, expect, test } from "vitest";
import {
  type AppError,
  serializeErrorTextKeyAndNumbers,
  createCommitOutcomeUnknownError,
  createUnavailableError,
} from "#lib/operation/errors.ts";
import { createFileNotCleanedError } from "#lib/files/file-not-cleaned-error.ts";
import { createFileInspectionBusyError } from "#lib/files/cleaning/inspection-queue.ts";
import { type Locale, LOCALES } from "#lib/i18n/locales.ts";
import { findWayOutByName } from "#lib/files/file-types.ts";
import { createTranslator } from "#components/i18n/translator.ts";
import { getMessages } from "#lib/i18n/catalogue.ts";
import {
  type SendReportErrorData,
  buildReportErrorState,
  findReportTextProblems,
} from "./report-problems.ts";

const translatorForLocale = (locale: Locale) =>
  createTranslator<"reportForm">(locale, getMessages(locale, "reportForm"));

/** An error as the script reads it from the API's response. */
const toReportProblem = (error: AppError): SendReportErrorData => ({
  code: error.code,
  details: error.details,
  errorKey: serializeErrorTextKeyAndNumbers(error),
});

const LIMITS = { title: { min: 10, max: 70 } };

const said = (problem: Partial<SendReportErrorData>, values: Record<string, string> = {}) =>
  buildReportErrorState({ code: "", ...problem }, values, {
    t: translatorForLocale("en"),
    limits: LIMITS,
    zone: "Europe/Berlin",
  }).error ?? "";

describe("what a refused report says", () => {
  test("is that nothing was saved, but only if the service says so", () => {
    expect(said(toReportProblem(createUnavailableError()))).toContain("nothing was saved");
    const unclear = [
      toReportProblem(createCommitOutcomeUnknownError()),
      { code: "INTERNAL_ERROR" },
      { code: "BROKEN_OFF" },
    ];
    for (const problem of unclear)
      expect(said(problem)).toMatch(/may not have arrived|can’t tell whether your report was saved/);
  });

  test("is to send it again unchanged if it may have arrived, with a name and without", () => {
    for (const code of ["BROKEN_OFF", "STOPPED_ON_ITS_WAY", "INTERNAL_ERROR"])
      for (const values of [undefined, { anonymous: "true" }])
        expect(said({ code }, values)).toMatch(
          /[Ss]end it again without changing anything; .* it won’t be counted twice\.$/,
        );
  });

  test.each([
    ["not_cleanable", "can’t remove hidden data"],
    ["not_inspected", "couldn’t check it for hidden data"],
  ] as const)("names the file that can't come without a name, and why: %s", (state, expected) => {
    const error = createFileNotCleanedError(state, { term: "file.numbered", values: { number: 2 } });
    const refusal = buildReportErrorState(
      toReportProblem(error),
      { description: "Words" },
      {
        t: translatorForLocale("en"),
        limits: LIMITS,
        zone: "Europe/Berlin",
        files: [{ name: "a.jpg" }, { name: "b.pdf" }],
      },
    );
    expect(refusal.values).toEqual({ description: "Words" });
    expect(refusal.fieldErrors?.relatedFiles).toContain("“b.pdf” can’t be sent without your name");
    expect(refusal.fieldErrors?.relatedFiles).toContain(expected);
  });

  test.each([
    [
      "notes.pages",
      "fileTypeNotSupported",
      "“notes.pages” has a file type we don’t support. Remove it, or save it as a PDF",
    ],
    ["talk.wma", "fileTypeNotSupported", "export it as MP3"],
    ["unknown", "fileTypeNotSupported", "a screenshot"],
    ["notes.txt", "textNotSupported", "“notes.txt” is text that we can’t read"],
  ])("is the way out for a file that isn't accepted: %s", (name, key, expected) => {
    const refusal = buildReportErrorState(
      { code: "UNSUPPORTED_FILE_TYPE", errorKey: `${key}; number=1` },
      {},
      {
        t: translatorForLocale("en"),
        limits: LIMITS,
        zone: "Europe/Berlin",
        files: [{ name }],
        findWayOut: findWayOutByName,
      },
    );
    expect(refusal.fieldErrors?.relatedFiles).toContain(expected);
  });

  test("is how to send it, if it is hidden from everybody who could read it", () => {
    const refusal = buildReportErrorState(
      {
        code: "VALIDATION_ERROR",
        details: "excludedUserIds: must leave someone on the team who can read the report",
      },
      { description: "Words", excludedUserIds: "a, b" },
      { t: translatorForLocale("en"), limits: LIMITS, zone: "Europe/Berlin" },
    );
    expect(refusal.fieldErrors?.excludedUserIds).toMatch(/No one would be left to read.*Deselect the person/);
    expect(refusal.values).toEqual({ description: "Words", excludedUserIds: "a, b" });
  });

  test("is to wait a moment if too many files are being inspected", () => {
    expect(said(toReportProblem(createFileInspectionBusyError()))).toMatch(
      /too many files .* send it without files\.$/,
    );
  });

  test("links to the report that arrived from the same form, and offers to send the text as another report", () => {
    const refused = (first: string | null) =>
      buildReportErrorState(
        { code: "IDEMPOTENCY_KEY_REUSED", first },
        { ticket: "abc", description: "More words" },
        { t: translatorForLocale("en"), limits: LIMITS, zone: "Europe/Berlin" },
      );
    const id = "4f1c2b9e-0d55-4d0e-9a51-2f6f0c7d8e21";
    expect(refused(`/api/events/0/incidents/${id}`)).toMatchObject({
      error: expect.stringMatching(/already have a different report.*becomes a second report/),
      values: { ticket: "abc.", description: "More words" },
      incidentPath: `i/${id}`,
    });
    expect(refused(null).incidentPath).toBeUndefined();
  });

  test.each([
    [1, "in 1 minute."],
    [60, "in 1 minute."],
    [61, "in 2 minutes."],
    [3600, "in 60 minutes."],
  ])("is when to try again where that is %i seconds away", (retryAfter, expected) => {
    expect(said({ code: "RATE_LIMITED", retryAfter })).toContain(expected);
  });

  test("names each unit once, in the reader's language", () => {
    for (const locale of LOCALES) {
      const t = translatorForLocale(locale);
      const state = buildReportErrorState(
        { code: "RATE_LIMITED", retryAfter: 180 },
        {},
        { t, limits: LIMITS, zone: "Europe/Berlin" },
      );
      expect(state.error).toMatch(/[3٣] (minutes|Minuten|minutos|دقائق)/u);
    }
  });
});

test.each([
  ["nothing but a story", {}, []],
  ["someone on the team who isn't named", { aboutTeam: "named" }, ["aboutTeam"]],
  ["someone on the team by name", { aboutTeam: "named", excludedName: "Omar" }, []],
  ["a call without a number", { contactMethod: "phone", contactPhone: " " }, ["contactPhone"]],
  ["a call to nobody", { contactMethod: "phone", anonymous: "true" }, []],
  ["a time without its day", { incidentClock: "exact", incidentTime: "10:00" }, ["incidentDay"]],
  [
    "a time that is skipped",
    { incidentDay: "2026-03-29", incidentClock: "exact", incidentTime: "02:30" },
    ["incidentTime"],
  ],
])("a form is checked before it is sent: %s", (_, values, names) => {
  const context = { t: translatorForLocale("en"), limits: LIMITS, zone: "Europe/Berlin" };
  const problems = findReportTextProblems({ description: "Words", ...values }, context);
  expect(Object.keys(problems)).toEqual(names);
});
