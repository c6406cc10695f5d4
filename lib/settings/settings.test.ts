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

test.each(["https://", "https:///x", "ftp://example.org", "https://a b.example", 'https://x"y.example'])(
  "%s is not a valid contact",
  (supportContact) => {
    expect(SystemSettingsChangeInput.safeParse({ supportContact }).success).toBe(false);
  },
);
