import type { Severity, IncidentState } from "#lib/incidents/schema.ts";

/** What can be done to rows of the list, one or many; each through the operations that do it anywhere else. */
export type BulkAction =
  /** To oneself, to nobody (blank), or to a person by id. */
  | { do: "assign"; to: string }
  /** What nobody has answered yet. */
  | { do: "acknowledge" }
  | { do: "state"; state: IncidentState; notes?: string; assignee?: string }
  /** Back to the state of before, without a note. */
  | { do: "restore"; state: IncidentState }
  | { do: "severity"; severity: Severity | "" }
  | { do: "pin" | "unpin" | "unread" | "read" };

/** A row as it was on the screen; `at` is the record's `updatedAt`, sent as If-Match. */
export type IncidentRowRef = { slug: string; id: string; eventId: string; at: string; state: IncidentState };

/** Why a row stayed as it was, as the page says it: `why.…` in the catalogue. */
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

export type BulkOutcome = {
  /** `at` is the record's time now, for taking it back. */
  done: { id: string; at: string }[];
  failed: { id: string; why: BulkFailureReason }[];
};

/** All that match, as the form of the list tells them: its query, and its event where it is of one. */
export type MatchingRows = { query: string; event: string };

/** What became of a part of them. */
export type BulkPartOutcome = {
  done: number;
  failed: { id: string; title: string; why: BulkFailureReason }[];
  /** Where to go on; null when all are through, or none is. */
  next: string | null;
  /** Too much was asked for in a minute: the rest has to wait. Otherwise null of `next` means that all are through. */
  wait: boolean;
};

/** A row as the value of its box; nothing in it holds a tilde. */
export const formatRowRef = ({ slug, id, eventId, at, state }: IncidentRowRef): string =>
  [slug, id, eventId, at, state].join("~");

/** The row of such a value; undefined for what is none. Whether it is one that makes sense, the operations say. */
export function parseRowRef(value: unknown): IncidentRowRef | undefined {
  const [slug, id, eventId, at, state] = typeof value === "string" ? value.split("~") : [];
  return slug && id && eventId && at && state
    ? { slug, id, eventId, at, state: state as IncidentState }
    : undefined;
}
