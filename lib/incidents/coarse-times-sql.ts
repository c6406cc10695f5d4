import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The beginning of the current quarter of an hour, to which times of reports without their reporter's name are
 * rounded.
 */
export const CURRENT_QUARTER_HOUR_SQL = Prisma.sql`date_bin('15 minutes', now(), timestamptz '2000-01-01 00:00:00+00')`;

export const timeSql = (time: Date): Prisma.Sql => Prisma.sql`${time}::timestamptz`;

/**
 * The time of an outbox event `o` as it is stored and sent: exact if the event names an actor, else rounded down to the
 * UTC day for a kind that may come from a reported person or a witness, and to the quarter of an hour for any other kind. The times of
 * reports and messages without a name are rounded in the same way.
 */
export const coarseOutboxEventTimeSql = (dayOnlyKinds: readonly string[]): Prisma.Sql => Prisma.sql`case
  when o.actor_id is not null then o.at
  when o.kind = any(${[...dayOnlyKinds]}::text[]) then date_trunc('day', o.at, 'UTC')
  else date_bin('15 minutes', o.at, timestamptz '2000-01-01 00:00:00+00') end`;
