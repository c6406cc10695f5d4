import type { OperationCall } from "#lib/operation/operation.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, InvalidInputError } from "#lib/operation/errors.ts";
import { parseIfMatchVersions } from "#lib/operation/etag.ts";

const CONFLICT_KEYS = {
  report: "incidentChanged",
  event: "eventChanged",
  settings: "settingsChanged",
  comment: "commentChanged",
  person: "commentChanged",
} as const;

/**
 * Refuses a change to a record that somebody else has changed since the client read it (contract 3.11). `If-Match`
 * holds the version that the client read, for most records its `updatedAt`, or the record's `ETag`. Pages send it too,
 * so that a stale page can't undo changes that it never showed. Call this while the row is locked.
 * @throws AppError CONFLICT; InvalidInputError for a header that names no version, since whoever sent it meant one
 */
export function assertIfMatch(
  recordKind: keyof typeof CONFLICT_KEYS,
  { ifMatch }: OperationCall,
  version: Date | string,
): void {
  if (ifMatch === null) return;
  const seen = parseIfMatchVersions(ifMatch).filter((tag) => tag !== "");
  if (seen.length === 0) throw new InvalidInputError({ "If-Match": createFieldProblem("mustNameVersion") });
  // A star that is quoted means any version, too.
  if (seen.every((tag) => tag === "*")) return;
  if (!seen.includes(typeof version === "string" ? version : version.toISOString()))
    throw new AppError("CONFLICT", CONFLICT_KEYS[recordKind]);
}
