import { DAY_PARTS } from "#lib/incident-time.ts";
import type { Incident, IncidentState } from "#lib/incidents/schema.ts";

/**
 * The fields of an incident that changes write, each with its column and the column's type. A field that stands here is
 * locked, written and restored with the others; `lifecycle.ts` decides its value.
 */

/** Fields that the team edits. `action` is that of the history for a change of the field. */
export const EDITED_FIELDS = {
  assignedResponderId: { column: "assigned_responder_id", type: "uuid", action: "assignee" },
  severity: { column: "severity", type: "severity", action: "severity" },
  type: { column: "type", type: "text", action: "kind" },
  location: { column: "location", type: "text", action: "where" },
  summary: { column: "summary", type: "text", action: "summary" },
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

/** When it happened, which the team changes as a whole. */
export const TIME_FIELDS = {
  incidentAt: { column: "incident_at", type: "timestamptz" },
  incidentOn: { column: "incident_on", type: "date" },
  incidentDayPart: { column: "incident_day_part", type: "day_part" },
} as const;

export type TimeFields = {
  incidentAt: Date | null;
  incidentOn: string | null;
  incidentDayPart: Incident["incidentDayPart"];
};

/**
 * Returns when something happened as it is stored: the noon of a day in UTC where no time is known, and a part of the day
 * only for a day without a time.
 */
export const toTimeFields = (given: Partial<TimeFields>): TimeFields => {
  const { incidentAt = null, incidentOn = null, incidentDayPart = null } = given;
  return {
    incidentAt: incidentAt ?? (incidentOn === null ? null : new Date(`${incidentOn}T12:00:00Z`)),
    incidentOn,
    incidentDayPart: incidentOn === null ? null : incidentDayPart,
  };
};

/** Formats when something happened, for the history: an ISO time, or a day and perhaps a part of it ("2026-11-21 evening"). */
export const formatTimeFields = ({ incidentAt, incidentOn, incidentDayPart }: TimeFields): string | null =>
  incidentOn === null
    ? (incidentAt?.toISOString() ?? null)
    : [incidentOn, incidentDayPart].filter(Boolean).join(" ");

/** Parses what `formatTimeFields` returns. */
export function parseTimeFields(text: string): Pick<Incident, keyof TimeFields> {
  const [, day = null, part] = /^(\d{4}-\d\d-\d\d)(?: (\w+))?$/.exec(text) ?? [];
  const dayPart = DAY_PARTS.find((one) => one === part) ?? null;
  return { incidentAt: day === null ? text : null, incidentOn: day, incidentDayPart: dayPart };
}

export const WORKFLOW_FIELDS = { ...STATE_FIELDS, ...EDITED_FIELDS, ...TIME_FIELDS };

export type WorkflowFields = EditedFields &
  TimeFields & {
    state: IncidentState;
    firstResponseAt: Date | null;
    resolvedAt: Date | null;
    escalatedAt: Date | null;
    reopenedAt: Date | null;
  };

/** The fields of a report that nobody has acted on, where its reporter said nothing of them. */
export const NEW_REPORT_FIELDS = {
  state: "submitted",
  severity: null,
  assignedResponderId: null,
  type: null,
  location: null,
  incidentAt: null,
  incidentOn: null,
  incidentDayPart: null,
  summary: null,
  resolution: null,
  firstResponseAt: null,
  resolvedAt: null,
  escalatedAt: null,
  reopenedAt: null,
} as const satisfies WorkflowFields;

/** The fields before a change, and when the first response is due while the report waits for it. */
export type WorkflowFieldsBeforeChange = WorkflowFields & { responseDueAt?: Date | null };

/** What somebody asks for; a field that is left out stays as it is. */
export type WorkflowChange = Partial<EditedFields & TimeFields & Pick<WorkflowFields, "state">>;
