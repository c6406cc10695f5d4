import type { IconName } from "#lib/design/icon-names.ts";
import type { NotificationKind } from "#lib/notifications/schema.ts";

/** Icons by kind of notification; their text is `kind.…` and `about.…` of the namespace `notifications`. */
export const NOTIFICATION_ICONS: Record<NotificationKind, IconName> = {
  "incident.created": "inbox",
  "incident.urgent": "siren",
  "incident.waiting": "layers",
  "incident.escalated": "clock",
  "incident.critical": "triangle-exclamation-point",
  "incident.assigned": "user-check",
  "incident.state": "refresh-cw",
  "message.created": "message-square",
  "message.afterClosing": "message-square-reply",
  "incident.withdrawn": "undo-2",
  "message.fromParty": "mail",
  "incident.expiring": "calendar-x-2",
  "incident.holdReview": "hourglass",
  "incident.emergency": "shield-exclamation-point",
  "note.created": "sticky-note",
  "file.added": "file-plus",
  "role.changed": "users",
  "invite.changed": "mail-plus",
  "event.withoutReader": "user-x",
};
