import { isConflictCheckUnansweredSql, type Reader } from "#lib/access/readers-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** The incident that an audit entry `e` is about; null for an entry about something else. */
export const AUDITED_INCIDENT_SQL = Prisma.sql`(
  case when e.object_type = 'incident' then e.object_id else (e.data ->> 'incidentId')::uuid end)`;

/**
 * The condition that an audit entry `e` isn't about a hidden incident, alone or among others (contract 16.1).
 * @param hidden ids of the incidents that are hidden from the reader
 */
export const auditEntryNotHiddenSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`
  (coalesce(${AUDITED_INCIDENT_SQL} <> all(${hidden}::uuid[]), true)
    and not coalesce((e.data -> 'incidentIds')::jsonb ?| ${hidden}::text[], false))`;

/**
 * The condition that an audit entry `e` isn't about an incident whose conflict check the reader has yet to answer
 * (contract 16.10). One that was deleted is closed to everybody, since its answers are gone.
 * @param reader null for a reader who can't answer
 */
export const auditEntryWithoutUnopenedIncidentSql = (reader: Reader): Prisma.Sql => Prisma.sql`
  (not e.under_check or exists (
    select 1 from incidents i where i.id = ${AUDITED_INCIDENT_SQL} and not ${isConflictCheckUnansweredSql(reader)}))`;
