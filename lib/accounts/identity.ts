import type { Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";
import { enqueueVerificationMail } from "#lib/accounts/email-verification.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import type { Actor, SessionActor } from "#lib/operation/policy.ts";

/**
 * The identity of an account: name, address and password. Only this file writes them, and each write names its
 * author, which is never an API token (contract 2.9).
 */

/** A link that the owner of the account opened; the caller has used up its token in the same transaction. */
type OpenedMailLink = { link: "passwordReset" | "emailChange" };

type NewEmail = {
  userId: string;
  email: string;
  /** Whether the opened link had been sent to the new address. */
  verified: boolean;
};

/** Narrows an actor to one with a session. @throws AppError TOKEN_SCOPE for an API token */
export function requireSessionActor(actor: Actor): SessionActor {
  if (actor.token) throw new AppError("TOKEN_SCOPE", "tokenCannotChangeIdentity");
  return actor as SessionActor;
}

/** Sets another name. A person whose name somebody else changes is notified by mail (contract 6.3). */
export async function setUserName(tx: Tx, by: SessionActor, userId: string, name: string): Promise<void> {
  await tx.user.update({ where: { id: userId }, data: { name }, select: { id: true } });
  if (by.id !== userId) await enqueueJob(tx, "mail.notice", { userId, kind: "nameChanged" });
}

/**
 * Sets another address. Pending links in the former mailbox stop working, and the former address gets a notice if it
 * was verified. The new address has to be verified, unless the link of the change was sent there.
 * @throws the database's unique violation when another account has the address
 */
export async function setUserEmailAndNotifyFormer(
  tx: Tx,
  _by: SessionActor | OpenedMailLink,
  { userId, email, verified }: NewEmail,
): Promise<void> {
  const where = { id: userId };
  const select = { email: true, emailVerifiedAt: true } as const;
  const former = await tx.user.findUniqueOrThrow({ where, select });
  const emailVerifiedAt = verified ? new Date() : null;
  await tx.user.update({ where, data: { email, emailVerifiedAt }, select: { id: true } });
  await tx.passwordReset.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
  await tx.emailVerification.deleteMany({ where: { userId } });
  if (!verified) await enqueueVerificationMail(tx, userId);
  if (former.emailVerifiedAt || !env().verifiesEmail)
    await enqueueJob(tx, "mail.notice", { userId, kind: "emailChanged", formerEmail: former.email });
}

type NewPassword = {
  userId: string;
  passwordHash: string;
  /**
   * The hash that must still be stored: of two simultaneous changes, only the one that knew the current
   * password succeeds.
   */
  replaces?: string;
};

/** Stores the hash of a new password. @returns false when another password was set in the meantime */
export async function replacePasswordHash(
  tx: Tx,
  _by: SessionActor | OpenedMailLink,
  { userId, passwordHash, replaces }: NewPassword,
): Promise<boolean> {
  const where = replaces === undefined ? { id: userId } : { id: userId, passwordHash: replaces };
  const { count } = await tx.user.updateMany({ where, data: { passwordHash } });
  if (count > 0) await enqueueJob(tx, "mail.notice", { userId, kind: "passwordChanged" });
  return count > 0;
}
