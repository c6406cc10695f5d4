import type { Operation } from "#lib/operation/operation.ts";
import type { AppError, ErrorCode } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** What was asked for, in which request, and by whom, where that is known by the time it is refused. */
export type Requested = { operation?: string; requestId?: string | null; actorId?: string };

const DENIALS = new Set<ErrorCode>([
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
export function noteDenial({ code }: AppError, asked: Requested): void {
  if (DENIALS.has(code)) log.info({ ...asked, code }, "request refused");
}

/** Adds who asks. Not of a report: it may be an anonymous one, tried again (contract 7.3). */
export function nameAsker(asked: Requested, { can }: Pick<Operation, "can">, actor: Actor | null): void {
  if (actor && can !== "incident.create") asked.actorId = actor.id;
}
