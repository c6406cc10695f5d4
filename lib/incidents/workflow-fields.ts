import type { Incident, IncidentState } from "#lib/incidents/schema.ts";

/**
 * The fields of an incident that changes write, each with its column and the column's type. A field that stands here is
 * locked, written and restored with the others; `lifecycle.ts` decides its value.
 */

/** Fields that the team edits. `action` is that of the history for a change of the field. */
export const EDITED_FIELDS = {
  assignedResponderId: { column: "assigned_responder_id", type: "uuid", action: "assignee" },
  severity: { column: "severity", type: "severity", action: "severity" },
  resolution: { column: "resolution", type: "text", action: "resolution" },
} as const satisfies Partial<Record<keyof Incident, { column: string; type: string; action: string }>>;

type EditedField = keyof typeof EDITED_FIELDS;
export type EditedFields = Pick<Incident, EditedField>;

export const EDITED_FIELD_NAMES = Object.keys(EDITED_FIELDS) as EditedField[];

/** Returns the edited fields of what has them, and nothing else. */
export const pickEditedFields = (from: EditedFields): EditedFields =>
  Object.fromEntries(EDITED_FIELD_NAMES.map((name) => [name, from[name]])) as EditedFields;

/** What a change sets besides: the state, and times that follow from it. */
const STATE_FIELDS = {
  state: { column: "state", type: "incident_state" },
  firstResponseAt: { column: "first_response_at", type: "timestamptz" },
  resolvedAt: { column: "resolved_at", type: "timestamptz" },
  escalatedAt: { column: "escalated_at", type: "timestamptz" },
  reopenedAt: { column: "reopened_at", type: "timestamptz" },
} as const;

export const WORKFLOW_FIELDS = { ...STATE_FIELDS, ...EDITED_FIELDS };

export type WorkflowFields = EditedFields & {
  state: IncidentState;
  firstResponseAt: Date | null;
  resolvedAt: Date | null;
  escalatedAt: Date | null;
  reopenedAt: Date | null;
};

/** The fields of a report that nobody has acted on. */
export const NEW_REPORT_FIELDS = {
  state: "submitted",
  severity: null,
  assignedResponderId: null,
  resolution: null,
  firstResponseAt: null,
  resolvedAt: null,
  escalatedAt: null,
  reopenedAt: null,
} as const satisfies WorkflowFields;

/** The fields before a change, and when the first response is due while the report waits for it. */
export type WorkflowFieldsBeforeChange = WorkflowFields & { responseDueAt?: Date | null };

/** What somebody asks for; a field that is left out stays as it is. */
export type WorkflowChange = Partial<EditedFields & Pick<WorkflowFields, "state">>;
