import type { OperationContext } from "#lib/operation/operation.ts";
import { auditEntryForCurrentUser } from "#lib/accounts/own-deed.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction } from "#lib/database/client.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { requestOwnEmailChange, requireVerifiedOwner } from "#lib/accounts/email-change.ts";
import { requireSession, setName, setPassword } from "#lib/accounts/identity.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { laneForUser } from "#lib/accounts/hash-pool.ts";
import { hashPassword } from "#lib/accounts/passwords.ts";
import type { PasswordChange, ProfileChange } from "#lib/accounts/schema.ts";
import { revokeSession, revokeSessions, revokeOtherAccess } from "#lib/accounts/sessions.ts";
import { notFound } from "#lib/operation/errors.ts";
import type { Actor, SessionActor, Subject } from "#lib/operation/policy.ts";

/** What people change of their own account: name, address, password, and where they are signed in. */

type ActorContext = OperationContext<Subject, Actor>;

/**
 * Changes name, language, keys and address; no token changes the first or the last. All but the address apply at once;
 * another one takes the password, and waits until it is confirmed from there. The present one, given again, takes back
 * a change that waits.
 * @throws InvalidInputError for a wrong or missing password; AppError EMAIL_TAKEN, TOKEN_SCOPE, RATE_LIMITED
 */
export async function changeProfile(context: ActorContext, change: ProfileChange): Promise<void> {
  const { actor } = context;
  const { name, email, locale, singleKeys } = change;
  if (name !== undefined || email !== undefined) requireSession(actor);
  const newEmail = email === actor.email ? undefined : email;
  const password = change.currentPassword;
  const owner = newEmail === undefined ? null : await requireVerifiedOwner(context, { password, newEmail });
  await runTransaction(async (tx) => {
    const where = { id: actor.id };
    if (name !== undefined) await setName(tx, requireSession(actor), actor.id, name);
    if (locale !== undefined || singleKeys !== undefined)
      await tx.user.update({ where, data: { locale, singleKeys }, select: { id: true } });
    if (email !== undefined && owner) await requestOwnEmailChange(tx, owner, email);
    else if (email !== undefined) await tx.emailChange.deleteMany({ where: { userId: actor.id } });
    const fields = Object.entries({ name, email, locale, singleKeys }).flatMap(([field, value]) =>
      value === undefined ? [] : field,
    );
    await appendAuditEntry(tx, auditEntryForCurrentUser(context, "account.changeProfile", { fields }));
  });
}

/**
 * Sets another password: every other session of the user ends, links to set a new one stop working, and a notice
 * is mailed.
 * @throws InvalidInputError for a wrong password; AppError RATE_LIMITED
 */
export async function changePassword(
  context: OperationContext<Subject, SessionActor>,
  { currentPassword, newPassword }: PasswordChange,
): Promise<void> {
  const { id: userId, sessionId } = context.actor;
  const currentHash = await verifyCurrentPassword(context, currentPassword, "currentPassword");
  const passwordHash = await hashPassword(newPassword, laneForUser(userId));
  await runTransaction(async (tx) => {
    const isSet = await setPassword(tx, context.actor, { userId, passwordHash, replaces: currentHash });
    if (!isSet) throw new InvalidInputError({ currentPassword: "is not your password" });
    await revokeOtherAccess(tx, userId, sessionId);
    await tx.passwordReset.deleteMany({ where: { userId } });
    await appendAuditEntry(tx, auditEntryForCurrentUser(context, "account.changePassword"));
  });
}

/** Ends one of one's own sessions, the present one included. @throws AppError NOT_FOUND also for somebody else's */
export async function revokeOwnSession(context: ActorContext, sessionId: string): Promise<void> {
  await runTransaction(async (tx) => {
    const ownSessionCount = await tx.session.count({ where: { id: sessionId, userId: context.actor.id } });
    if (ownSessionCount === 0 || !(await revokeSession(tx, sessionId))) throw notFound("This session");
    await appendAuditEntry(tx, auditEntryForCurrentUser(context, "account.endSession", { sessionId }));
  });
}

/** Ends every session but the present one. */
export async function revokeOtherSessions(context: ActorContext): Promise<void> {
  await runTransaction(async (tx) => {
    await revokeSessions(tx, context.actor.id, context.actor.sessionId);
    await appendAuditEntry(tx, auditEntryForCurrentUser(context, "account.endOtherSessions"));
  });
}
