import { isReopenableState } from "#lib/incidents/lifecycle.ts";
import { type Incident, INCIDENT_STATES } from "#lib/incidents/schema.ts";

/** The incident's values before a form changed it; undefined for fields the form leaves alone. */
export type IncidentUndoValues = {
  state: string | undefined;
  severity: string | undefined;
  assignedResponderId: string | undefined;
};

/**
 * Returns the fields of a form that undoes a change, or undefined if it can't be undone. Changing between
 * open and finished statuses sets `reopenedAt` or `resolvedAt` (contract 7.5), which a second change doesn't
 * clear.
 */
export function buildUndoFormFieldsIfUndoable(
  before: IncidentUndoValues,
  after: Incident,
): Record<string, string> | undefined {
  const was = INCIDENT_STATES.find((state) => state === before.state);
  if (was !== undefined && isReopenableState(was) !== isReopenableState(after.state)) return undefined;
  const fields = Object.entries({ ...before, state: was }).filter(
    ([name, value]) => value !== undefined && value !== (after[name as keyof IncidentUndoValues] ?? ""),
  ) as [string, string][];
  if (fields.length === 0) return undefined;
  const { event, id, updatedAt } = after;
  return { slug: event.slug, incidentId: id, ifMatch: updatedAt, ...Object.fromEntries(fields) };
}
