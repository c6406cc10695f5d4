import { describe, expect, it } from "vitest";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { LOCALES, type Locale } from "#lib/i18n/locales.ts";
import { STORED_TYPE_BY_INCIDENT_KIND, type IncidentKind } from "./kinds.ts";
import { formatNeutralTitle } from "./neutral-title.ts";
import { MAX_INCIDENT_TITLE_LENGTH, MIN_INCIDENT_TITLE_LENGTH } from "./schema.ts";

const NOON = new Date("2026-11-27T12:00:00Z");
const format = (locale: Locale, kind: string | undefined, at = NOON, timeZone = "UTC") =>
  formatNeutralTitle(at, { kind, locale, timeZone, t: createTranslatorForLocale(locale, "reportForm") });

const KINDS = Object.keys(STORED_TYPE_BY_INCIDENT_KIND) as IncidentKind[];
const MONTHS = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2026, month, 28)));

describe("formatNeutralTitle", () => {
  it("names the kind and the day", () => {
    expect(format("en", "Threats or violence")).toBe("Threats or violence, 27 Nov");
    expect(format("ar", "تهديد أو عنف")).toMatch(/^تهديد أو عنف، /);
  });

  it.each([
    ["en", "Report of 27 Nov"],
    ["de", "Meldung vom 27. Nov."],
    ["fr", "Signalement du 27 nov."],
    ["es", "Informe del 27 nov"],
  ] as const)("says in %s that it is a report where no kind was chosen", (locale, title) => {
    expect(format(locale, undefined)).toBe(title);
    expect(format(locale, "")).toBe(title);
  });

  it("counts the day in the given zone", () => {
    const night = new Date("2026-11-27T23:30:00Z");
    expect(format("en", undefined, night, "Europe/Berlin")).toBe("Report of 28 Nov");
    expect(format("en", undefined, night, "America/New_York")).toBe("Report of 27 Nov");
  });

  it.each(LOCALES)("keeps to the lengths of a title for every kind and month: %s", (locale) => {
    const label = createTranslatorForLocale(locale, "incident");
    const kinds = [undefined, ...KINDS.map((kind) => label(`kind.${kind}`))];
    for (const title of kinds.flatMap((kind) => MONTHS.map((at) => format(locale, kind, at)))) {
      expect([...title].length, title).toBeGreaterThanOrEqual(MIN_INCIDENT_TITLE_LENGTH);
      expect([...title].length, title).toBeLessThanOrEqual(MAX_INCIDENT_TITLE_LENGTH);
      expect(title.trim()).toBe(title);
    }
  });

  it("cuts a label that is too long, at a word", () => {
    const title = format("en", "Shouting ".repeat(8).trim());
    expect(title).toMatch(/^(Shouting ){7}…$/);
    expect([...format("en", "x".repeat(100))].length).toBe(MAX_INCIDENT_TITLE_LENGTH);
  });
});
