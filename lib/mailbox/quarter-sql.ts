import { Prisma } from "#lib/generated/prisma/client.ts";

/** The beginning of the current quarter of an hour: as fine as times of reports without an account are stored. */
export const QUARTER_HOUR_SQL = Prisma.sql`date_bin('15 minutes', now(), timestamptz '2000-01-01 00:00:00+00')`;

/** When a reporter's step in the mailbox counts as done: this quarter of an hour, but after all that came before. */
export const nextEntryTimeSql = (incidentId: string): Prisma.Sql => Prisma.sql`greatest(${QUARTER_HOUR_SQL},
  (select max(h.created_at) from incident_history h where h.incident_id = ${incidentId}::uuid) + interval '1 millisecond')`;
