/**
 * States of incidents in the order of the workflow (contract 7.5). They are in this folder, since folders that must not
 * import from `lib/incidents`, such as `lib/events`, need them.
 */
export const INCIDENT_STATES = ["submitted", "acknowledged", "investigating", "resolved", "closed"] as const;

export type IncidentState = (typeof INCIDENT_STATES)[number];

export const OPEN_STATES = [
  "submitted",
  "acknowledged",
  "investigating",
] as const satisfies readonly IncidentState[];

export const isOpenState = (state: IncidentState): boolean =>
  (OPEN_STATES as readonly IncidentState[]).includes(state);
