import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { booleanQuery, idOutput, limitQuery, pageNumberQuery, timeOutput } from "#lib/operation/fields.ts";
import type { OutboxEventKind } from "#lib/jobs/outbox-events.ts";

/** The kinds of notifications, in the order of the settings; each kind has its own sentence. */
export const NOTIFICATION_KINDS = [
  "incident.created",
  "incident.urgent",
  "incident.waiting",
  "incident.state",
  "incident.assigned",
  "incident.escalated",
  "incident.critical",
  "message.created",
  "message.afterClosing",
  "incident.withdrawn",
  "message.fromParty",
  "incident.expiring",
  "incident.holdReview",
  "incident.emergency",
  "note.created",
  "file.added",
  "role.changed",
  "invite.changed",
  "event.withoutReader",
] as const satisfies OutboxEventKind[];
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** The kinds of notifications that a reporter may get about their own report; all other kinds are for the team. */
export const REPORTER_NOTIFICATION_KINDS = [
  "incident.state",
  "message.created",
  "incident.emergency",
] as const satisfies NotificationKind[];

export const MAIL_FREQUENCIES = ["off", "now", "hourly", "daily"] as const;
type MailFrequency = (typeof MAIL_FREQUENCIES)[number];

/** The groups of kinds that the settings page offers. */
export const NOTIFICATION_GROUPS = ["urgent", "mine", "other"] as const;
export type NotificationGroup = (typeof NOTIFICATION_GROUPS)[number];

/** What is new or urgent; what concerns a person's own incidents, and notes that mention them; and the rest. */
export const NOTIFICATION_GROUP_BY_KIND: Record<NotificationKind, NotificationGroup> = {
  "incident.created": "urgent",
  "incident.urgent": "urgent",
  "incident.waiting": "urgent",
  "incident.escalated": "urgent",
  "incident.critical": "urgent",
  "incident.emergency": "urgent",
  "event.withoutReader": "urgent",
  "incident.assigned": "mine",
  "incident.state": "mine",
  "message.created": "mine",
  "message.afterClosing": "mine",
  "incident.withdrawn": "mine",
  "message.fromParty": "mine",
  "note.created": "mine",
  "file.added": "mine",
  "incident.expiring": "other",
  "incident.holdReview": "other",
  "role.changed": "other",
  "invite.changed": "other",
};

/** The defaults: a mail at once where somebody may have to act. Every kind is also listed by default. */
export const DEFAULT_MAIL_FREQUENCIES = Object.fromEntries(
  NOTIFICATION_KINDS.map((kind) => [kind, NOTIFICATION_GROUP_BY_KIND[kind] === "other" ? "daily" : "now"]),
) as Record<NotificationKind, MailFrequency>;

/** Kinds that need somebody to act: their mails aren't held back to be batched (docs/decisions/019). */
export const PROMPTLY_MAILED_NOTIFICATION_KINDS: NotificationKind[] = [
  "incident.created",
  "incident.urgent",
  "incident.escalated",
  "incident.critical",
  "incident.assigned",
  "message.created",
  "message.afterClosing",
  "incident.withdrawn",
  "message.fromParty",
];

/**
 * Seconds that a mail waits to be batched with others of the same event: `prompt` for the kinds above, `other` for the
 * rest. `other` is also the shortest time between two mails of the same prompt kind and event to one person.
 */
export const MAIL_BATCH_SECONDS = { prompt: 3, other: 60 };

const Place = z.object({ id: idOutput, name: z.string(), slug: z.string() });

/**
 * The kind, the event or organization, and a link. What is stored never holds a title, a person's name or a text; for
 * the team, the current title and severity are read with the list (contract 11.1).
 */
export const NotificationOutput = z.object({
  id: idOutput,
  kind: z.enum(NOTIFICATION_KINDS),
  event: Place.nullable(),
  organization: Place.nullable(),
  incidentId: idOutput.nullable(),
  /** For the team of its event only; otherwise null. */
  incident: z
    .object({ title: z.string(), severity: z.enum(["low", "medium", "high", "critical"]).nullable() })
    .nullable(),
  /** Of `incident.waiting`: how many open reports of the event the person hasn't opened yet. Otherwise null. */
  count: z.int().nullable(),
  url: z.string(),
  readAt: timeOutput.nullable(),
  createdAt: timeOutput,
});
export type NotificationRecord = z.input<typeof NotificationOutput>;

export const NotificationsQuery = z.object({
  unread: booleanQuery.optional(),
  page: pageNumberQuery,
  limit: limitQuery(20),
});
export type NotificationsQuery = z.output<typeof NotificationsQuery>;

/** `daily` is sent at 08:00 UTC, `hourly` at the full hour. */
export const NotificationSetting = z.object({
  kind: z.enum(NOTIFICATION_KINDS),
  inApp: z.boolean(encodeFieldProblem("mustBeBoolean")),
  mail: z.enum(MAIL_FREQUENCIES),
});
export type NotificationSetting = z.output<typeof NotificationSetting>;

/** Kinds that aren't given stay unchanged. */
export const NotificationSettingsChangeInput = z.object({
  settings: z
    .array(NotificationSetting, encodeFieldProblem("mustBeSettings"))
    .min(1, encodeFieldProblem("needsSetting"))
    .max(NOTIFICATION_KINDS.length, encodeFieldProblem("tooManySettings", { max: NOTIFICATION_KINDS.length }))
    .refine(
      (settings) => new Set(settings.map(({ kind }) => kind)).size === settings.length,
      encodeFieldProblem("mustNameKindsOnce"),
    ),
});
