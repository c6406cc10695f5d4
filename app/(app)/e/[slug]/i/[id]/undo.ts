import type { Incident } from "#lib/incidents/schema.ts";
import { EDITED_FIELD_NAMES, type WorkflowChange } from "#lib/incidents/workflow-fields.ts";

type ChangedField = keyof WorkflowChange;

/** Builds the hidden fields of a form with the values that it may change, as they are. */
export const buildFormerValueFields = (values: Readonly<Record<string, string | null | undefined>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`was.${name}`, value ?? ""]));

/** Returns a field's value at the time the form was rendered; undefined for fields that the form leaves alone. */
export const readFormerValue = (form: FormData, name: ChangedField): string | undefined =>
  form.get(`was.${name}`)?.toString();

/**
 * Returns the fields of a form that undoes a change, or undefined if there was none. The operation restores what the
 * change replaced.
 */
export function buildUndoFormFieldsIfChanged(
  form: FormData,
  after: Incident,
): Record<string, string> | undefined {
  const isChanged = (["state", ...EDITED_FIELD_NAMES] as const).some((name) => {
    const before = readFormerValue(form, name);
    return before !== undefined && before !== (after[name] ?? "");
  });
  const { event, id, updatedAt } = after;
  return isChanged ? { slug: event.slug, incidentId: id, ifMatch: updatedAt } : undefined;
}
