import { describe, expect, test } from "vitest";
import { InvalidInputError, notFound } from "#lib/operation/errors.ts";
import { LOCALES, type Locale } from "./locales.ts";
import english from "#lib/i18n/messages/en/errors.json" with { type: "json" };
import { collectProblemSentences } from "./problem-sentences.ts";
import { translateFieldProblem, labelFieldProblem, describeProblem, translateProblem } from "./problems.ts";

const OTHERS = LOCALES.filter((locale) => locale !== "en");
const UNKNOWN = Object.fromEntries(
  LOCALES.map((locale) => [locale, translateFieldProblem(locale, "x¤")]),
) as Record<Locale, string>;

/** A sentence as a reader could get it, with values inserted into the template. */
const filled = (text: string) => text.replaceAll("{}", "7").replace(/^\w+: /, "");

test("every sentence with which the sources refuse something is known in every language", () => {
  const sentences = collectProblemSentences();
  expect(sentences.length).toBeGreaterThan(150);
  const unknown = sentences.filter(({ text }) =>
    OTHERS.some((locale) => translateFieldProblem(locale, filled(text)) === UNKNOWN[locale]),
  );
  expect(unknown).toEqual([]);
});

test("English names values only, so that a sentence can be found by it", () => {
  for (const message of Object.values(english)) expect(message.replace(/\{\w+\}/g, "")).not.toMatch(/[{}]/);
});

test("English has typographic apostrophes, as the search for a sentence expects", () => {
  for (const message of Object.values(english)) expect(message).not.toContain("'");
});

describe("an error", () => {
  test("is told in English as it was thrown", () => {
    const error = notFound("This file");
    expect(describeProblem("en", error)).toEqual({
      title: "Not found.",
      advice: "This file doesn't exist, or you can't see it.",
    });
  });

  test("is told in another language, with what it names", () => {
    expect(describeProblem("de", notFound("This event"))).toEqual({
      title: "Nicht gefunden.",
      advice: "Diese Veranstaltung existiert nicht oder ist für Sie nicht sichtbar.",
    });
  });

  test("counts in the reader's language", () => {
    const wait = (seconds: number) =>
      describeProblem("de", { message: "Too many requests.", details: `Try again in ${seconds} seconds.` })
        .advice;
    expect(wait(1)).toBe("Versuchen Sie es in einer Sekunde noch einmal.");
    expect(wait(30)).toBe("Versuchen Sie es in 30 Sekunden noch einmal.");
  });

  test("names what is wrong with each field", () => {
    expect(describeProblem("fr", new InvalidInputError({ a: "is missing", b: "must be text" })).advice).toBe(
      "manque; doit être du texte",
    );
  });

  test("names what somebody is the last of", () => {
    const last = {
      message: "Someone else needs to be an admin first.",
      details:
        "You are the last organization admin of Northlight, Admin of Fair, and more. Give someone else that role first.",
    };
    expect(describeProblem("de", last).advice).toContain(
      "Admin der Organisation Northlight, Admin von Fair, and more",
    );
  });

  test("that nobody translated becomes a plain sentence", () => {
    expect(describeProblem("de", { message: "Something new.", details: "Unheard of." })).toEqual({
      title: "Das hat nicht geklappt.",
      advice: "Laden Sie die Seite neu und versuchen Sie es noch einmal.",
    });
  });
});

describe("the problem of a field", () => {
  test("keeps its numbers", () => {
    expect(translateFieldProblem("de", "must be 10 to 70 characters")).toBe(
      "muss 10 bis 70 Zeichen lang sein",
    );
    expect(translateFieldProblem("es", "must be at most 1000 characters")).toBe(
      "debe tener como máximo 1000 caracteres",
    );
  });

  test("is no range because it contains “to”", () => {
    expect(translateFieldProblem("de", "Sign in to do this.")).toBe(UNKNOWN.de);
  });

  test("keeps an example as it is", () => {
    expect(translateFieldProblem("fr", "must be a web address such as https://example.org")).toBe(
      "doit être une adresse web, par exemple https://example.org",
    );
  });

  test("becomes a sentence with the name of the field", () => {
    expect(labelFieldProblem("en", "Password", "is missing")).toBe("Password is missing.");
    expect(labelFieldProblem("de", "Das Passwort", "fehlt")).toBe("Das Passwort fehlt.");
    expect(labelFieldProblem("ar", "كلمة المرور", "مطلوب")).toBe("كلمة المرور: مطلوب.");
  });
});

describe("an answer of the API", () => {
  const missing = new InvalidInputError({ title: "must be 10 to 70 characters", "files[]": "is missing" });

  test("keeps the names of its fields", () => {
    expect(translateProblem("de", missing)).toEqual({
      code: "VALIDATION_ERROR",
      message: "Einige Ihrer Angaben sind ungültig.",
      details: "title: muss 10 bis 70 Zeichen lang sein; files[]: fehlt",
    });
  });

  test("that is about no field has its advice in its details", () => {
    expect(translateProblem("fr", notFound("This file")).details).toBe(
      "Ce fichier n’existe pas, ou ne vous est pas accessible.",
    );
  });

  test("stays as it is in English", () => {
    const { code, message, details } = missing;
    expect(translateProblem("en", missing)).toEqual({ code, message, details });
  });
});
