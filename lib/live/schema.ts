import { z } from "zod";
import { idOutput } from "#lib/operation/fields.ts";
import { CHANGE_KINDS } from "#lib/outbox/events.ts";

/** A position in the stream, from an event's `id:` or a poll's `cursor`. */
const cursor = z
  .string("must be a cursor")
  .regex(/^\d{1,15}$/, "must be the cursor from the last response")
  .transform(Number)
  .meta({ type: "string" });

export const LiveQuery = z.object({
  poll: z
    .literal("1", "must be 1")
    .optional()
    .meta({ description: "Answer at once, with JSON, instead of staying open." }),
  since: cursor.optional(),
});
export type LiveQuery = z.output<typeof LiveQuery>;

/** Says that something changed, and where; the record itself has the new values. */
export const LiveChange = z.object({
  type: z.literal("change"),
  eventId: idOutput.nullable(),
  incidentId: idOutput.nullable(),
  kind: z.enum(CHANGE_KINDS),
});

export const LivePoll = z.object({
  cursor: z.string().meta({ description: "To be sent as `since` the next time." }),
  complete: z
    .boolean()
    .meta({ description: "False when more may have changed than is listed: load everything again." }),
  unread: z.int(),
  events: z.array(LiveChange),
});
export type LivePollRecord = z.input<typeof LivePoll>;
