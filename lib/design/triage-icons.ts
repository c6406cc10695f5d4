import type { IconName } from "./icon-names.ts";

/** What the inbox marks with an icon, and with which. */
export const TRIAGE_ICONS = {
  "state-submitted": "inbox",
  "state-acknowledged": "eye",
  "state-investigating": "search",
  "state-resolved": "circle-check-big",
  "state-closed": "archive",
  "severity-critical": "chevrons-up",
  "severity-high": "chevron-up",
  "severity-medium": "equal",
  "severity-low": "chevron-down",
  "severity-none": "circle-dashed",
  messages: "message-square",
  files: "paperclip",
  "view-needsUs": "alarm-clock",
  "view-mine": "user-round",
  "view-waiting": "hourglass",
  "view-open": "inbox",
  "view-finished": "archive",
  withdrawn: "undo",
  hidden: "eye-off",
  "reporter-unconfirmed": "mail-exclamation-point",
  "reporter-namesake": "users-round",
  due: "clock",
  overdue: "clock-exclamation-point",
  "awaiting-reporter": "hourglass",
  "awaiting-team": "message-square-reply",
  event: "calendar-days",
  open: "chevron-down",
  saved: "bookmark",
} as const satisfies Record<string, IconName>;

export type TriageIconName = keyof typeof TRIAGE_ICONS;
