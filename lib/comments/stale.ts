import type { Call } from "#lib/api/operation.ts";
import { isStale } from "#lib/api/stale.ts";
import { AppError } from "#lib/errors.ts";

/** Refuses a change of what was changed since the client saw it. @throws AppError CONFLICT */
export function refuseStale(call: Call, updatedAt: Date): void {
  if (isStale(call, updatedAt))
    throw new AppError(
      "CONFLICT",
      "This comment was changed in the meantime.",
      "Load it again, look at what it says now, and decide anew.",
    );
}
