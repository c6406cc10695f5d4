import { z } from "zod";
import type { Sql } from "#lib/database/sql.ts";
import { UNTOLD } from "#lib/outbox/events.ts";

/** What somebody does at an incident whose page they have open. */
export const DOINGS = ["reading", "writing", "gone"] as const;

/** What goes from process to process through the database: ids only. PostgreSQL takes at most 8000 bytes. */

export const CHANNEL = "heed_live";

const Wire = z.object({
  /** When, in milliseconds since 1970 by the clock of the database. */
  at: z.number(),
  /** What happened, for whoever may see it. */
  fact: z
    .object({
      kind: z.enum(UNTOLD),
      organizationId: z.string(),
      eventId: z.string().nullable(),
      incidentId: z.string().nullable(),
      reporterId: z.string().nullable(),
    })
    .nullable(),
  /** Who is at an incident, for its team. Missing in most messages. */
  presence: z
    .object({ eventId: z.string(), incidentId: z.string(), personId: z.string(), doing: z.enum(DOINGS) })
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
export type Wire = z.output<typeof Wire>;

/** What is told from here. */
type Announcement = Omit<Wire, "at" | "ended" | "tightened">;

const PEOPLE = 90;

/** Wakes the streams of every process when the transaction commits. */
export const announce = (tx: Pick<Sql, "$executeRaw">, one: Announcement): Promise<void> =>
  announceAll(tx, [one]);

/** As `announce`, for several at once, in one statement. */
export async function announceAll(tx: Pick<Sql, "$executeRaw">, all: Announcement[]): Promise<void> {
  if (all.length === 0) return;
  await tx.$executeRaw`
    select pg_notify(${CHANNEL}, (part.value
      || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000)))::text)
    from jsonb_array_elements(${JSON.stringify(all.flatMap(partsOf))}::jsonb) part`;
}

/** In one message, or as many as its people need. */
function partsOf({ fact, presence, told, changed }: Announcement): Announcement[] {
  const messages = Math.max(1, Math.ceil(Math.max(told.length, changed.length) / PEOPLE));
  return Array.from({ length: messages }, (_, index) => ({
    fact: index === 0 ? fact : null,
    ...(presence && index === 0 ? { presence } : {}),
    told: told.slice(index * PEOPLE, (index + 1) * PEOPLE),
    changed: changed.slice(index * PEOPLE, (index + 1) * PEOPLE),
  }));
}

/** Undefined for what is none of ours, such as the words of another version. */
export function wireOf(payload: string | undefined): Wire | undefined {
  try {
    return Wire.parse(JSON.parse(payload ?? ""));
  } catch {
    return undefined;
  }
}
