import { EVENT_ADMIN_ROLES, TEAM_ROLES } from "#lib/access/role-sets.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { hasSystemAdminAccessToEvent, type Actor, type EventRole } from "#lib/operation/policy.ts";
import { outsideReadersOfIncidentSql } from "#lib/access/team-sql.ts";

/*
 * Conditions on the roles that a person holds while a statement runs: they may have lost them since the request came.
 * Withheld roles (an unconfirmed address, missing two-factor sign-in) don't count here either; otherwise somebody who
 * may only report for now could act on their own report as the team.
 */

/** SQL condition: the actor is on the event's team. */
export const isStillOnEventTeamSql = (actor: Actor, eventId: string): Prisma.Sql =>
  stillHoldsRoleSql(actor, eventId, TEAM_ROLES);

/** SQL condition: the actor is an Admin of the event. */
export const isStillEventAdminSql = (actor: Actor, eventId: string): Prisma.Sql =>
  stillHoldsRoleSql(actor, eventId, EVENT_ADMIN_ROLES);

/** SQL condition: the actor may report at the event, which every role allows. */
export const mayStillReportAtEventSql = (
  actor: Actor,
  eventId: string,
): Prisma.Sql => Prisma.sql`(${isStillSystemAdminAtEventSql(actor, eventId)}
  or exists (select 1 from event_roles where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid))`;

/** SQL condition: the actor passes as SystemAdmin at the event. */
export const isStillSystemAdminAtEventSql = (
  actor: Actor,
  eventId: string,
): Prisma.Sql => Prisma.sql`(${hasSystemAdminAccessToEvent(actor, eventId)}::boolean
  and exists (select 1 from users where id = ${actor.id}::uuid and system_admin and disabled_at is null))`;

function stillHoldsRoleSql(actor: Actor, eventId: string, roles: readonly EventRole[]): Prisma.Sql {
  const { id, outsideIncidentId } = actor;
  if (outsideIncidentId !== undefined)
    return Prisma.sql`(${id}::uuid in (${outsideReadersOfIncidentSql(outsideIncidentId)}))`;
  const isWithheld = actor.withheld?.events.some((event) => event.eventId === eventId) ?? false;
  return Prisma.sql`(${isStillSystemAdminAtEventSql(actor, eventId)} or not ${isWithheld}::boolean and exists (
    select 1 from event_roles where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid
      and role_name::text = any(${[...roles]}::text[])))`;
}
