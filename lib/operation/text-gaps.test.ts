import { expect, test } from "vitest";
import { LOCALES } from "#lib/i18n/locales.ts";
import { hasTextGap } from "#lib/operation/text-gaps.ts";

test.each(["We [what we did].", "[ما فعلناه]", "[…was wir getan haben…] Danke."])("%s has a gap", (text) =>
  expect(hasTextGap(text)).toBe(true),
);

test.each(["", "Thank you.", "See [1].", "[ ]", "[open\nclosed]", "closed] and [open"])(
  "%j has none",
  (text) => expect(hasTextGap(text)).toBe(false),
);

test.each(LOCALES)("the texts to start from in %s have a gap each", async (locale) => {
  const { default: templates } = await import(`#lib/i18n/messages/${locale}/outcome.json`, {
    with: { type: "json" },
  });
  expect(Object.values<string>(templates).map(hasTextGap)).toEqual([true, true]);
});
