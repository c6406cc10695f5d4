import type { OperationContext } from "#lib/operation/operation.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import type { AuditEntryInput } from "#lib/audit/audit.ts";
import type { Actor, Subject } from "#lib/operation/policy.ts";

/** Builds the audit entry of an action on the current user's own account. */
export const buildCurrentUserAuditEntry = (
  { actor, right, call }: OperationContext<Subject, Actor>,
  action: AuditAction,
  data: AuditEntryInput["data"] = {},
): AuditEntryInput => ({
  action,
  actorId: actor.id,
  right,
  object: { type: "user", id: actor.id },
  data,
  requestId: call.requestId,
});
