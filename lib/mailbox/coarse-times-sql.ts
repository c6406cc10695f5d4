import { Prisma } from "#lib/generated/prisma/client.ts";

/** The beginning of the current quarter of an hour: as fine as times of reports without an account are stored. */
export const QUARTER_HOUR_SQL = Prisma.sql`date_bin('15 minutes', now(), timestamptz '2000-01-01 00:00:00+00')`;

/** The beginning of the UTC day: as fine as what the holder of a letterbox does is dated. */
export const TODAY_SQL = Prisma.sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`;

/** Entries of the history whose times a mailbox shows, beside the reporter's own files. */
const VISIBLE_STEPS = ["submitted", "message", "withdrawn"];

/**
 * When a reporter's step in the mailbox counts as done: this quarter of an hour, but after the messages and own steps that
 * the mailbox shows. What the team does otherwise doesn't count: the step would have the time of it, for the reporter to see.
 */
export const nextEntryTimeSql = (incidentId: string): Prisma.Sql => Prisma.sql`greatest(${QUARTER_HOUR_SQL},
  (select max(h.created_at) from incident_history h where h.incident_id = ${incidentId}::uuid
    and (h.action = any(${VISIBLE_STEPS}::text[]) or h.action = 'file.added' and h.actor_id is null))
    + interval '1 millisecond')`;
