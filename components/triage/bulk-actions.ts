import type { Severity, IncidentState } from "#lib/incidents/schema.ts";

/** Actions on one or more rows of the list, each through its usual operation. */
export type BulkAction =
  /** Assigns the current user ("me"), nobody (blank), or a person by id. */
  | { do: "assign"; to: string }
  /** Acknowledges incidents that are still Submitted. */
  | { do: "acknowledge" }
  | { do: "state"; state: IncidentState; notes?: string; assignee?: string }
  /** Undoes the current user's own last change of status, severity or assignee. */
  | { do: "undo" }
  | { do: "severity"; severity: Severity | "" }
  | { do: "pin" | "unpin" | "unread" | "read" };

/** A row as it was on screen; `at` is the incident's `updatedAt`, sent as If-Match. */
export type IncidentRowSnapshot = {
  slug: string;
  id: string;
  eventId: string;
  at: string;
  state: IncidentState;
};

/** The reasons why a row stays unchanged; the messages are `why.…`. */
export const BULK_FAILURE_REASONS = [
  "CONFLICT",
  "FORBIDDEN",
  "NOT_FOUND",
  "INVALID_ASSIGNEE",
  "VALIDATION_ERROR",
  "ANSWERED",
  "DONE_BEFORE",
  "RATE_LIMITED",
  "SOMEBODY_ELSE",
  "OTHER",
] as const;
export type BulkFailureReason = (typeof BULK_FAILURE_REASONS)[number];

export type BulkActionResult = {
  /** `at` is the incident's `updatedAt` after the action, for Undo. */
  done: { id: string; at: string }[];
  failed: { id: string; why: BulkFailureReason }[];
};

/** All matching rows, as the list's form describes them: its query, and its event if it covers one. */
export type MatchingRowsQuery = { query: string; event: string };

/** The result of an action on one batch of the matching rows. */
export type MatchingRowsBatchResult = {
  done: number;
  failed: { id: string; title: string; why: BulkFailureReason }[];
  /** Cursor of the next batch; null when all rows are done, or before the first one is. */
  next: string | null;
  /** Rate limited: the rest has to wait. If false, a null `next` means that all rows are done. */
  wait: boolean;
};

/** Formats the rows of a page as one hidden field of the list's form; no part of them contains a tilde or a space. */
export const serializeIncidentRowSnapshots = (rows: readonly IncidentRowSnapshot[]): string =>
  rows.map(({ slug, id, eventId, at, state }) => [slug, id, eventId, at, state].join("~")).join(" ");

/** Parses a row of that field; undefined if it is malformed. The operations validate the ids in it. */
export function parseIncidentRowSnapshot(value: string): IncidentRowSnapshot | undefined {
  const [slug, id, eventId, at, state] = value.split("~");
  return slug && id && eventId && at && state
    ? { slug, id, eventId, at, state: state as IncidentState }
    : undefined;
}
