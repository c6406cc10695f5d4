import { describe, expect, it } from "vitest";
import { wordsIn } from "#lib/i18n/catalogue.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { subjectFrom as lineFrom } from "./subject-line.ts";

const limits = { min: 10, max: 70 };
const subjectFrom = (words: string, within: typeof limits) =>
  lineFrom(words, within, wordsIn("en", "reportForm"));

describe("subjectFrom", () => {
  it("takes the first sentence without its full stop", () => {
    expect(subjectFrom("A man shouted at the volunteer. Then he left.", limits)).toBe(
      "A man shouted at the volunteer",
    );
  });

  it("keeps a question mark", () => {
    expect(subjectFrom("Is this allowed here? He took photos.", limits)).toBe("Is this allowed here?");
  });

  it("stops at the end of the first line", () => {
    expect(subjectFrom("Insults in the chat\nIt went on for an hour", limits)).toBe("Insults in the chat");
  });

  it("goes on where the first sentence says too little", () => {
    expect(subjectFrom("Hi. A man shouted at me", limits)).toBe("Hi. A man shouted at me");
  });

  it("cuts at a word and never beyond the limit", () => {
    const line = subjectFrom(
      "He stood in front of the door for the whole evening and let nobody out who would not talk to him",
      limits,
    );
    expect(line).toBe("He stood in front of the door for the whole evening and let nobody…");
    expect([...line].length).toBeLessThanOrEqual(70);
  });

  it("cuts one endless word inside", () => {
    expect(subjectFrom("x".repeat(100), limits)).toBe(`${"x".repeat(69)}…`);
  });

  it.each([
    ["Help me", "Report: Help me"],
    ["a", "Short report: a"],
    ["🙁", "Short report: 🙁"],
  ])("leads %s in, since it is too short alone", (words, line) => {
    expect(subjectFrom(words, limits)).toBe(line);
    expect([...line].length).toBeGreaterThanOrEqual(10);
  });

  it.each(LOCALES)("leads in with words of the writer's language: %s", (locale) => {
    const lead = wordsIn(locale, "reportForm");
    for (const words of ["a", "ab", "Hilfe", "Hilfe {hier}"]) {
      const line = lineFrom(words, limits, lead);
      expect(line).toContain(words);
      expect([...line].length).toBeGreaterThanOrEqual(limits.min);
      expect(line.startsWith("Report") || line.startsWith("Short")).toBe(
        locale === "en" && words.length < limits.min,
      );
    }
  });

  it("gives nothing for nothing", () => {
    expect(subjectFrom(" \n ", limits)).toBe("");
  });

  it("counts characters as people see them, not UTF-16 units", () => {
    expect([...subjectFrom("😀".repeat(80), limits)].length).toBe(70);
  });
});
