import {
  isSystemAdmin,
  can,
  hasSystemAdminAccessEverywhere,
  hasSystemAdminAccessToEvent,
  listEventIdsOpenToLimitedSystemAdmin,
  type Actor,
} from "#lib/operation/policy.ts";

/**
 * Which incidents the actor may see, as data that queries turn into a `where`: everything, or every incident of some
 * events (`all`) and only the actor's own in others (`own`). The policy table decides; no list has its own rule. Which
 * of them have a list without the actor, statements find out (readers-sql.ts).
 */
export type VisibleIncidentFilter =
  | { everything: true }
  | { everything: false; all: string[]; own: string[] };

export function getVisibleIncidentFilter(actor: Actor, eventId?: string): VisibleIncidentFilter {
  if (eventId) return computeVisibility(actor, eventId);
  // Only the roles decide, unless the actor has access somewhere without one; so they are the cache key.
  const cacheKey = isSystemAdmin(actor) || actor.token ? actor : actor.events;
  const cachedValue = visibilityCache.get(cacheKey) ?? freezeVisibility(computeVisibility(actor));
  visibilityCache.set(cacheKey, cachedValue);
  return cachedValue;
}

/** Returns whether the filter lets no incident through, whichever there are. */
export const isNoIncidentVisible = (visibility: VisibleIncidentFilter): boolean =>
  !visibility.everything && visibility.all.length === 0 && visibility.own.length === 0;

/** Lists the incidents that the actor reads as outside person. */
export const listOutsideIncidentIds = (actor: Actor): string[] =>
  (actor.outsideIncidents ?? []).map(({ incidentId }) => incidentId);

function freezeVisibility(visibility: VisibleIncidentFilter): VisibleIncidentFilter {
  for (const value of Object.values(visibility)) Object.freeze(value);
  return Object.freeze(visibility);
}

/**
 * Cached: a page needs this for each of its parts, and computing it for a person with fifty roles takes 2500 checks.
 */
const visibilityCache = new WeakMap<object, VisibleIncidentFilter>();

function computeVisibility(actor: Actor, eventId?: string): VisibleIncidentFilter {
  if (hasSystemAdminAccessEverywhere(actor) && !eventId) return { everything: true };
  const held = eventId ? actor.events.filter((event) => event.eventId === eventId) : actor.events;
  const all = held
    .filter((event) => can(actor, "incident.view", { eventId: event.eventId }))
    .map((e) => e.eventId);
  if (eventId && hasSystemAdminAccessToEvent(actor, eventId))
    return { everything: false, all: [eventId], own: [] };
  const own = held
    .filter((event) => can(actor, "incident.view", { eventId: event.eventId, reporterId: actor.id }))
    .map((event) => event.eventId)
    .filter((id) => !all.includes(id));
  return {
    everything: false,
    all: eventId ? all : [...new Set([...all, ...listEventIdsOpenToLimitedSystemAdmin(actor)])],
    own,
  };
}
