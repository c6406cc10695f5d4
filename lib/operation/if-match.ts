import type { OperationCall } from "#lib/operation/operation.ts";
import { AppError } from "#lib/operation/errors.ts";

const CONFLICT_ERRORS = {
  report: () =>
    new AppError(
      "CONFLICT",
      "Someone changed this incident in the meantime.",
      "Reload it, check what changed, and try again.",
    ),
  event: () =>
    new AppError(
      "CONFLICT",
      "Someone changed this event in the meantime.",
      "Reload it, check what changed, and try again.",
    ),
  settings: () =>
    new AppError(
      "CONFLICT",
      "Someone changed these settings in the meantime.",
      "Reload them, check what changed, and try again.",
    ),
  comment: () =>
    new AppError(
      "CONFLICT",
      "This comment was changed in the meantime.",
      "Reload it, check what it says now, and try again.",
    ),
};

/**
 * Refuses a change to a record that somebody else has changed since the client read it (contract 3.11). `If-Match`
 * holds the version that the client read, for most records its `updatedAt`. Pages send it too, so that a stale page
 * can't undo changes that it never showed. Call this while the row is locked.
 * @throws AppError CONFLICT
 */
export function assertIfMatch(
  recordKind: keyof typeof CONFLICT_ERRORS,
  { ifMatch }: OperationCall,
  version: Date | string,
): void {
  const expectedVersion = ifMatch?.replace(/^(W\/)?"|"$/g, "");
  if (!expectedVersion || expectedVersion === "*") return;
  if (expectedVersion !== (typeof version === "string" ? version : version.toISOString()))
    throw CONFLICT_ERRORS[recordKind]();
}
