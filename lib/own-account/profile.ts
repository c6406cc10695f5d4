import type { Context } from "#lib/operation/operation.ts";
import { ownDeed } from "#lib/accounts/own-deed.ts";
import { audit } from "#lib/audit/audit.ts";
import { transaction } from "#lib/database/client.ts";
import { InvalidInput } from "#lib/operation/errors.ts";
import { askForOwnEmail, mustBeOwner } from "#lib/accounts/email-change.ts";
import { mustHaveSession, setName, setPassword } from "#lib/accounts/identity.ts";
import { mustKnowPassword } from "#lib/accounts/own-password.ts";
import { laneOfUser } from "#lib/accounts/hash-pool.ts";
import { hashPassword } from "#lib/accounts/passwords.ts";
import type { PasswordChange, ProfileChange } from "#lib/accounts/schema.ts";
import { endSession, endSessionsOf, shutOutAllBut } from "#lib/accounts/sessions.ts";
import { notFound } from "#lib/operation/errors.ts";
import type { Actor, SessionActor, Subject } from "#lib/operation/policy.ts";

/** What people change of their own account: name, address, password, and where they are signed in. */

type Doing = Context<Subject, Actor>;

/**
 * Changes name, language, keys and address; no token changes the first or the last. All but the address apply at once;
 * another one takes the password, and waits until it is confirmed from there. The present one, given again, takes back
 * a change that waits.
 * @throws InvalidInput for a wrong or missing password; AppError EMAIL_TAKEN, TOKEN_SCOPE, RATE_LIMITED
 */
export async function changeProfile(doing: Doing, change: ProfileChange): Promise<void> {
  const { actor } = doing;
  const { name, email, locale, singleKeys } = change;
  if (name !== undefined || email !== undefined) mustHaveSession(actor);
  const newEmail = email === actor.email ? undefined : email;
  const password = change.currentPassword;
  const owner = newEmail === undefined ? null : await mustBeOwner(doing, { password, newEmail });
  await transaction(async (tx) => {
    const where = { id: actor.id };
    if (name !== undefined) await setName(tx, mustHaveSession(actor), actor.id, name);
    if (locale !== undefined || singleKeys !== undefined)
      await tx.user.update({ where, data: { locale, singleKeys }, select: { id: true } });
    if (email !== undefined && owner) await askForOwnEmail(tx, owner, email);
    else if (email !== undefined) await tx.emailChange.deleteMany({ where: { userId: actor.id } });
    const fields = Object.entries({ name, email, locale, singleKeys }).flatMap(([field, value]) =>
      value === undefined ? [] : field,
    );
    await audit(tx, ownDeed(doing, "account.changeProfile", { fields }));
  });
}

/**
 * Sets another password: every other session of the user ends, links to set a new one stop working, and a notice
 * is mailed.
 * @throws InvalidInput for a wrong password; AppError RATE_LIMITED
 */
export async function changePassword(
  doing: Context<Subject, SessionActor>,
  { currentPassword, newPassword }: PasswordChange,
): Promise<void> {
  const { id: userId, sessionId } = doing.actor;
  const known = await mustKnowPassword(doing, currentPassword, "currentPassword");
  const passwordHash = await hashPassword(newPassword, laneOfUser(userId));
  await transaction(async (tx) => {
    const set = await setPassword(tx, doing.actor, { userId, passwordHash, replaces: known });
    if (!set) throw new InvalidInput({ currentPassword: "is not your password" });
    await shutOutAllBut(tx, userId, sessionId);
    await tx.passwordReset.deleteMany({ where: { userId } });
    await audit(tx, ownDeed(doing, "account.changePassword"));
  });
}

/** Ends one of one's own sessions, the present one included. @throws AppError NOT_FOUND also for somebody else's */
export async function endOwnSession(doing: Doing, sessionId: string): Promise<void> {
  await transaction(async (tx) => {
    const own = await tx.session.count({ where: { id: sessionId, userId: doing.actor.id } });
    if (own === 0 || !(await endSession(tx, sessionId))) throw notFound("This session");
    await audit(tx, ownDeed(doing, "account.endSession", { sessionId }));
  });
}

/** Ends every session but the present one. */
export async function endOtherSessions(doing: Doing): Promise<void> {
  await transaction(async (tx) => {
    await endSessionsOf(tx, doing.actor.id, doing.actor.sessionId);
    await audit(tx, ownDeed(doing, "account.endOtherSessions"));
  });
}
