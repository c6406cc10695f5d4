import type { OperationCall } from "#lib/operation/operation.ts";
import { AppError } from "#lib/operation/errors.ts";

const CONFLICT_KEYS = {
  report: "incidentChanged",
  event: "eventChanged",
  settings: "settingsChanged",
  comment: "commentChanged",
} as const;

/**
 * Refuses a change to a record that somebody else has changed since the client read it (contract 3.11). `If-Match`
 * holds the version that the client read, for most records its `updatedAt`. Pages send it too, so that a stale page
 * can't undo changes that it never showed. Call this while the row is locked.
 * @throws AppError CONFLICT
 */
export function assertIfMatch(
  recordKind: keyof typeof CONFLICT_KEYS,
  { ifMatch }: OperationCall,
  version: Date | string,
): void {
  const expectedVersion = ifMatch?.replace(/^(W\/)?"|"$/g, "");
  if (!expectedVersion || expectedVersion === "*") return;
  if (expectedVersion !== (typeof version === "string" ? version : version.toISOString()))
    throw new AppError("CONFLICT", CONFLICT_KEYS[recordKind]);
}
