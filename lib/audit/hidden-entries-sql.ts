import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import type { Reader } from "#lib/access/hidden-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * The condition that an audit entry `e` isn't about a hidden incident, alone or among others (contract 16.1).
 * @param hidden ids of the incidents that are hidden from the reader
 */
export const auditEntryNotHiddenSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`
  (coalesce(audited_incident(e.object_type, e.object_id, e.data) <> all(${hidden}::uuid[]), true)
    and not coalesce(e.data -> 'incidentIds' ?| ${hidden}::text[], false))`;

/**
 * The `reporter_id` of the incident that an audit entry `e` is about, without a row unless the incident is closed to the
 * reader (contract 16.10). One that was deleted is closed to everybody, since its answers are gone.
 * @param reader null for a reader who can't answer
 */
export const unopenedIncidentOfEntrySql = (reader: Reader): Prisma.Sql => Prisma.sql`
  select i.reporter_id from incidents i where i.id = audited_incident(e.object_type, e.object_id, e.data)
    and ${isConflictCheckUnansweredSql(reader)}
  union all
  select d.reporter_id from deleted_incidents_under_check d
  where d.incident_id = audited_incident(e.object_type, e.object_id, e.data)`;

/** The condition that an audit entry `e` isn't about an incident that is closed to the reader (contract 16.10). */
export const auditEntryWithoutUnopenedIncidentSql = (reader: Reader): Prisma.Sql =>
  Prisma.sql`not exists (${unopenedIncidentOfEntrySql(reader)})`;
