import { describe, expect, test } from "vitest";
import {
  AppError,
  serializeErrorTextKeyAndNumbers,
  InvalidInputError,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import { createFieldProblem, formatFieldProblem, formatFieldProblemInForm } from "./error-text.ts";
import { LOCALES, type Locale } from "./locales.ts";
import { labelFieldProblem, describeProblem } from "./problems.ts";

describe("an error", () => {
  test("says in English what the API says, with typographic apostrophes", () => {
    const error = createNotFoundError("file");
    expect([error.message, error.details]).toEqual([
      "Not found.",
      "This file doesn't exist, or you can't see it.",
    ]);
    expect(describeProblem("en", error)).toEqual({
      title: "Not found.",
      advice: "This file doesn’t exist, or you can’t see it.",
    });
  });

  test("has its terms in the reader's language", () => {
    expect(describeProblem("de", createNotFoundError("event"))).toEqual({
      title: "Nicht gefunden.",
      advice: "Diese Veranstaltung existiert nicht oder ist für Sie nicht sichtbar.",
    });
  });

  test("counts in the reader's language", () => {
    const wait = (locale: Locale, seconds: number) =>
      describeProblem(locale, { key: "tooManyRequests", values: { seconds } }).advice;
    expect(wait("de", 1)).toBe("Versuchen Sie es in einer Sekunde noch einmal.");
    expect(wait("de", 30)).toBe("Versuchen Sie es in 30 Sekunden noch einmal.");
    expect(wait("en", 1)).toBe("Try again in 1 second.");
    expect(wait("en", 30)).toBe("Try again in 30 seconds.");
  });

  test("about input names what is wrong with each field", () => {
    const error = new InvalidInputError({
      title: createFieldProblem("mustHaveLength", { min: 10, max: 70 }),
      "files[]": createFieldProblem("missing"),
    });
    expect(error.details).toBe("title: must be 10 to 70 characters; files[]: is missing");
    expect(describeProblem("fr", error).advice).toBe("doit avoir de 10 à 70 caractères; manque");
  });

  test("about the last admin lists the roles, with unchanged names of events", () => {
    const roles = [
      { term: "role.systemAdmin" } as const,
      { term: "role.organizationAdmin", values: { name: "Northlight" } } as const,
      { term: "role.eventAdmin", values: { name: "{Fair}, and more" } } as const,
    ];
    const error = new AppError("LAST_ADMIN", "soleAdmin", { roles });
    expect(error.details).toBe(
      "You're the last system administrator, organization admin of Northlight, Admin of {Fair}, and more. Give each role to someone else first.",
    );
    expect(describeProblem("de", error).advice).toContain(
      "Systemadmin, Admin der Organisation Northlight, Admin von {Fair}, and more",
    );
  });

  test("about a field that the API names has the field before its advice", () => {
    const error = new AppError("SLUG_TAKEN", "slugTakenByEvent", {}, { field: "newSlug" });
    expect(error.details).toBe("newSlug: an event already uses it; choose a different one");
  });

  test("without advice repeats what happened in its details", () => {
    expect(new AppError("INVALID_JSON", "bodyIncomplete").details).toBe("The body ended early.");
  });
});

test.each([
  [new AppError("RATE_LIMITED", "tooManyRequests", { seconds: 30 }), "tooManyRequests; seconds=30"],
  [
    new AppError("UNSUPPORTED_FILE_TYPE", "fileNotCleanable", {
      file: { term: "file.numbered", values: { number: 2 } },
    }),
    "fileNotCleanable; number=2",
  ],
  [
    new AppError("LAST_ADMIN", "soleAdmin", {
      roles: [{ term: "role.eventAdmin", values: { name: "Fair" } }],
    }),
    "soleAdmin",
  ],
  [new AppError("VALIDATION_ERROR", "filesTooLargeTogether", { size: "50 MiB" }), "filesTooLargeTogether"],
])(
  "the key of an error, which our own scripts read, has the numbers in it and no names: %#",
  (error, key) => {
    expect(serializeErrorTextKeyAndNumbers(error)).toBe(key);
  },
);

describe("the problem of a field", () => {
  test("keeps its numbers", () => {
    expect(formatFieldProblem("es", createFieldProblem("mustHaveMaxLength", { max: 1000 }))).toBe(
      "debe tener como máximo 1000 caracteres",
    );
  });

  test.each(LOCALES)("in a form in %s names no other field as the API does", (locale) => {
    for (const key of ["mustNotPrecedeStart", "mustNotFollowEnd"] as const)
      expect(formatFieldProblemInForm(locale, createFieldProblem(key))).not.toMatch(/Date|^$/);
  });

  test("in a form is that of the API where it has no text of its own", () => {
    const texts = (["mustNotPrecedeStart", "mustBeText"] as const).map((key) =>
      formatFieldProblemInForm("en", createFieldProblem(key)),
    );
    expect(texts).toEqual(["must not be before the first day", "must be text"]);
    expect(formatFieldProblem("en", createFieldProblem("mustNotPrecedeStart"))).toBe(
      "must not be before startDate",
    );
  });

  test("becomes a sentence with the name of the field", () => {
    expect(labelFieldProblem("en", "Password", "is missing")).toBe("Password is missing.");
    expect(labelFieldProblem("de", "Das Passwort", "fehlt")).toBe("Das Passwort fehlt.");
    expect(labelFieldProblem("ar", "كلمة المرور", "مطلوب")).toBe("كلمة المرور: مطلوب.");
  });
});
