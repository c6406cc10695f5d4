import { expect, test } from "vitest";
import { CONDUCT_TEXTS, fillInConductContact, findConductText } from "#lib/events/conduct-texts.ts";
import { MAX_CODE_OF_CONDUCT_LENGTH } from "#lib/events/schema.ts";
import { LOCALES } from "#lib/i18n/locales.ts";

const all = CONDUCT_TEXTS.flatMap((text) => LOCALES.map((locale) => ({ ...text, locale })));

test.each(all)("$id in $locale can be saved, and names its license", ({ id, license, locale }) => {
  const text = fillInConductContact(findConductText(id, locale) ?? "", "spring");
  expect(text.length).toBeGreaterThan(2_000);
  expect(text.length).toBeLessThan(MAX_CODE_OF_CONDUCT_LENGTH);
  expect(text).toMatch(
    new RegExp(`creativecommons.org/licenses/${license.slice(3, -4).toLowerCase()}/${license.slice(-3)}/`),
  );
  expect(text).not.toMatch(/\{contact\}|\[INSERT|<\/?(?:p|a|div|em)\b/);
});

test("a text without a translation comes in English, and an unknown one not at all", () => {
  expect(findConductText("conference", "ar")).toBe(findConductText("conference", "en"));
  expect(findConductText("berlin", "de")).not.toBe(findConductText("berlin", "en"));
  expect(findConductText("other", "en")).toBeUndefined();
});

test("the gap for a contact gets the event’s page", () => {
  const text = fillInConductContact(findConductText("contributor-covenant", "en") ?? "", "spring");
  expect(text).toContain("/e/spring");
});
