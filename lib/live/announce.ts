import { z } from "zod";
import type { Sql } from "#lib/sql.ts";
import { FACTS } from "#lib/notifications/facts.ts";

/** What goes from process to process through the database: ids only. PostgreSQL takes at most 8000 bytes. */

export const CHANNEL = "heed_live";

const Wire = z.object({
  /** When, in milliseconds since 1970 by the clock of the database. */
  at: z.number(),
  /** What happened, for whoever may see it. */
  fact: z
    .object({
      kind: z.enum(FACTS),
      organizationId: z.string(),
      eventId: z.string().nullable(),
      incidentId: z.string().nullable(),
      reporterId: z.string().nullable(),
    })
    .nullable(),
  /** Whose number of unread notifications is another one now. */
  told: z.array(z.string()),
  /** Whose roles are other ones now. */
  changed: z.array(z.string()),
});
export type Wire = z.output<typeof Wire>;

const PEOPLE = 90;

/** Wakes the streams of every process when the transaction commits. */
export async function announce(
  tx: Pick<Sql, "$executeRaw">,
  { fact, told, changed }: Omit<Wire, "at">,
): Promise<void> {
  for (let start = 0; start === 0 || start < Math.max(told.length, changed.length); start += PEOPLE) {
    const part = {
      fact: start === 0 ? fact : null,
      told: told.slice(start, start + PEOPLE),
      changed: changed.slice(start, start + PEOPLE),
    };
    await tx.$executeRaw`
      select pg_notify(${CHANNEL}, (${JSON.stringify(part)}::jsonb
        || jsonb_build_object('at', floor(extract(epoch from clock_timestamp()) * 1000)))::text)`;
  }
}

/** Undefined for what is none of ours, such as the words of another version. */
export function wireOf(payload: string | undefined): Wire | undefined {
  try {
    return Wire.parse(JSON.parse(payload ?? ""));
  } catch {
    return undefined;
  }
}
