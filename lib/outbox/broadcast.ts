import { z } from "zod";
import type { SqlClient } from "#lib/database/sql.ts";
import { OUTBOX_EVENT_KINDS } from "#lib/outbox/events.ts";

/** What somebody does at an incident whose page they have open. */
export const PRESENCE_STATES = ["reading", "writing", "gone"] as const;

/** What goes from process to process through the database: ids only. PostgreSQL takes at most 8000 bytes. */

export const LIVE_CHANNEL = "heed_live";

const LiveMessage = z.object({
  /** When, in milliseconds since 1970 by the clock of the database. */
  at: z.number(),
  /** What happened, for whoever may see it. */
  fact: z
    .object({
      kind: z.enum(OUTBOX_EVENT_KINDS),
      organizationId: z.string(),
      eventId: z.string().nullable(),
      incidentId: z.string().nullable(),
      reporterId: z.string().nullable(),
    })
    .nullable(),
  /** Who is at an incident, for its team. Missing in most messages. */
  presence: z
    .object({
      eventId: z.string(),
      incidentId: z.string(),
      personId: z.string(),
      doing: z.enum(PRESENCE_STATES),
    })
    .exactOptional(),
  /** Whose number of unread notifications is another one now. */
  told: z.array(z.string()),
  /** Whose roles are other ones now, or what these are worth: an account that was disabled, a second factor. */
  changed: z.array(z.string()),
  /** Sessions and API tokens that are no more. The database says it by itself (prisma/functions/access_changes.sql), as the next one. */
  ended: z.array(z.string()).exactOptional(),
  /** Organizations that require a second factor now, or no longer do. */
  tightened: z.array(z.string()).exactOptional(),
});
export type LiveMessage = z.output<typeof LiveMessage>;

/** What is told from here. */
type NewLiveMessage = Omit<LiveMessage, "at" | "ended" | "tightened">;

const MAX_PEOPLE_PER_MESSAGE = 90;

/** Wakes the streams of every process when the transaction commits. */
export const publishLiveMessage = (tx: Pick<SqlClient, "$executeRaw">, one: NewLiveMessage): Promise<void> =>
  publishLiveMessages(tx, [one]);

/** As `announce`, for several at once, in one statement. */
export async function publishLiveMessages(
  tx: Pick<SqlClient, "$executeRaw">,
  all: NewLiveMessage[],
): Promise<void> {
  if (all.length === 0) return;
  await tx.$executeRaw`
    select pg_notify(${LIVE_CHANNEL}, (part.value
      || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000)))::text)
    from jsonb_array_elements(${JSON.stringify(all.flatMap(splitMessage))}::jsonb) part`;
}

/** In one message, or as many as its people need. */
function splitMessage({ fact, presence, told, changed }: NewLiveMessage): NewLiveMessage[] {
  const messageCount = Math.max(1, Math.ceil(Math.max(told.length, changed.length) / MAX_PEOPLE_PER_MESSAGE));
  return Array.from({ length: messageCount }, (_, index) => ({
    fact: index === 0 ? fact : null,
    ...(presence && index === 0 ? { presence } : {}),
    told: told.slice(index * MAX_PEOPLE_PER_MESSAGE, (index + 1) * MAX_PEOPLE_PER_MESSAGE),
    changed: changed.slice(index * MAX_PEOPLE_PER_MESSAGE, (index + 1) * MAX_PEOPLE_PER_MESSAGE),
  }));
}

/** Undefined for what is none of ours, such as the words of another version. */
export function parseLiveMessage(payload: string | undefined): LiveMessage | undefined {
  try {
    return LiveMessage.parse(JSON.parse(payload ?? ""));
  } catch {
    return undefined;
  }
}
