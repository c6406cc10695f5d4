import { z } from "zod";
import { idOut, limit, optionalText, changedText, page, time } from "#lib/operation/fields.ts";
import { env } from "#lib/env.ts";
import { FACTS } from "#lib/outbox/events.ts";

export const MAX_WEBHOOKS = 20;
export const MAX_URL = 500;
export const MAX_WEBHOOK_DESCRIPTION = 200;
/** What the test button sends. */
export const TEST_KIND = "webhook.test";

const target = z
  .string("must be a web address")
  .transform((value) => value.trim())
  .refine(isTarget, "must be an https address such as https://hooks.example.org/heed, without a user name")
  .meta({ type: "string", format: "uri", maxLength: MAX_URL });

/** Plain http is for receivers beside the service, which the operator has to allow. */
function isTarget(value: string): boolean {
  if (value.length > MAX_URL || /[\s\p{Cc}]/u.test(value) || !value.isWellFormed()) return false;
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  const schemes = env().WEBHOOK_PRIVATE_TARGETS ? ["https:", "http:"] : ["https:"];
  return schemes.includes(protocol) && !username && !password;
}

const kinds = z
  .array(z.enum(FACTS), "must be a list of kinds")
  .min(1, "needs at least one kind")
  .max(100, "must be at most 100 kinds")
  .transform((given) => FACTS.filter((kind) => given.includes(kind)))
  .meta({ type: "array", items: { type: "string", enum: [...FACTS] }, minItems: 1 });

export const NewWebhook = z.object({
  url: target,
  kinds,
  description: optionalText(MAX_WEBHOOK_DESCRIPTION),
});
export type NewWebhook = z.output<typeof NewWebhook>;

/** Turning a webhook on again forgets that it was failing. */
export const WebhookChange = z
  .object({
    url: target.optional(),
    kinds: kinds.optional(),
    description: changedText(MAX_WEBHOOK_DESCRIPTION),
    enabled: z.boolean("must be true or false").optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    "needs at least one thing to change",
  );
export type WebhookChange = z.output<typeof WebhookChange>;

/** Its secret is shown when it is made, and never again. */
export const Webhook = z.object({
  id: idOut,
  organizationId: idOut,
  url: z.string(),
  kinds: z.array(z.string()),
  description: z.string().nullable(),
  enabled: z.boolean(),
  disabledAt: time.nullable(),
  disabledReason: z.enum(["person", "failures"]).nullable(),
  failingSince: time.nullable(),
  createdAt: time,
  updatedAt: time,
});
export type WebhookRecord = z.input<typeof Webhook>;

export const WEBHOOK_COLUMNS = {
  id: true,
  organizationId: true,
  url: true,
  kinds: true,
  description: true,
  disabledAt: true,
  disabledReason: true,
  failingSince: true,
  createdAt: true,
  updatedAt: true,
} as const;

type WebhookRow = Omit<WebhookRecord, "enabled" | "disabledReason"> & { disabledReason: string | null };

export const webhookOf = (row: WebhookRow): WebhookRecord => ({
  ...row,
  enabled: row.disabledAt === null,
  disabledReason: row.disabledReason as WebhookRecord["disabledReason"],
});

export const ListQuery = z.object({ page, limit: limit(20) });
export type ListQuery = z.output<typeof ListQuery>;

/** What is sent: ids and a state, never who did it (contract 11.2). */
export const Payload = z.object({
  kind: z.string(),
  at: z.string(),
  organizationId: z.string(),
  eventId: z.string().nullable(),
  incidentId: z.string().nullable(),
  state: z.string().nullable(),
});
export type Payload = z.output<typeof Payload>;

export const Delivery = z.object({
  id: idOut,
  kind: z.string(),
  payload: Payload,
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.int(),
  responseStatus: z.int().nullable(),
  failure: z.string().nullable(),
  durationMs: z.int().nullable(),
  createdAt: time,
  attemptedAt: time.nullable(),
  deliveredAt: time.nullable(),
});
export type DeliveryRecord = z.input<typeof Delivery>;

export const DELIVERY_COLUMNS = {
  id: true,
  kind: true,
  payload: true,
  state: true,
  attempts: true,
  responseStatus: true,
  failure: true,
  durationMs: true,
  createdAt: true,
  attemptedAt: true,
  deliveredAt: true,
} as const;
