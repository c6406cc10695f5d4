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
import type { Kind, Mail } from "#lib/notifications/schema.ts";

/** The words for what somebody is told of. As the API gives it: which kind and where, never a title, name or text. */

type Words = {
  /** In the list. */ told: string;
  /** In the settings. */ about: string;
  icon: LucideIcon;
};

export const KIND_WORDS: Record<Kind, Words> = {
  "incident.created": { told: "A new report has come in", about: "New reports", icon: Inbox },
  "incident.escalated": {
    told: "A report has waited too long for an answer",
    about: "Reports that wait too long for an answer",
    icon: Bell,
  },
  "incident.assigned": {
    told: "A report was assigned to you",
    about: "Reports that are assigned to you",
    icon: UserCheck,
  },
  "incident.state": {
    told: "A report has moved on to another state",
    about: "New states of your reports",
    icon: RefreshCw,
  },
  "message.created": { told: "There is a new message", about: "New messages", icon: MessageSquare },
  "note.created": {
    told: "There is a new note of the team",
    about: "New notes of the team",
    icon: StickyNote,
  },
  "file.added": { told: "A file was added to a report", about: "New files", icon: FilePlus },
  "role.changed": { told: "Roles have changed", about: "Changes of roles", icon: Users },
  "invite.changed": { told: "Invites have changed", about: "Changes of invites", icon: MailPlus },
};

export const MAIL_WORDS: Record<Mail, string> = {
  off: "No mail",
  now: "At once",
  hourly: "Every hour, gathered",
  daily: "Once a day, at 08:00 UTC",
};
