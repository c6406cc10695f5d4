import type { Reader } from "#lib/access/hidden-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * SQL for incidents under the conflict check (docs/decisions/058). Such an incident is closed to each reader except its
 * reporter until `incident_readers` has a row with full access for that reader, who has answered the check, or one that
 * they opened in an emergency within the last 24 hours. Service tokens never have such a row.
 */

/**
 * The condition that the reader hasn't answered the conflict check of incident `i` yet.
 * @param reader null for a reader who can't answer, to whom every incident under the check is closed
 */
export const isConflictCheckUnansweredSql = (reader: Reader): Prisma.Sql => {
  const id = Prisma.sql`${reader?.id ?? null}::uuid`;
  const isOpened = reader?.token ? Prisma.sql`false` : Prisma.sql`x.opened_until > now()`;
  return Prisma.sql`(i.conflict_check and not coalesce(i.reporter_id = ${id}, false) and not exists (
    select 1 from incident_readers x where x.incident_id = i.id and x.user_id = ${id} and (x.access = 'full' or ${isOpened})))`;
};

/** How a reader opened incident `i`, a text: with which answer, or "emergency"; null if they weren't asked. */
export const conflictCheckAnswerSql = (readerId: string | null): Prisma.Sql => Prisma.sql`(
  select case when x.answer is not null then x.answer::text when x.access = 'ask' and x.opened_until > now() then 'emergency' end
  from incident_readers x where i.conflict_check and x.incident_id = i.id and x.user_id = ${readerId}::uuid)`;
