/**
 * Remembers the incident that was left for the list, so that the list focuses its row. Lasts as long as the
 * page's script.
 */
let leftIncidentId: string | null = null;

/** @param incidentId id of the incident that was left */
export function rememberLeftIncident(incidentId: string): void {
  leftIncidentId = incidentId;
}

/** Returns that id once, then forgets it. */
export function takeLeftIncident(): string | null {
  const id = leftIncidentId;
  leftIncidentId = null;
  return id;
}
