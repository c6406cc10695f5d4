import type { Incident } from "#lib/incidents/schema.ts";

/** The incident's values before a form changed it; undefined for fields the form leaves alone. */
export type FormerIncidentValues = {
  state: string | undefined;
  severity: string | undefined;
  assignedResponderId: string | undefined;
  resolution: string | undefined;
};

/**
 * Returns the fields of a form that undoes a change, or undefined if there was none. The operation restores what the
 * change replaced.
 */
export function buildUndoFormFieldsIfChanged(
  before: FormerIncidentValues,
  after: Incident,
): Record<string, string> | undefined {
  const isChanged = Object.entries(before).some(
    ([name, value]) => value !== undefined && value !== (after[name as keyof FormerIncidentValues] ?? ""),
  );
  const { event, id, updatedAt } = after;
  return isChanged ? { slug: event.slug, incidentId: id, ifMatch: updatedAt } : undefined;
}
