import type { Severity, State } from "#lib/incidents/schema.ts";

/** States and timestamps (contract 7.5), as one pure function. */

export type Standing = {
  state: State;
  severity: Severity | null;
  assignedResponderId: string | null;
  resolution: string | null;
  firstResponseAt: Date | null;
  resolvedAt: Date | null;
  escalatedAt: Date | null;
  reopenedAt: Date | null;
};

export type Move = {
  state?: State;
  severity?: Severity | null;
  assignedResponderId?: string | null;
  resolution?: string | null;
};

const isDone = (state: State) => state === "resolved" || state === "closed";

/**
 * The record after a move. `firstResponseAt` is set once, when the state first leaves submitted;
 * `resolvedAt` on entering resolved or closed from any other state, kept from one to the other, cleared
 * on leaving both, which records `reopenedAt`; `escalatedAt` when severity first becomes critical.
 */
export function standingAfter(before: Standing, move: Move, now: Date): Standing {
  const state = move.state ?? before.state;
  const severity = move.severity === undefined ? before.severity : move.severity;
  const leavesDone = isDone(before.state) && !isDone(state);
  return {
    state,
    severity,
    assignedResponderId:
      move.assignedResponderId === undefined ? before.assignedResponderId : move.assignedResponderId,
    resolution: move.resolution === undefined ? before.resolution : move.resolution,
    firstResponseAt: before.firstResponseAt ?? (state === "submitted" ? null : now),
    resolvedAt: isDone(state) ? (isDone(before.state) ? before.resolvedAt : now) : null,
    escalatedAt: before.escalatedAt ?? (severity === "critical" ? now : null),
    reopenedAt: leavesDone ? now : before.reopenedAt,
  };
}

/** Reopen leads to investigating with a new assignee, else to acknowledged (contract 7.7). */
export const stateAfterReopening = (assignee: string | null | undefined): State =>
  assignee ? "investigating" : "acknowledged";

export const canReopen = isDone;
