import { Prisma } from "#lib/generated/prisma/client.ts";
import { hasSystemAccessTo, type Actor, type EventRole } from "#lib/operation/policy.ts";

/*
 * Conditions on the roles that a person holds while a statement runs: they may have been lost since the request came.
 * Roles that the policy withholds (an unconfirmed address, a missing second factor) don't count here either, or somebody
 * who may report for now would act on their own report as the team.
 */

/** True in SQL where the actor is on the event's team. */
export const isStillOnTeam = (actor: Actor, eventId: string): Prisma.Sql =>
  stillHoldsRoleCondition(actor, eventId, ["Responder", "Admin"]);

/** True in SQL where the actor is an Admin of the event. */
export const isStillAdmin = (actor: Actor, eventId: string): Prisma.Sql =>
  stillHoldsRoleCondition(actor, eventId, ["Admin"]);

/** True in SQL where the actor may report at the event: that comes with every role. */
export const isStillReporter = (
  actor: Actor,
  eventId: string,
): Prisma.Sql => Prisma.sql`(${hasSystemAccessTo(actor, eventId)}::boolean
  or exists (select 1 from event_roles where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid))`;

function stillHoldsRoleCondition(actor: Actor, eventId: string, roles: EventRole[]): Prisma.Sql {
  const isWithheld = actor.withheld?.events.some((event) => event.eventId === eventId) ?? false;
  return Prisma.sql`(${hasSystemAccessTo(actor, eventId)}::boolean or not ${isWithheld}::boolean and exists (
    select 1 from event_roles where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid
      and role_name::text = any(${roles}::text[])))`;
}
