import { z } from "zod";
import { booleanText, idOut, limit, page, time } from "#lib/operation/fields.ts";
import { FACTS, type FactKind } from "#lib/outbox/events.ts";

/** Changes of a report beside its state wake open pages and webhooks; nobody is notified of them. */
export const KINDS = FACTS.filter((kind): kind is Kind => kind !== "incident.changed");
export type Kind = Exclude<FactKind, "incident.changed">;

/** What a reporter may hear of about their own report; everything else is the team's. */
export const REPORTER_KINDS = ["incident.state", "message.created"] as const satisfies Kind[];

export const MAILS = ["off", "now", "hourly", "daily"] as const;
export type Mail = (typeof MAILS)[number];

/** How a person is told who has chosen nothing: in the list always, by mail at once where somebody waits. */
export const DEFAULT_MAIL: Record<Kind, Mail> = {
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
export const PROMPT_KINDS: Kind[] = [
  "incident.created",
  "incident.escalated",
  "incident.assigned",
  "message.created",
];

/** How long a mail waits for what else happens at the same event, and how far apart two of the same kind are, in s. */
export const GATHER_SECONDS = { prompt: 3, other: 60 };

const Place = z.object({ id: idOut, name: z.string(), slug: z.string() });

/** Which kind of thing, where, and a link; never a title, a name of a person or a text (contract 11.1). */
export const Notification = z.object({
  id: idOut,
  kind: z.enum(KINDS),
  event: Place.nullable(),
  organization: Place.nullable(),
  incidentId: idOut.nullable(),
  url: z.string(),
  readAt: time.nullable(),
  createdAt: time,
});
export type NotificationRecord = z.input<typeof Notification>;

export const NotificationsQuery = z.object({ unread: booleanText.optional(), page, limit: limit(20) });
export type NotificationsQuery = z.output<typeof NotificationsQuery>;

/** `daily` is sent at 08:00 UTC, `hourly` at the full hour. */
export const Setting = z.object({
  kind: z.enum(KINDS),
  inApp: z.boolean("must be true or false"),
  mail: z.enum(MAILS),
});
export type Setting = z.output<typeof Setting>;

/** Kinds that are not named stay as they are. */
export const SettingsChange = z.object({
  settings: z
    .array(Setting, "must be a list of settings")
    .min(1, "needs at least one setting")
    .max(KINDS.length, `must be at most ${KINDS.length} settings`)
    .refine(
      (settings) => new Set(settings.map(({ kind }) => kind)).size === settings.length,
      "must name each kind once",
    ),
});
