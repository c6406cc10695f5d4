import type { Incident, Severity, IncidentState } from "#lib/incidents/schema.ts";
import {
  pickEditedFields,
  TIME_FIELDS,
  toTimeFields,
  type WorkflowChange,
  type WorkflowFields,
  type WorkflowFieldsBeforeChange,
} from "#lib/incidents/workflow-fields.ts";

/** States and timestamps (contract 7.5), as one pure function. */

const isResolvedOrClosed = (state: IncidentState) => state === "resolved" || state === "closed";

/**
 * Returns the record after a change. `firstResponseAt` is set once, when the state first leaves submitted. `resolvedAt`
 * is set when the report becomes resolved or closed, kept between the two and cleared when it leaves both, which sets
 * `reopenedAt`. `escalatedAt` is set when severity first becomes critical, or by a response after its deadline.
 */
export function computeWorkflowFieldsAfterChange(
  before: WorkflowFieldsBeforeChange,
  move: WorkflowChange,
  now: Date,
): WorkflowFields {
  const state = move.state ?? before.state;
  const given = Object.fromEntries(Object.entries(move).filter(([, value]) => value !== undefined));
  const edited = pickEditedFields({ ...before, ...given });
  const isEscalated = edited.severity === "critical" || isFirstResponseLate(before, state, now);
  const isReopened = isResolvedOrClosed(before.state) && !isResolvedOrClosed(state);
  return {
    ...edited,
    ...(Object.keys(TIME_FIELDS).some((name) => name in given) ? toTimeFields(given) : toTimeFields(before)),
    state,
    firstResponseAt: before.firstResponseAt ?? (state === "submitted" ? null : now),
    resolvedAt: isResolvedOrClosed(state)
      ? isResolvedOrClosed(before.state)
        ? before.resolvedAt
        : now
      : null,
    escalatedAt: before.escalatedAt ?? (isEscalated ? now : null),
    reopenedAt: isReopened ? now : before.reopenedAt,
  };
}

/** Returns whether the report leaves submitted after the deadline of its first response. */
export const isFirstResponseLate = (
  { responseDueAt = null }: Pick<WorkflowFieldsBeforeChange, "responseDueAt">,
  state: IncidentState,
  now: Date,
): boolean => state !== "submitted" && responseDueAt !== null && responseDueAt < now;

/** Returns the state after reopening: investigating with a new assignee, otherwise acknowledged (contract 7.7). */
export const chooseStateAfterReopening = (assignee: string | null | undefined): IncidentState =>
  assignee ? "investigating" : "acknowledged";

export const isReopenableState = isResolvedOrClosed;

/**
 * Returns whether a new report says that somebody is in danger now, which "critical" means in the report form. The
 * report then is `urgent` until it is acknowledged (contract 7.15).
 */
export const isReportedAsUrgent = ({ severity }: { severity: Severity | null }): boolean =>
  severity === "critical";

/** Returns whether the reporter can read what the team sends: with an account, or in a mailbox. */
export const canReachReporter = ({
  reporterId,
  hasMailbox,
}: Pick<Incident, "reporterId" | "hasMailbox">): boolean => reporterId !== null || hasMailbox;
