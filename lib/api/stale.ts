import type { Call } from "#lib/api/operation.ts";
import { AppError } from "#lib/errors.ts";

/**
 * Whether somebody changed it since the client saw it: `If-Match` holds the version that the client saw, which for most
 * is the `updatedAt`. Pages send it along, so that a stale screen can't undo what it never saw.
 */
export function isStale({ ifMatch }: Call, version: Date | string): boolean {
  const seen = ifMatch?.replace(/^(W\/)?"|"$/g, "");
  if (!seen || seen === "*") return false;
  return seen !== (typeof version === "string" ? version : version.toISOString());
}

/** Refuses to save settings that somebody else saved meanwhile. @throws AppError CONFLICT */
export function refuseStaleSettings(call: Call, version: Date | string): void {
  if (isStale(call, version))
    throw new AppError(
      "CONFLICT",
      "Somebody changed these settings in the meantime.",
      "Load them again, look at what changed, and decide anew.",
    );
}
