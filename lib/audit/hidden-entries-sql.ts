import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The condition that an audit entry `e` isn't about a hidden incident, alone or among others (contract 16.1).
 * @param hidden ids of the incidents that are hidden from the reader
 */
export const auditEntryNotHiddenSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`
  (coalesce(audited_incident(e.object_type, e.object_id, e.data) <> all(${hidden}::uuid[]), true)
    and not coalesce(e.data -> 'incidentIds' ?| ${hidden}::text[], false))`;
