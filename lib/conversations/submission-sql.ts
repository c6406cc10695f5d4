import { hasEventReaderSql } from "#lib/access/team-sql.ts";
import { EVENT_NOT_OPEN_REFUSAL } from "#lib/events/join-queries.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** SQL condition that is always true: whoever has the key of a report may learn that it was sent. */
export const NO_REPLAY_RESTRICTION_SQL = Prisma.sql`true`;

/** SQL condition: nobody reads a report without its receipt. */
export const KEY_HOLDER_MAY_READ_SQL = Prisma.sql`false`;

/** SQL for the reason why an event accepts no reports without an account; null if it accepts them. */
export const reportWithoutAccountRefusalSql = (eventId: string): Prisma.Sql => Prisma.sql`case
  when not coalesce((select s.without_account from event_report_settings s where s.event_id = ${eventId}::uuid), true) then 'needsAccount'
  when not ${hasEventReaderSql(Prisma.sql`${eventId}::uuid`)} then ${EVENT_NOT_OPEN_REFUSAL} end`;
