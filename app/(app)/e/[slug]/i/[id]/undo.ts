import { canReopen } from "#lib/incidents/lifecycle.ts";
import { type Incident, INCIDENT_STATES } from "#lib/incidents/schema.ts";

/** What the report was like before a form changed it; undefined for what the form leaves alone. */
export type FormerValues = {
  state: string | undefined;
  severity: string | undefined;
  assignedResponderId: string | undefined;
};

/**
 * The fields of a form that takes a change back, or undefined where none can. A move across the line between open and
 * done leaves a mark of its own (`reopenedAt`, `resolvedAt`; contract 7.5), which no second move takes off.
 */
export function buildUndoFields(before: FormerValues, after: Incident): Record<string, string> | undefined {
  const was = INCIDENT_STATES.find((state) => state === before.state);
  if (was !== undefined && canReopen(was) !== canReopen(after.state)) return undefined;
  const fields = Object.entries({ ...before, state: was }).filter(
    ([name, value]) => value !== undefined && value !== (after[name as keyof FormerValues] ?? ""),
  ) as [string, string][];
  if (fields.length === 0) return undefined;
  const { event, id, updatedAt } = after;
  return { slug: event.slug, incidentId: id, ifMatch: updatedAt, ...Object.fromEntries(fields) };
}
