import type { OperationContext } from "#lib/operation/operation.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { buildOwnAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { createNotFoundError, InvalidInputError } from "#lib/operation/errors.ts";
import { requestOwnEmailChange, authorizeOwnEmailChange } from "#lib/accounts/email-change.ts";
import { requireSessionActor, setUserName, replacePasswordHash } from "#lib/accounts/identity.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { hashPassword, refusePersonalPassword } from "#lib/accounts/passwords.ts";
import type { PasswordChangeInput, ProfileChangeInput } from "#lib/accounts/schema.ts";
import {
  revokeSession,
  revokeUserSessionsExcept,
  revokeOtherSessionsTokensAndEmailChange,
} from "#lib/accounts/sessions.ts";
import type { OwnAccountContext } from "#lib/accounts/tokens.ts";
import type { SessionActor, PermissionSubject } from "#lib/operation/policy.ts";

/** Changes to the current user's account: name, address, password and sessions. */

/**
 * Changes name, language, time zone, single-key shortcuts and address; an API token can change neither name nor
 * address. All but the address apply at once; another address requires the password, and waits until it is confirmed
 * from there. Sending the current address cancels a pending change.
 * @throws InvalidInputError for a wrong or missing password; AppError EMAIL_TAKEN, TOKEN_SCOPE, RATE_LIMITED
 */
export async function changeProfile(context: OwnAccountContext, change: ProfileChangeInput): Promise<void> {
  const { actor } = context;
  const { name, email, locale, timeZone, singleKeys } = change;
  if (name !== undefined || email !== undefined) requireSessionActor(actor);
  const newEmail = email === actor.email ? undefined : email;
  const password = change.currentPassword;
  const owner =
    newEmail === undefined ? null : await authorizeOwnEmailChange(context, { password, newEmail });
  await runTransaction(async (tx) => {
    const where = { id: actor.id };
    if (name !== undefined) await setUserName(tx, requireSessionActor(actor), actor.id, name);
    if ([locale, timeZone, singleKeys].some((given) => given !== undefined))
      await tx.user.update({ where, data: { locale, timeZone, singleKeys }, select: { id: true } });
    if (email !== undefined && owner) await requestOwnEmailChange(tx, owner, email);
    else if (email !== undefined) await tx.emailChange.deleteMany({ where: { userId: actor.id } });
    const fields = Object.entries({ name, email, locale, timeZone, singleKeys }).flatMap(([field, value]) =>
      value === undefined ? [] : field,
    );
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.changeProfile", { fields }));
  });
}

/**
 * Sets another password: revokes the user's other sessions, API tokens and pending reset links, and queues a notice.
 * @throws InvalidInputError for a wrong password; AppError RATE_LIMITED
 */
export async function changePassword(
  context: OperationContext<PermissionSubject, SessionActor>,
  { currentPassword, newPassword }: PasswordChangeInput,
): Promise<void> {
  const { id: userId, sessionId } = context.actor;
  const currentHash = await verifyCurrentPassword(context, currentPassword);
  const owner = await prisma.user.findUnique({ where: { id: userId }, select: { email: true, name: true } });
  if (owner) refusePersonalPassword(newPassword, owner, "newPassword");
  const passwordHash = await hashPassword(newPassword, createLaneForUser(userId));
  await runTransaction(async (tx) => {
    const isSet = await replacePasswordHash(tx, context.actor, {
      userId,
      passwordHash,
      replaces: currentHash,
    });
    if (!isSet) throw new InvalidInputError({ currentPassword: createFieldProblem("wrongPassword") });
    await revokeOtherSessionsTokensAndEmailChange(tx, userId, sessionId);
    await tx.passwordReset.deleteMany({ where: { userId } });
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.changePassword"));
  });
}

/**
 * Revokes one of the current user's sessions, possibly the current one.
 * @throws AppError NOT_FOUND, also for someone else's session
 */
export async function revokeOwnSession(context: OwnAccountContext, sessionId: string): Promise<void> {
  await runTransaction(async (tx) => {
    const ownSessionCount = await tx.session.count({ where: { id: sessionId, userId: context.actor.id } });
    if (ownSessionCount === 0 || !(await revokeSession(tx, sessionId))) throw createNotFoundError("session");
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.endSession", { sessionId }));
  });
}

/** Revokes every session but the current one. */
export async function revokeOtherSessions(context: OwnAccountContext): Promise<void> {
  await runTransaction(async (tx) => {
    await revokeUserSessionsExcept(tx, context.actor.id, context.actor.sessionId);
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.endOtherSessions"));
  });
}
