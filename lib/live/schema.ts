import { z } from "zod";
import { encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { idOutput } from "#lib/operation/fields.ts";
import { PUBLISHED_CHANGE_KINDS } from "#lib/jobs/outbox-events.ts";

/** A position in the stream, from an event's `id:` or a poll's `cursor` (position.ts). */
const cursor = z
  .string(encodeFieldProblem("mustBeCursor"))
  .regex(/^[\w-]{1,200}$/, encodeFieldProblem("mustBeCursor"));

export const LiveUpdatesQuery = z.object({
  poll: z
    .literal("1")
    .optional()
    .meta({ description: "Respond immediately with JSON instead of keeping the connection open." }),
  since: cursor.optional(),
});
export type LiveUpdatesQuery = z.output<typeof LiveUpdatesQuery>;

/** A change of a record, with its place; clients read the record itself for the new values. */
export const LiveChange = z.object({
  type: z.literal("change"),
  eventId: idOutput.nullable(),
  incidentId: idOutput.nullable(),
  kind: z.enum(PUBLISHED_CHANGE_KINDS),
  urgent: z
    .literal(true)
    .exactOptional()
    .meta({ description: "A new report that says that someone is in danger now; for the team only." }),
});

export type LiveChangeRecord = z.input<typeof LiveChange>;

export const LivePoll = z.object({
  cursor: z.string().meta({ description: "Send it as `since` in the next request." }),
  complete: z
    .boolean()
    .meta({ description: "False when more may have changed than is listed; reload everything." }),
  unread: z.int(),
  events: z.array(LiveChange),
});
export type LivePollRecord = z.input<typeof LivePoll>;
