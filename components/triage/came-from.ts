/** The report that one goes back to its list from, for the list to begin at its row. Lives as long as the page's script. */
let from: string | null = null;

/** @param incidentId id of the report that is left */
export function goesBackFrom(incidentId: string): void {
  from = incidentId;
}

/** The id of that report, once. */
export function cameFrom(): string | null {
  const id = from;
  from = null;
  return id;
}
