import { expect, test } from "vitest";
import { getTextDirection, isLocale, negotiateLocale } from "./locales.ts";

test("a person's choice takes precedence over the browser's languages", () => {
  expect(negotiateLocale("fr", "de-DE,de;q=0.9")).toBe("fr");
});

test("without a choice the browser's most preferred supported language is used", () => {
  expect(negotiateLocale(null, "pt-BR;q=0.9,ar-EG;q=0.8,en;q=0.5")).toBe("ar");
  expect(negotiateLocale(undefined, "de-AT")).toBe("de");
  expect(negotiateLocale("", "es-419,en;q=0.1")).toBe("es");
});

test("a language that was refused with q=0 is not given", () => {
  expect(negotiateLocale(null, "de;q=0, fr;q=0.1")).toBe("fr");
});

test.each([null, "", "*", "tlh", ";;;q=", "de_DE", "x".repeat(5000)])(
  "English is the fallback for %j",
  (header) => {
    expect(negotiateLocale(null, header)).toBe("en");
  },
);

test.each(["zh-min-nan", "en-12", "de-DE-de-DE", "sl-rozaj-rozaj", "ar-12-34"])(
  "an invalid tag such as %s is skipped",
  (tag) => {
    expect(negotiateLocale(null, tag)).toBe("en");
    expect(negotiateLocale(null, `${tag}, fr;q=0.5`)).toBe("fr");
  },
);

test("an unknown choice is ignored", () => {
  expect(negotiateLocale("klingon", "fr")).toBe("fr");
  expect(isLocale("__proto__")).toBe(false);
});

test("Arabic alone is read from right to left", () => {
  expect(getTextDirection("ar")).toBe("rtl");
  expect(getTextDirection("fr")).toBe("ltr");
});
