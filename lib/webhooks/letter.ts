import { z } from "zod";
import { idOut } from "#lib/operation/fields.ts";
import type { DescribedWebhook } from "#lib/http/openapi.ts";
import { FACTS } from "#lib/outbox/events.ts";
import { TEST_KIND } from "#lib/webhooks/schema.ts";

/** What a receiver gets, as it is sent and as the OpenAPI document describes it (docs/webhooks.md). */

/** Ids and a state, never who did it (contract 11.2). */
export const Letter = z.object({
  id: idOut,
  kind: z.enum([...FACTS, TEST_KIND]),
  at: z.iso.datetime({ precision: 3 }),
  organizationId: idOut,
  eventId: idOut.nullable(),
  incidentId: idOut.nullable(),
  state: z.string().nullable(),
});
export type Letter = z.input<typeof Letter>;

export const LetterHeaders = z.object({
  "Heed-Webhook-Id": idOut.describe("The delivery, as in the body; the same at each try."),
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
export type LetterHeaders = z.input<typeof LetterHeaders>;

export const DELIVERY: DescribedWebhook = {
  name: "delivery",
  summary: "Something happened that a webhook of an organization was set up to hear of",
  description:
    "Compute the signature over the body as it came, compare it in constant time, refuse a timestamp that is more than five minutes off, and remember ids for as long: a delivery may come twice. Any answer of 2xx within ten seconds takes it; redirects are not followed, and anything else is tried again.",
  headers: LetterHeaders,
  body: Letter,
};
