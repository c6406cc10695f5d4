/**
 * Names of the settings forms' fields, checkboxes excepted; their labels are `settings.…` in the messages.
 */

export const EVENT_FORM_FIELDS = [
  "name",
  "newSlug",
  "description",
  "startDate",
  "endDate",
  "website",
  "contactEmail",
] as const;

export const REPORTERS_FORM_FIELDS = [
  "whoCanReport",
  "emergencyContact",
  "answerWithinHours",
  "nextUpdateWithinDays",
  "exitUrl",
] as const;

export type SettingsField =
  (typeof EVENT_FORM_FIELDS | typeof REPORTERS_FORM_FIELDS)[number] | "codeOfConduct";
