/**
 * The incident that the person last viewed before returning to the list, so that the list can focus its row. Kept in
 * memory until a full page load.
 */
let lastViewedIncidentId: string | null = null;

/** @param incidentId id of the incident that is being left */
export function rememberLastViewedIncident(incidentId: string): void {
  lastViewedIncidentId = incidentId;
}

/** Returns that id once, then forgets it. */
export function takeLastViewedIncident(): string | null {
  const id = lastViewedIncidentId;
  lastViewedIncidentId = null;
  return id;
}
