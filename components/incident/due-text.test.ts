import { expect, test } from "vitest";
import { createTranslator } from "#components/i18n/translator.ts";
import { getMessages } from "#lib/i18n/catalogue.ts";
import { LOCALES } from "#lib/i18n/locales.ts";
import { createDueLabelFormatter } from "./due-text.ts";

const NOW = new Date("2026-03-14T12:00:00Z");

const formatDue = (secondsAhead: number, locale: (typeof LOCALES)[number] = "en") =>
  createDueLabelFormatter({
    t: createTranslator<"due">(locale, getMessages(locale, "due")),
    format: { locale, timeZone: "UTC" },
    now: NOW,
  })({ for: "acknowledge", at: new Date(NOW.getTime() + secondsAhead * 1000).toISOString() }, null);

test.each([
  [60, "Due in 1 min", "First response due in 1 min", false],
  [59, "Due now", "First response due now", false],
  [0, "Due now", "First response due now", false],
  [-59, "Due now", "First response due now", true],
  [-60, "Overdue by 1 min", "First response overdue by 1 min", true],
])("a deadline %d seconds ahead is labeled %s", (secondsAhead, when, full, over) => {
  expect(formatDue(secondsAhead)).toMatchObject({ when, full, over });
});

test.each(LOCALES)("no label counts zero minutes in %s", (locale) => {
  for (const secondsAhead of [59, -59])
    expect(formatDue(secondsAhead, locale).full).not.toMatch(/\p{Number}/u);
});
