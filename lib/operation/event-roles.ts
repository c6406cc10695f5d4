import type { Actor, EventRole } from "#lib/operation/policy.ts";

/** The order of the roles in an event, and a person's roles by event. */

const EVENT_ROLE_RANK: Record<EventRole, number> = { Reporter: 1, Responder: 2, Admin: 3 };

/** Compares event roles, from the weakest to the strongest. */
export const compareEventRoles = (a: EventRole, b: EventRole): number =>
  EVENT_ROLE_RANK[a] - EVENT_ROLE_RANK[b];

/** Returns the strongest of several event roles, which is the one that decides (contract 2.3). */
export const findHighestEventRole = (roles: readonly EventRole[]): EventRole | undefined =>
  roles.toSorted(compareEventRoles).at(-1);

// Cached: a list checks a person's roles in each event several times, and they may be on the teams of hundreds.
const eventRolesCache = new WeakMap<Actor["events"], Map<string, EventRole[]>>();

/** Returns the roles of a person by the id of each event. */
export function groupRolesByEvent(events: Actor["events"]): Map<string, EventRole[]> {
  const cachedValue = eventRolesCache.get(events);
  if (cachedValue) return cachedValue;
  const rolesByEventId = new Map(events.map(({ eventId, roles }) => [eventId, roles]));
  eventRolesCache.set(events, rolesByEventId);
  return rolesByEventId;
}
