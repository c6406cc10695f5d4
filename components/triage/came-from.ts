/** The report that one goes back to its list from, for the list to begin at its row. Lives as long as the page's script. */
let leftIncidentId: string | null = null;

/** @param incidentId id of the report that is left */
export function rememberLeftIncident(incidentId: string): void {
  leftIncidentId = incidentId;
}

/** The id of that report, once. */
export function takeLeftIncident(): string | null {
  const id = leftIncidentId;
  leftIncidentId = null;
  return id;
}
