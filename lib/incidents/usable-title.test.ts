import { describe, expect, it } from "vitest";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { LOCALES, type Locale } from "#lib/i18n/locales.ts";
import { incidentTitleInput } from "./schema.ts";
import { formatUsableTitle } from "./usable-title.ts";

const NOON = new Date("2026-11-27T12:00:00Z");
const format = (text: string, locale: Locale = "en") =>
  formatUsableTitle(text, NOON, {
    locale,
    timeZone: "UTC",
    t: createTranslatorForLocale(locale, "reportForm"),
  });

describe("formatUsableTitle", () => {
  it("returns what can be a title as it is", () => {
    for (const title of ["Ten chars!", "🎪".repeat(70), "Followed from the bar to the tram"])
      expect(format(title)).toBe(title);
  });

  it("adds the day to a title that is too short", () => {
    expect(format("Theft")).toBe("Theft, 27 Nov");
    expect(format("  Theft      ")).toBe("Theft, 27 Nov");
  });

  it("is neutral where nothing can be read, and where the day doesn't suffice", () => {
    for (const title of ["", "   ", "\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b\u200b", "A"])
      expect(format(title)).toBe("Report of 27 Nov");
  });

  it("removes what can't be in a title, and cuts what is too long", () => {
    expect(format("Taken \u202efrom\nthe\0bar")).toBe("Taken  from the bar");
    expect(format("word ".repeat(30))).toBe(`${"word ".repeat(13)}…`);
  });

  it.each(LOCALES)("is taken by the service in %s, whatever was written", (locale) => {
    const texts = [
      "",
      "A",
      "Theft",
      "😀😀😀",
      "\ud800\ud800",
      "x".repeat(300),
      "é".repeat(71),
      "\u202e",
      "\0a\0",
    ];
    for (const text of [...texts, "क\u093c".repeat(40), "none", "{kind}"])
      expect(incidentTitleInput.safeParse(format(text, locale))).toMatchObject({ success: true });
  });
});
