import type { Call } from "#lib/api/operation.ts";
import { AppError } from "#lib/errors.ts";

/**
 * Refuses a change of what was changed since the client saw it: `If-Match` holds the `updatedAt` that it saw.
 * @throws AppError CONFLICT
 */
export function refuseStale(call: Call, updatedAt: Date): void {
  const seen = call.ifMatch?.replace(/^(W\/)?"|"$/g, "");
  if (!seen || seen === "*" || seen === updatedAt.toISOString()) return;
  throw new AppError(
    "CONFLICT",
    "This comment was changed in the meantime.",
    "Load it again, look at what it says now, and decide anew.",
  );
}
