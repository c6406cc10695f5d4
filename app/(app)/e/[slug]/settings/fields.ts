import { EVENT_DETAIL_FIELD_NAMES } from "#components/event/event-fields.tsx";

/** Names of the settings forms' fields, checkboxes excepted. Labels of the event's fields are those of a new event. */

export const EVENT_FORM_FIELD_NAMES = ["name", "newSlug", ...EVENT_DETAIL_FIELD_NAMES] as const;

/** The fields of the form about reports. Their labels are `settings.…` in the messages. */
export const REPORT_SETTINGS_FORM_FIELD_NAMES = [
  "whoCanReport",
  "emergencyNumber",
  "emergencyContact",
  "emergencyPhone",
  "answerWithinHours",
  "nextUpdateWithinDays",
  "exitUrl",
] as const;

/** Names of the fields whose labels are `settings.…` in the messages, unlike those of the event's own fields. */
export type ReportSettingsOrConductField =
  | (typeof REPORT_SETTINGS_FORM_FIELD_NAMES)[number]
  | "codeOfConduct";
