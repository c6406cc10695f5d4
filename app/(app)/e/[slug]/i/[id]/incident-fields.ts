import type { Translator } from "#components/i18n/translator.ts";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { Incident, IncidentState } from "#lib/incidents/schema.ts";
import type { EditedFields } from "#lib/incidents/workflow-fields.ts";
import { buildFormerValueFields } from "./undo.ts";
import { buildOncePerIncident, buildPlaceFields } from "./form-binding.ts";

/** What the forms that change an incident have in common. */

export type AssignablePerson = {
  id: string;
  name: string;
  /** Whether they haven't answered the conflict check, which they are asked before they read the incident. */
  isUnanswered?: boolean;
};

/** The values of an incident that its forms start from or show. */
export type FormIncident = Pick<Incident, "id" | "updatedAt" | "state"> &
  EditedFields & { event: { slug: string }; assignedResponder: { name: string } | null };

export type StatusChange = IncidentState | "reopen";

/**
 * Status changes offered in each status, the most likely next one first. The API accepts any (contract 7.5).
 */
export const OFFERED_STATUS_CHANGES: Record<IncidentState, readonly StatusChange[]> = {
  submitted: ["acknowledged", "investigating", "resolved", "closed"],
  acknowledged: ["investigating", "resolved", "closed", "submitted"],
  investigating: ["resolved", "closed", "acknowledged", "submitted"],
  resolved: ["closed", "reopen"],
  closed: ["reopen", "resolved"],
};

export const buildIncidentDialogId = (move: StatusChange | "title") => `move-${move}`;

export function getStatusChangeLabelKey(move: StatusChange, state: IncidentState) {
  if (move === "acknowledged")
    return state === "submitted" ? "label.acknowledge" : "label.backToAcknowledged";
  if (move === "resolved" && state === "closed") return "label.backToResolved";
  return `label.${move}` as const;
}

/** Classes with which a refused form shows the refusal even when its button has disappeared. */
export const REFUSED_FORM_CLASSES = [
  "has-[[role=alert]]:absolute has-[[role=alert]]:end-4 has-[[role=alert]]:z-30 has-[[role=alert]]:grid",
  "has-[[role=alert]]:w-[min(34rem,calc(100vw-2rem))] has-[[role=alert]]:rounded-surface has-[[role=alert]]:bg-surface",
  "max-[50rem]:has-[[role=alert]]:bottom-full min-[50rem]:has-[[role=alert]]:top-full",
];

type Versioned = Pick<FormIncident, "id" | "updatedAt" | "event">;

/** Builds the hidden fields of a form about the incident: where it is, and the version on screen. */
export const buildIncidentHiddenFormFields = buildOncePerIncident((incident: Versioned) => ({
  ...buildPlaceFields(incident),
  ifMatch: incident.updatedAt,
}));

/** Builds the path parameters, the version, and the current values, so that the change can be undone. */
export const buildHiddenFieldsForLaterUndo = (incident: FormIncident) => ({
  ...buildIncidentHiddenFormFields(incident),
  ...buildFormerValueFields({
    state: incident.state,
    assignedResponderId: incident.assignedResponderId,
  }),
});

/**
 * Formats the label of a person in a list of people to assign: their name, and whether they still have to answer the
 * conflict check.
 */
export const formatAssignablePersonLabel = (
  { name, isUnanswered }: AssignablePerson,
  t: Translator<"incidentPage">,
): string => (isUnanswered ? t("unansweredPerson", { name: isolateBidi(name) }) : name);
