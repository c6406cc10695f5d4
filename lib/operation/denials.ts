import type { Operation } from "#lib/operation/operation.ts";
import type { AppError, ErrorCode } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";
import { requiresUnidentifiedSender, type Actor } from "#lib/operation/policy.ts";

/** The operation, the request, and the actor where known at the time of the refusal. */
export type RequestLogContext = {
  operation?: string;
  requestId?: string | null;
  actorId?: string;
  /** The operation identifies nobody: the log doesn't say when it was called (contract 14.3). */
  unlogged?: true;
};

/** Creates the context of a log line about a call of this operation. */
export const createLogContext = (
  { name, can }: Pick<Operation, "name" | "can">,
  requestId: string | null,
): RequestLogContext =>
  requiresUnidentifiedSender(can) ? { unlogged: true } : { operation: name, requestId };

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

/** Logs a refused request, whichever adapter it came through; other failures aren't logged here. */
export function logDenial({ code }: AppError, { unlogged, ...logContext }: RequestLogContext): void {
  if (!unlogged && LOGGED_DENIAL_CODES.has(code)) log.info({ ...logContext, code }, "request refused");
}

/**
 * Adds the actor to the context of a log line, except for reports: a refused one may be sent again as an anonymous
 * report, and the log would then reveal who sent it (contract 7.3).
 */
export function addActorToLogUnlessReporting(
  logContext: RequestLogContext,
  { can }: Pick<Operation, "can">,
  actor: Actor | null,
): void {
  if (actor && !can.startsWith("incident.create")) logContext.actorId = actor.id;
}
