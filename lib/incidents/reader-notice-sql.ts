import { hasEventReaderSql } from "#lib/access/team-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The statement with which report `new_incident` makes the notice due that nobody can read the event's reports
 * (contract 6.10). A report that is hidden from anybody doesn't: those who are notified could conclude that it exists.
 */
export const makeReaderNoticeDueSql = ({
  eventId,
  isListed,
}: {
  eventId: string;
  isListed: boolean;
}): Prisma.Sql => Prisma.sql`
  update events set reader_missing_since_notice = null from new_incident
  where events.id = new_incident.event_id and reader_missing_since_notice is not null
    and ${!isListed}::boolean and not ${hasEventReaderSql(Prisma.sql`${eventId}::uuid`)}`;
