import {
  Clock,
  FilePlus,
  Inbox,
  type LucideIcon,
  Mail,
  MailPlus,
  MessageSquare,
  MessageSquareReply,
  RefreshCw,
  Siren,
  StickyNote,
  TriangleAlert,
  Undo2,
  UserCheck,
  Users,
} from "lucide-react";
import type { NotificationKind } from "#lib/notifications/schema.ts";

/** Icons by kind of notification; their text is `kind.…` and `about.…` of the namespace `notifications`. */
export const NOTIFICATION_ICONS: Record<NotificationKind, LucideIcon> = {
  "incident.created": Inbox,
  "incident.urgent": Siren,
  "incident.escalated": Clock,
  "incident.critical": TriangleAlert,
  "incident.assigned": UserCheck,
  "incident.state": RefreshCw,
  "message.created": MessageSquare,
  "message.afterClosing": MessageSquareReply,
  "incident.withdrawn": Undo2,
  "letter.received": Mail,
  "note.created": StickyNote,
  "file.added": FilePlus,
  "role.changed": Users,
  "invite.changed": MailPlus,
};
