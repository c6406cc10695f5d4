import type { Operation } from "#lib/operation/operation.ts";
import type { AppError, ErrorCode } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** What was asked for, in which request, and by whom, where that is known by the time it is refused. */
export type RequestLogContext = { operation?: string; requestId?: string | null; actorId?: string };

const LOGGED_DENIAL_CODES = new Set<ErrorCode>([
  "CSRF_REJECTED",
  "EMAIL_UNVERIFIED",
  "FORBIDDEN",
  "INVALID_CREDENTIALS",
  "RATE_LIMITED",
  "SECOND_FACTOR_INVALID",
  "SECOND_FACTOR_REQUIRED",
  "TOKEN_SCOPE",
]);

/** Leaves a line in the log of what was denied, by whichever door it was asked for; other failures leave none here. */
export function logDenial({ code }: AppError, logContext: RequestLogContext): void {
  if (LOGGED_DENIAL_CODES.has(code)) log.info({ ...logContext, code }, "request refused");
}

/** Adds who asks. Not of a report: it may be an anonymous one, tried again (contract 7.3). */
export function addActorToLogContext(
  logContext: RequestLogContext,
  { can }: Pick<Operation, "can">,
  actor: Actor | null,
): void {
  if (actor && can !== "incident.create") logContext.actorId = actor.id;
}
