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
  "view-all": "inbox",
  "view-first": "mail-question-mark",
  "view-mine": "user-round",
  "view-unassigned": "user-round-x",
  "view-answer": "message-square-reply",
  "view-overdue": "clock-exclamation-point",
  "view-waiting": "hourglass",
  "view-escalated": "triangle-exclamation-point",
  "view-open": "alarm-clock",
  "view-pinned": "star",
  "view-closed": "archive",
  withdrawn: "undo",
  hidden: "eye-off",
  "reporter-unconfirmed": "mail-exclamation-point",
  "reporter-namesake": "users-round",
  due: "clock",
  event: "calendar-days",
  open: "chevron-down",
  saved: "bookmark",
} as const satisfies Record<string, IconName>;

export type TriageIconName = keyof typeof TRIAGE_ICONS;
