import type { AuditAction } from "#lib/audit/actions.ts";
import { buildAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";

/** Builds the audit entry of an action on the current user's own account. */
export const buildOwnAccountAuditEntry = (
  context: OperationContext<PermissionSubject, Actor>,
  action: AuditAction,
  data?: AuditEntryInput["data"],
): AuditEntryInput => buildAuditEntry(context, action, { type: "user", id: context.actor.id }, data);

/**
 * Builds the audit entry of what somebody does to their own account without being signed in to it, such as signing in,
 * registering, or opening a link from a mail.
 */
export const buildAccountAuditEntry = (
  { userId, right = "self", requestId }: { userId: string; right?: string; requestId: string },
  action: AuditAction,
  data?: AuditEntryInput["data"],
): AuditEntryInput =>
  buildAuditEntry(
    { actor: { id: userId }, right, call: { requestId } },
    action,
    { type: "user", id: userId },
    data,
  );
