import { expect, test } from "vitest";
import { getTextDirection, isLocale, negotiateLocale } from "./locales.ts";

test("what a person chose counts before what the browser asks for", () => {
  expect(negotiateLocale("fr", "de-DE,de;q=0.9")).toBe("fr");
});

test("without a choice the most wanted language that there is counts", () => {
  expect(negotiateLocale(null, "pt-BR;q=0.9,ar-EG;q=0.8,en;q=0.5")).toBe("ar");
  expect(negotiateLocale(undefined, "de-AT")).toBe("de");
  expect(negotiateLocale("", "es-419,en;q=0.1")).toBe("es");
});

test("a language that was refused with q=0 is not given", () => {
  expect(negotiateLocale(null, "de;q=0, fr;q=0.1")).toBe("fr");
});

test.each([null, "", "*", "tlh", ";;;q=", "de_DE", "x".repeat(5000)])(
  "English is what is left for %j",
  (header) => {
    expect(negotiateLocale(null, header)).toBe("en");
  },
);

test.each(["zh-min-nan", "en-12", "de-DE-de-DE", "sl-rozaj-rozaj", "ar-12-34"])(
  "what is no tag, such as %s, is passed over",
  (tag) => {
    expect(negotiateLocale(null, tag)).toBe("en");
    expect(negotiateLocale(null, `${tag}, fr;q=0.5`)).toBe("fr");
  },
);

test("a made-up choice is none", () => {
  expect(negotiateLocale("klingon", "fr")).toBe("fr");
  expect(isLocale("__proto__")).toBe(false);
});

test("Arabic alone is read from right to left", () => {
  expect(getTextDirection("ar")).toBe("rtl");
  expect(getTextDirection("fr")).toBe("ltr");
});
