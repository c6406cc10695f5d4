import {
  Bell,
  FilePlus,
  Inbox,
  type LucideIcon,
  MailPlus,
  MessageSquare,
  RefreshCw,
  StickyNote,
  UserCheck,
  Users,
} from "lucide-react";
import type { NotificationKind } from "#lib/notifications/schema.ts";

/** Icons by kind of notification; their text is `told.…` and `about.…` of the namespace `notifications`. */
export const NOTIFICATION_ICONS: Record<NotificationKind, LucideIcon> = {
  "incident.created": Inbox,
  "incident.escalated": Bell,
  "incident.assigned": UserCheck,
  "incident.state": RefreshCw,
  "message.created": MessageSquare,
  "note.created": StickyNote,
  "file.added": FilePlus,
  "role.changed": Users,
  "invite.changed": MailPlus,
};
