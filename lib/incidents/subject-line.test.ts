import { describe, expect, it } from "vitest";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { deriveSubjectLine as lineFrom } from "./subject-line.ts";

const limits = { min: 10, max: 70 };
const deriveEnglishSubjectLine = (description: string, lengthLimits: typeof limits) =>
  lineFrom(description, lengthLimits, createTranslatorForLocale("en", "reportForm"));

describe("deriveSubjectLine", () => {
  it("takes the first sentence without its full stop", () => {
    expect(deriveEnglishSubjectLine("A man shouted at the volunteer. Then he left.", limits)).toBe(
      "A man shouted at the volunteer",
    );
  });

  it("keeps a question mark", () => {
    expect(deriveEnglishSubjectLine("Is this allowed here? He took photos.", limits)).toBe(
      "Is this allowed here?",
    );
  });

  it("stops at the end of the first line", () => {
    expect(deriveEnglishSubjectLine("Insults in the chat\nIt went on for an hour", limits)).toBe(
      "Insults in the chat",
    );
  });

  it("continues after a first sentence that is too short", () => {
    expect(deriveEnglishSubjectLine("Hi. A man shouted at me", limits)).toBe("Hi. A man shouted at me");
  });

  it("cuts at a word and never beyond the limit", () => {
    const line = deriveEnglishSubjectLine(
      "He stood in front of the door for the whole evening and let nobody out who would not talk to him",
      limits,
    );
    expect(line).toBe("He stood in front of the door for the whole evening and let nobody…");
    expect([...line].length).toBeLessThanOrEqual(70);
  });

  it("cuts one endless word inside", () => {
    expect(deriveEnglishSubjectLine("x".repeat(100), limits)).toBe(`${"x".repeat(69)}…`);
  });

  it.each([
    ["Help me", "Report: Help me"],
    ["a", "Short report: a"],
    ["🙁", "Short report: 🙁"],
  ])("leads %s in, since it is too short alone", (description, line) => {
    expect(deriveEnglishSubjectLine(description, limits)).toBe(line);
    expect([...line].length).toBeGreaterThanOrEqual(10);
  });

  it.each(LOCALES)("leads in with words of the writer's language: %s", (locale) => {
    const leadIn = createTranslatorForLocale(locale, "reportForm");
    for (const description of ["a", "ab", "Hilfe", "Hilfe {hier}"]) {
      const line = lineFrom(description, limits, leadIn);
      expect(line).toContain(description);
      expect([...line].length).toBeGreaterThanOrEqual(limits.min);
      expect(line.startsWith("Report") || line.startsWith("Short")).toBe(
        locale === "en" && description.length < limits.min,
      );
    }
  });

  it("returns a blank line for a blank description", () => {
    expect(deriveEnglishSubjectLine(" \n ", limits)).toBe("");
  });

  it("counts characters as people see them, not UTF-16 units", () => {
    expect([...deriveEnglishSubjectLine("😀".repeat(80), limits)].length).toBe(70);
  });
});
