import { z } from "zod";
import { booleanQuery, idOutput, limitQuery, pageQuery, timeOutput } from "#lib/operation/fields.ts";
import { CHANGE_KINDS, type ChangeKind } from "#lib/outbox/events.ts";

/** Changes of a report beside its state wake open pages and webhooks; nobody is notified of them. */
export const NOTIFICATION_KINDS = CHANGE_KINDS.filter(
  (kind): kind is NotificationKind => kind !== "incident.changed",
);
export type NotificationKind = Exclude<ChangeKind, "incident.changed">;

/** What a reporter may hear of about their own report; everything else is the team's. */
export const REPORTER_NOTIFICATION_KINDS = [
  "incident.state",
  "message.created",
] as const satisfies NotificationKind[];

export const MAIL_FREQUENCIES = ["off", "now", "hourly", "daily"] as const;
export type MailFrequency = (typeof MAIL_FREQUENCIES)[number];

/** How a person is told who has chosen nothing: in the list always, by mail at once where somebody waits. */
export const DEFAULT_MAIL_FREQUENCIES: Record<NotificationKind, MailFrequency> = {
  "incident.created": "now",
  "incident.escalated": "now",
  "incident.assigned": "now",
  "incident.state": "now",
  "message.created": "now",
  "note.created": "hourly",
  "file.added": "hourly",
  "role.changed": "daily",
  "invite.changed": "daily",
};

/** Kinds that call somebody to act: their mails don't wait for what else may happen (docs/decisions/019). */
export const PROMPT_NOTIFICATION_KINDS: NotificationKind[] = [
  "incident.created",
  "incident.escalated",
  "incident.assigned",
  "message.created",
];

/** How long a mail waits for what else happens at the same event, and how far apart two of the same kind are, in s. */
export const MAIL_BATCH_SECONDS = { prompt: 3, other: 60 };

const Place = z.object({ id: idOutput, name: z.string(), slug: z.string() });

/** Which kind of thing, where, and a link; never a title, a name of a person or a text (contract 11.1). */
export const Notification = z.object({
  id: idOutput,
  kind: z.enum(NOTIFICATION_KINDS),
  event: Place.nullable(),
  organization: Place.nullable(),
  incidentId: idOutput.nullable(),
  url: z.string(),
  readAt: timeOutput.nullable(),
  createdAt: timeOutput,
});
export type NotificationRecord = z.input<typeof Notification>;

export const NotificationsQuery = z.object({
  unread: booleanQuery.optional(),
  page: pageQuery,
  limit: limitQuery(20),
});
export type NotificationsQuery = z.output<typeof NotificationsQuery>;

/** `daily` is sent at 08:00 UTC, `hourly` at the full hour. */
export const NotificationSetting = z.object({
  kind: z.enum(NOTIFICATION_KINDS),
  inApp: z.boolean("must be true or false"),
  mail: z.enum(MAIL_FREQUENCIES),
});
export type NotificationSetting = z.output<typeof NotificationSetting>;

/** Kinds that are not named stay as they are. */
export const NotificationSettingsChange = z.object({
  settings: z
    .array(NotificationSetting, "must be a list of settings")
    .min(1, "needs at least one setting")
    .max(NOTIFICATION_KINDS.length, `must be at most ${NOTIFICATION_KINDS.length} settings`)
    .refine(
      (settings) => new Set(settings.map(({ kind }) => kind)).size === settings.length,
      "must name each kind once",
    ),
});
