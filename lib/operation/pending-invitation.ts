import { filterEventsByIdOrSlug } from "#lib/operation/named-events.ts";
import { hasSystemAdminAccessToEvent, type Actor, type PermissionSubject } from "#lib/operation/policy.ts";

/** An organization, or an event in it, in which the actor holds roles that they haven't accepted yet. */
export type PendingInvitation = { organizationId: string; eventId: string | null };

/**
 * The incidents that a call reads or changes through the actor's event roles although its permission needs none, such
 * as those of a list across events. Each member that is given leaves fewer of them; without any, they are all incidents
 * of all events.
 */
export type IncidentsByRole = {
  /** Those of these events, by id or slug. */
  events?: readonly string[] | undefined;
  /** Those with these ids, if the actor may see them. */
  ids?: readonly string[] | undefined;
  /** Those of events on whose team the actor is. */
  team?: true;
};

type PermittedCall = {
  right: string;
  container: PermissionSubject;
  incidents: IncidentsByRole | undefined;
};

/**
 * Lists the invitations to roles that a permitted call needs, and so accepts (contract 2.7): to the organization or
 * event in its path, if the right comes from there, or else to the events whose incidents it reads or changes. In which
 * events the incidents in `incidents.ids` are isn't known here. A SystemAdmin needs no role in events that they have
 * access to.
 */
export function listInvitationsNeededByCall(
  actor: Actor,
  { right, container, incidents }: PermittedCall,
): PendingInvitation[] {
  if (isRightFromPendingInvitation(actor, right, container)) return [toInvitation(container)];
  return incidents ? listInvitationsToEvents(actor, incidents) : [];
}

function isRightFromPendingInvitation(
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

/** Returns where to accept an invitation: a container that gives the actor a right always names its organization. */
function toInvitation({ organizationId, eventId }: PermissionSubject): PendingInvitation {
  if (organizationId === undefined) throw new Error("a container without its organization");
  return { organizationId, eventId: eventId ?? null };
}

function listInvitationsToEvents(actor: Actor, { events, team }: IncidentsByRole): PendingInvitation[] {
  const invited = actor.events.filter((event) => event.invited === true);
  const named = events ? filterEventsByIdOrSlug(invited, events) : invited;
  return named
    .filter(({ eventId }) => !hasSystemAdminAccessToEvent(actor, eventId))
    .filter(({ roles }) => !team || roles.some((role) => role !== "Reporter"))
    .map(({ organizationId, eventId }) => ({ organizationId, eventId }));
}
