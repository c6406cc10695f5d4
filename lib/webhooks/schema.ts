import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import {
  idOutput,
  limitQuery,
  optionalTextInput,
  textChangeInput,
  pageNumberQuery,
  timeOutput,
  urlOutput,
  hasChange,
} from "#lib/operation/fields.ts";
import { env } from "#lib/env.ts";
import { PUBLISHED_CHANGE_KINDS } from "#lib/jobs/outbox-events.ts";

export const MAX_WEBHOOKS_PER_ORGANIZATION = 20;
export const MAX_WEBHOOK_URL_LENGTH = 500;
export const MAX_WEBHOOK_DESCRIPTION_LENGTH = 200;
/** The kind of a test message. */
export const TEST_WEBHOOK_KIND = "webhook.test";

const webhookUrlInput = z
  .string(encodeFieldProblem("mustBeWebAddress"))
  .transform((value) => value.trim())
  .refine(
    isWebhookUrl,
    encodeFieldProblem("mustBeHttpsWithoutUser", { example: "https://hooks.example.org/heed" }),
  )
  .meta({ type: "string", format: "uri", maxLength: MAX_WEBHOOK_URL_LENGTH });

/** Accepts plain http only if the operator allows receivers in the service's own network. */
function isWebhookUrl(value: string): boolean {
  if (value.length > MAX_WEBHOOK_URL_LENGTH || /[\s\p{Cc}]/u.test(value) || !value.isWellFormed())
    return false;
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  const schemes = env().WEBHOOK_PRIVATE_TARGETS ? ["https:", "http:"] : ["https:"];
  return schemes.includes(protocol) && !username && !password;
}

const kinds = z
  .array(z.enum(PUBLISHED_CHANGE_KINDS), encodeFieldProblem("mustBeKinds"))
  .min(1, encodeFieldProblem("needsKind"))
  .max(100, encodeFieldProblem("tooManyKinds", { max: 100 }))
  .transform((selected) => PUBLISHED_CHANGE_KINDS.filter((kind) => selected.includes(kind)))
  .meta({ type: "array", items: { type: "string", enum: [...PUBLISHED_CHANGE_KINDS] }, minItems: 1 });

export const NewWebhookInput = z.object({
  url: webhookUrlInput,
  kinds,
  description: optionalTextInput(MAX_WEBHOOK_DESCRIPTION_LENGTH),
});
export type NewWebhookInput = z.output<typeof NewWebhookInput>;

/** Enabling a webhook clears its failing state. */
export const WebhookChangeInput = z
  .object({
    url: webhookUrlInput.optional(),
    kinds: kinds.optional(),
    description: textChangeInput(MAX_WEBHOOK_DESCRIPTION_LENGTH),
    enabled: z.boolean(encodeFieldProblem("mustBeBoolean")).optional(),
  })
  .refine(hasChange, encodeFieldProblem("needsChange"));
export type WebhookChangeInput = z.output<typeof WebhookChangeInput>;

/** The secret is shown only when it is created. */
export const Webhook = z.object({
  id: idOutput,
  organizationId: idOutput,
  url: urlOutput,
  kinds: z.array(z.string()),
  description: z.string().nullable(),
  enabled: z.boolean(),
  disabledAt: timeOutput.nullable(),
  disabledReason: z.enum(["person", "failures"]).nullable(),
  failingSince: timeOutput.nullable(),
  createdAt: timeOutput,
  updatedAt: timeOutput,
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

export const toWebhookRecord = (row: WebhookRow): WebhookRecord => ({
  ...row,
  enabled: row.disabledAt === null,
  disabledReason: row.disabledReason as WebhookRecord["disabledReason"],
});

export const WebhookOrDeliveryListQuery = z.object({ page: pageNumberQuery, limit: limitQuery(20) });
export type WebhookOrDeliveryListQuery = z.output<typeof WebhookOrDeliveryListQuery>;

/** The payload of a message: ids and a state; it never names the person who acted (contract 11.2). */
export const WebhookPayload = z.object({
  kind: z.string(),
  at: z.string(),
  organizationId: z.string(),
  eventId: z.string().nullable(),
  incidentId: z.string().nullable(),
  state: z.string().nullable(),
});
export type WebhookPayload = z.output<typeof WebhookPayload>;

export const WebhookDelivery = z.object({
  id: idOutput,
  kind: z.string(),
  payload: WebhookPayload,
  state: z.enum(["waiting", "delivered", "failed"]),
  attempts: z.int(),
  responseStatus: z.int().nullable(),
  failure: z.string().nullable(),
  durationMs: z.int().nullable(),
  createdAt: timeOutput,
  attemptedAt: timeOutput.nullable(),
  deliveredAt: timeOutput.nullable(),
});
export type WebhookDeliveryRecord = z.input<typeof WebhookDelivery>;

export const WEBHOOK_DELIVERY_COLUMNS = {
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
