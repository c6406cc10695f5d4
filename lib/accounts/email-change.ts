import type { OperationCall, OperationContext } from "#lib/operation/operation.ts";
import { generateMailedToken } from "#lib/crypto/random-code.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { buildAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError, InvalidInputError, isUniqueViolation } from "#lib/operation/errors.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import {
  createUnusableEmailLinkError,
  requireAccountSessionOrPassword,
} from "#lib/accounts/email-verification.ts";
import { requireSessionActor, setUserEmailAndNotifyFormer } from "#lib/accounts/identity.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import type { Actor, SessionActor, PermissionSubject } from "#lib/operation/policy.ts";

/**
 * Changes of email address. A change that someone else requested waits until the owner of the account confirms it
 * through a link sent to the current address; otherwise it would be a way to take over the account (contract 4.6). A
 * change that the owner requested waits for a link sent to the new address, which proves that it is theirs; the
 * current address gets a notice.
 */

const OWN_REQUEST_TTL_HOURS = 24;
const OTHER_REQUEST_TTL_HOURS = 7 * 24;
const HOUR_MS = 3_600_000;

declare const passwordVerified: unique symbol;
/** A signed-in person who has just entered their password; only `authorizeOwnEmailChange` creates one. */
export type PasswordVerifiedActor = SessionActor & { [passwordVerified]: true };

/**
 * Checks what changing one's own address requires: a session and the current password, and that the new address
 * hasn't received too many mails.
 * @throws AppError TOKEN_SCOPE, RATE_LIMITED; InvalidInputError for a missing or wrong password
 */
export async function authorizeOwnEmailChange(
  context: OperationContext<PermissionSubject, Actor>,
  { password, newEmail }: { password: string | undefined; newEmail: string },
): Promise<PasswordVerifiedActor> {
  const actor = requireSessionActor(context.actor);
  if (!password) throw createEmailChangePasswordMissingError();
  await verifyCurrentPassword(context, password);
  await consumeLimit("verify-email", newEmail);
  return actor as PasswordVerifiedActor;
}

export const createEmailChangePasswordMissingError = () =>
  new InvalidInputError({ currentPassword: createFieldProblem("neededForEmailChange") });

/**
 * Requests a change of the owner's address, which waits for confirmation from the new one, and queues a notice to
 * the current one.
 * @throws AppError EMAIL_TAKEN
 */
export async function requestOwnEmailChange(
  tx: Tx,
  owner: PasswordVerifiedActor,
  newEmail: string,
): Promise<void> {
  const { id: userId } = owner;
  await createEmailChangeAndQueueMail(tx, owner, { userId, newEmail });
  if (!owner.unverified)
    await enqueueJob(tx, "mail.notice", { userId, kind: "emailChangeRequested", formerEmail: owner.email });
}

/**
 * Counts a change of somebody else's address that their owner has to confirm: each mails the owner, and its refusal
 * says that an address has an account, as a look-up does.
 * @throws AppError RATE_LIMITED
 */
export async function consumeEmailChangeOfOtherLimit(
  { address }: Pick<OperationCall, "address">,
  userId: string,
): Promise<void> {
  await consumeLimit("lookup", address);
  await consumeLimit("email-change", userId);
}

/**
 * Creates a pending change of an address, replacing an earlier one, whose link stops working. If someone else
 * requested it, the link goes to the person's current address; if the owner did, to the new address. Nobody else
 * replaces the owner's own change.
 * @throws AppError EMAIL_TAKEN, CONFLICT
 */
export async function createEmailChangeAndQueueMail(
  tx: Tx,
  requester: SessionActor,
  { userId, newEmail }: { userId: string; newEmail: string },
): Promise<void> {
  if ((await tx.user.count({ where: { email: newEmail } })) > 0) throw createEmailTakenError();
  const hours = requester.id === userId ? OWN_REQUEST_TTL_HOURS : OTHER_REQUEST_TTL_HOURS;
  const createdAt = new Date();
  const expiresAt = new Date(createdAt.getTime() + hours * HOUR_MS);
  const change = { newEmail, tokenHash: null, requestedBy: requester.id, expiresAt, createdAt };
  const isReplaceable =
    requester.id === userId
      ? {}
      : { OR: [{ requestedBy: { not: userId } }, { expiresAt: { lte: createdAt } }] };
  const replaced = await tx.emailChange.updateMany({ where: { userId, ...isReplaceable }, data: change });
  if (replaced.count === 0) {
    const created = await tx.emailChange.createMany({ data: { userId, ...change }, skipDuplicates: true });
    if (created.count === 0) throw new AppError("CONFLICT", "ownEmailChangePending");
  }
  await enqueueJob(tx, "mail.emailChange", { userId });
}

/**
 * Loads the pending change of a token. The token of a replaced change no longer works.
 * @returns with the current address, and whether the owner of the account requested the change
 * @throws AppError CONFIRM_TOKEN_INVALID
 */
export async function loadEmailChangeByToken(token: string) {
  const found = await prisma.emailChange.findFirst({
    where: { tokenHash: hashToken(token), expiresAt: { gt: new Date() } },
    select: { userId: true, newEmail: true, requestedBy: true, user: { select: { email: true } } },
  });
  if (!found) throw createUnusableEmailLinkError();
  const { user, ...change } = found;
  return { ...change, ...user, own: change.requestedBy === change.userId };
}

/**
 * Creates the token of a pending change and its link, for the mail to the new address if the owner of the account requested
 * the change (`own`), or else to the current one. Returns null when no change is pending.
 */
export async function issueEmailChangeLink(userId: string) {
  const token = generateMailedToken();
  const now = new Date();
  const [pending] = await prisma.emailChange.updateManyAndReturn({
    where: { userId, expiresAt: { gt: now } },
    data: { tokenHash: hashToken(token) },
    select: {
      newEmail: true,
      requestedBy: true,
      expiresAt: true,
      user: { select: { email: true, name: true, locale: true } },
    },
  });
  if (!pending) return null;
  const { newEmail, requestedBy, expiresAt, user } = pending;
  const { email, ...person } = user;
  const own = requestedBy === userId;
  const url = `${env().baseUrl}/confirm-email?token=${token}`;
  const minutes = Math.round((expiresAt.getTime() - now.getTime()) / 60_000);
  return { ...person, newEmail, own, minutes, url, to: own ? newEmail : email };
}

/**
 * Applies the change that the token belongs to and uses up the token. If the owner of the account requested the
 * change, whoever opens the link must also have access to the account. Otherwise a stranger could request somebody
 * else's address for their own account, and that person would confirm it unknowingly by opening the link.
 * @throws AppError CONFIRM_TOKEN_INVALID, EMAIL_TAKEN, RATE_LIMITED; InvalidInputError for a missing or wrong password
 */
export async function confirmEmailChange(
  { actor, call }: { actor: Actor | null; call: OperationCall },
  { token, password }: { token: string; password?: string | undefined },
): Promise<void> {
  const { userId, email, newEmail, requestedBy, own } = await loadEmailChangeByToken(token);
  if (own) await requireAccountSessionOrPassword({ actor, call }, { userId, email, password });
  try {
    await runTransaction(async (tx) => {
      await lockPersonRow(tx, userId);
      const where = { userId, tokenHash: hashToken(token), expiresAt: { gt: new Date() } };
      const { count } = await tx.emailChange.deleteMany({ where });
      if (count === 0) throw createUnusableEmailLinkError();
      await setUserEmailAndNotifyFormer(
        tx,
        { link: "emailChange" },
        { userId, email: newEmail, verified: own },
      );
      const owner = { userId, requestId: call.requestId };
      await appendAuditEntry(tx, buildAccountAuditEntry(owner, "account.changeEmail", { requestedBy }));
    });
  } catch (error) {
    if (isUniqueViolation(error, "email")) throw createEmailTakenError();
    throw error;
  }
}

export const createEmailTakenError = () =>
  new AppError("EMAIL_TAKEN", "newEmailTaken", {}, { field: "email" });
