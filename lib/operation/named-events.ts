/** Returns those of the events that the names name, each by id, in any letter case, or by slug. */
export function filterEventsByIdOrSlug<E extends { eventId: string; slug: string }>(
  events: readonly E[],
  names: readonly string[],
): E[] {
  const ids = names.map((name) => name.toLowerCase());
  return events.filter(({ eventId, slug }) => ids.includes(eventId) || names.includes(slug));
}
