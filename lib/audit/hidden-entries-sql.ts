import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The condition that an audit entry `e` isn't about a hidden incident, alone or among others (contract 16.1).
 * @param hidden ids of the incidents that are hidden from the reader
 */
export const auditEntryNotHiddenSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`
  (coalesce(audited_incident(e.object_type, e.object_id, e.data) <> all(${hidden}::uuid[]), true)
    and not coalesce(e.data -> 'incidentIds' ?| ${hidden}::text[], false))`;

/**
 * The condition that an audit entry `e` isn't about an incident whose conflict check the reader hasn't answered (contract
 * 18.3).
 */
export const auditEntryWithoutUnopenedIncidentSql = (readerId: string): Prisma.Sql => Prisma.sql`
  not exists (select 1 from incidents i where i.id = audited_incident(e.object_type, e.object_id, e.data)
    and ${isConflictCheckUnansweredSql(readerId)})`;
