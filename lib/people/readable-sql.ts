import { isReadableSql } from "#lib/access/readers-sql.ts";
import { eventConditionSql } from "#lib/access/visibility-sql.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * The condition that the actor reads incident `i` as its team, and so the people named in it (contract 7.22). An outside
 * person reads the one incident of the call.
 */
export function isReadAsTeamSql(actor: Actor): Prisma.Sql {
  if (actor.outsideIncidentId !== undefined)
    return Prisma.sql`(i.id = ${actor.outsideIncidentId}::uuid and ${isReadableSql(actor)})`;
  const visibility = getVisibleIncidentFilter(actor);
  return visibility.everything
    ? Prisma.sql`(${isReadableSql(actor)})`
    : Prisma.sql`(${eventConditionSql(visibility.all)} and ${isReadableSql(actor)})`;
}

/** Selects the ids of the events whose incidents the actor reads as their team, `id`, of an organization or of all. */
export function eventsOfTeamSql(actor: Actor, organizationId: string | undefined): Prisma.Sql {
  const visibility = getVisibleIncidentFilter(actor);
  return Prisma.sql`select e.id from events e
    where ${visibility.everything ? Prisma.sql`true` : Prisma.sql`e.id = any(${visibility.all}::uuid[])`}
      and ${organizationId === undefined ? Prisma.sql`true` : Prisma.sql`e.organization_id = ${organizationId}::uuid`}`;
}

/** The condition that the actor reads a record of person `q`. */
export const hasReadRecordSql = (actor: Actor): Prisma.Sql => Prisma.sql`exists (
  select 1 from incident_people qr join incidents i on i.id = qr.incident_id
  where qr.person_id = q.id and ${isReadAsTeamSql(actor)})`;

/**
 * Selects the person by whom the actor knows the group of a person: the first of those of whom they read a record. So a
 * group has a code name that says nothing of anybody else in it.
 * @param groupId a column
 */
export const knownPersonOfGroupSql = (actor: Actor, groupId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select q.id, q.code_name from people q where q.group_id = ${groupId} and ${hasReadRecordSql(actor)}
  order by q.created_at, q.id limit 1`;
