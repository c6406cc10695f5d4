import { expect, test } from "vitest";
import { SystemSettingsChangeInput } from "./schema.ts";
import { DEFAULT_SYSTEM_SETTINGS, applySettingDefaults } from "./settings.ts";

test("a stored value replaces the default, and an invalid one doesn't", () => {
  expect(applySettingDefaults({})).toEqual(DEFAULT_SYSTEM_SETTINGS);
  expect(applySettingDefaults({ name: "River desk", registration: "later", unknown: 1 })).toEqual({
    ...DEFAULT_SYSTEM_SETTINGS,
    name: "River desk",
  });
  expect(applySettingDefaults({ supportContact: null, registration: "invite" })).toEqual({
    ...DEFAULT_SYSTEM_SETTINGS,
    registration: "invite",
  });
});

test("a blank value restores the default, a missing one keeps the setting", () => {
  expect(SystemSettingsChangeInput.parse({ name: "  " })).toEqual({ name: null });
  expect(SystemSettingsChangeInput.parse({ supportContact: "" })).toEqual({ supportContact: null });
});

test.each(["help@example.org", "https://example.org/help?topic=heed"])(
  "%s is a valid contact",
  (supportContact) => {
    expect(SystemSettingsChangeInput.parse({ supportContact })).toEqual({ supportContact });
  },
);

test.each([
  "https://",
  "https:///x",
  "ftp://example.org",
  "http://help.example.org",
  "javascript:alert(1)",
  "https://user:pass@help.example.org",
  "https://a b.example",
  'https://x"y.example',
  "a@example.org, b@example.org",
  `https://example.org/${"x".repeat(300)}`,
])("%s is not a valid contact", (supportContact) => {
  expect(SystemSettingsChangeInput.safeParse({ supportContact }).success).toBe(false);
});

test.each([
  {},
  { registration: "closed" },
  { registration: true },
  { name: "x".repeat(61) },
  { name: "two\nlines" },
  { name: "see https://evil.test" },
  { name: 5 },
])("%o changes no settings", (change) => {
  expect(SystemSettingsChangeInput.safeParse(change).success).toBe(false);
});
