import { z } from "zod";
import { idOutput } from "#lib/operation/fields.ts";
import type { WebhookDescription } from "#lib/http/openapi.ts";
import { PUBLISHED_CHANGE_KINDS } from "#lib/jobs/outbox-events.ts";
import { TEST_WEBHOOK_KIND } from "#lib/webhooks/schema.ts";

/** The message that a receiver gets. The OpenAPI document describes it, too (docs/webhooks.md). */

/** Ids and a state; it never names the person who acted (contract 11.2). */
export const WebhookMessage = z.object({
  id: idOutput,
  kind: z.enum([...PUBLISHED_CHANGE_KINDS, TEST_WEBHOOK_KIND]),
  at: z.iso.datetime({ precision: 3 }),
  organizationId: idOutput,
  eventId: idOutput.nullable(),
  incidentId: idOutput.nullable(),
  state: z.string().nullable(),
});
export type WebhookMessage = z.input<typeof WebhookMessage>;

export const WebhookMessageHeaders = z.object({
  "Heed-Webhook-Id": idOutput.describe("The delivery, as in the body; the same at each try."),
  "Heed-Timestamp": z
    .string()
    .regex(/^\d{10,12}$/)
    .describe("When this try was sent, in seconds since 1970."),
  "Heed-Signature": z
    .string()
    .regex(/^v1=[0-9a-f]{64}$/)
    .describe(
      'v1= and, in hex, the HMAC-SHA256 of "<Heed-Webhook-Id>.<Heed-Timestamp>.<body as it came>", with the secret of the webhook, whsec_ included, as the key.',
    ),
});
export type WebhookMessageHeaders = z.input<typeof WebhookMessageHeaders>;

export const WEBHOOK_OPENAPI_DESCRIPTION: WebhookDescription = {
  name: "delivery",
  summary: "Something happened that a webhook of an organization was set up to hear of",
  description:
    "Compute the signature over the body as it came, compare it in constant time, refuse a timestamp that is more than five minutes off, and remember ids for as long: a delivery may come twice. Any answer of 2xx within ten seconds takes it; redirects are not followed, and anything else is tried again.",
  headers: WebhookMessageHeaders,
  body: WebhookMessage,
};
