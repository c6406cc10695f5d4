import { expect, test } from "vitest";
import { SettingsChange } from "./schema.ts";
import { DEFAULT_SYSTEM_SETTINGS, applySettingDefaults } from "./settings.ts";

test("what is stored takes the place of the default, and what makes no sense doesn't", () => {
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

test("a blank word goes back to the default, a missing one stays", () => {
  expect(SettingsChange.parse({ name: "  " })).toEqual({ name: null });
  expect(SettingsChange.parse({ supportContact: "" })).toEqual({ supportContact: null });
});

test.each(["help@example.org", "https://example.org/help?topic=heed"])(
  "%s is a contact",
  (supportContact) => {
    expect(SettingsChange.parse({ supportContact })).toEqual({ supportContact });
  },
);

test.each(["https://", "https:///x", "ftp://example.org", "https://a b.example", 'https://x"y.example'])(
  "%s is none",
  (supportContact) => {
    expect(SettingsChange.safeParse({ supportContact }).success).toBe(false);
  },
);
