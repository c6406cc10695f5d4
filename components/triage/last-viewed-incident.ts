/**
 * The incident that the person last viewed before returning to the list, so that the list can focus its row. Kept in
 * memory until a full page load.
 */
let lastViewedIncidentId: string | null = null;

/** Remembers the incident that the person is leaving. */
export function rememberLastViewedIncident(incidentId: string): void {
  lastViewedIncidentId = incidentId;
}

/** Returns the id of the last viewed incident and forgets it. */
export function takeLastViewedIncidentId(): string | null {
  const id = lastViewedIncidentId;
  lastViewedIncidentId = null;
  return id;
}
