/**
 * Remembers the incident that was left for the list, so that the list focuses its row. Lasts as long as the
 * page's script.
 */
let lastViewedIncidentId: string | null = null;

/** @param incidentId id of the incident that was left */
export function rememberLastViewedIncident(incidentId: string): void {
  lastViewedIncidentId = incidentId;
}

/** Returns that id once, then forgets it. */
export function takeLastViewedIncident(): string | null {
  const id = lastViewedIncidentId;
  lastViewedIncidentId = null;
  return id;
}
