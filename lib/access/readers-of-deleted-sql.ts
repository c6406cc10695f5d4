import { ONLY_SAYS_WHO_OPENED_SQL } from "#lib/access/hidden-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Statement that clears what the rows of a deleted incident, or of all deleted ones, say beyond who must not see it: reasons,
 * answers to the conflict check, and their times. What keeps it from somebody stays, as the audit log does; rows that only
 * say who had opened it go.
 */
export const clearReadersOfDeletedIncidentsSql = (incidentId?: string): Prisma.Sql => {
  const isDeleted =
    incidentId === undefined
      ? Prisma.sql`not exists (select 1 from incidents i where i.id = x.incident_id)`
      : Prisma.sql`x.incident_id = ${incidentId}::uuid`;
  return Prisma.sql`
  with opened as (delete from incident_readers x where ${ONLY_SAYS_WHO_OPENED_SQL} and ${isDeleted})
  update incident_readers x set reason = null, answer = null, created_at = now(),
    access = case x.access when 'ask' then 'full' else x.access end
  where (x.reason is not null or x.access >= 'ask') and not ${ONLY_SAYS_WHO_OPENED_SQL} and ${isDeleted}`;
};

/** Statement that clears a person's answers to conflict checks. */
export const clearAnswersOfPersonSql = (userId: string): Prisma.Sql => Prisma.sql`
  with opened as (delete from incident_readers x where ${ONLY_SAYS_WHO_OPENED_SQL} and x.user_id = ${userId}::uuid)
  update incident_readers x set answer = null, access = 'ask' where x.answer is not null and not ${ONLY_SAYS_WHO_OPENED_SQL} and x.user_id = ${userId}::uuid`;
