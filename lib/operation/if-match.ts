import type { OperationCall } from "#lib/operation/operation.ts";
import { AppError } from "#lib/operation/errors.ts";
import { readIfMatch } from "#lib/operation/etag.ts";

const CONFLICT_KEYS = {
  report: "incidentChanged",
  event: "eventChanged",
  settings: "settingsChanged",
  comment: "commentChanged",
} as const;

/**
 * Refuses a change to a record that somebody else has changed since the client read it (contract 3.11). `If-Match`
 * holds the version that the client read, for most records its `updatedAt`, or the record's `ETag`. Pages send it too,
 * so that a stale page can't undo changes that it never showed. Call this while the row is locked.
 * @throws AppError CONFLICT
 */
export function assertIfMatch(
  recordKind: keyof typeof CONFLICT_KEYS,
  { ifMatch }: OperationCall,
  version: Date | string,
): void {
  if (!ifMatch || ifMatch.trim() === "*") return;
  const seen = readIfMatch(ifMatch);
  // An empty tag and a quoted star have never meant a version.
  if (seen.every((tag) => tag === "" || tag === "*")) return;
  if (!seen.includes(typeof version === "string" ? version : version.toISOString()))
    throw new AppError("CONFLICT", CONFLICT_KEYS[recordKind]);
}
