import { hasSystemAdminAccessToEvent, type Actor, type PermissionSubject } from "#lib/operation/policy.ts";

/**
 * Returns whether the right comes from a role in the container that the actor hasn't accepted yet; always false for a
 * SystemAdmin who has access to the event.
 */
export function isRightFromPendingInvitation(
  actor: Actor,
  right: string,
  { eventId, organizationId }: PermissionSubject,
): boolean {
  if (hasSystemAdminAccessToEvent(actor, eventId)) return false;
  if (right.startsWith("event:"))
    return actor.events.some((event) => event.invited === true && event.eventId === eventId);
  if (right.startsWith("organization:"))
    return actor.organizations.some((one) => one.invited === true && one.organizationId === organizationId);
  return false;
}
