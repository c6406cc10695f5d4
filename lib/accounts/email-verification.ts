import { lockRow } from "#lib/database/row-lock.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { generateMailedToken } from "#lib/crypto/random-code.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { buildAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { log } from "#lib/observability/log.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { AppError, InvalidInputError } from "#lib/operation/errors.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { verifyPasswordWithoutSession } from "#lib/accounts/own-password.ts";
import { findAndLockPersonByEmail, lockPersonRow } from "#lib/accounts/person-lock.ts";
import { hashToken, revokeOtherSessionsTokensAndEmailChange } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Verification of email addresses. Someone who registers may enter another person's address. The address counts as
 * unverified until someone opens the link mailed there, presses its button and has access to the account (contract
 * 4.6, docs/decisions/032).
 */

const LINK_TTL_HOURS = 24;

/**
 * Returns whether the address of a loaded user is verified; true where this installation verifies no addresses.
 * `isEmailVerifiedIfRequiredSql` is for users that aren't loaded.
 */
export const isEmailVerifiedIfRequired = ({ emailVerifiedAt }: { emailVerifiedAt: Date | null }): boolean =>
  emailVerifiedAt !== null || !env().verifiesEmail;

/** Queues the mail with the verification link, where this installation verifies addresses. */
export async function enqueueVerificationMail(tx: Tx, userId: string): Promise<void> {
  if (env().verifiesEmail) await enqueueJob(tx, "mail.verification", { userId });
}

/**
 * Mails the first link to an account that has just been created, unless too many mails went to its address. Counted only
 * now, since whoever fails to register an address must not use up its limit. Never throws: the account exists, and can
 * request its link later.
 */
export async function mailFirstVerificationLink(userId: string, email: string): Promise<void> {
  try {
    await consumeLimit("verify-email", email);
    await runTransaction((tx) => enqueueVerificationMail(tx, userId));
  } catch (error) {
    if (error instanceof AppError && error.code === "RATE_LIMITED") return;
    log.error({ reason: describeErrorForLog(error) }, "first verification link not queued");
  }
}

/**
 * Mails another verification link, which replaces the previous one, unless the address is verified.
 * @returns whether a link is on its way
 * @throws AppError RATE_LIMITED
 */
export async function resendVerification({ id, email, unverified }: Actor): Promise<boolean> {
  if (!unverified) return false;
  await consumeLimit("verify-email", email);
  await runTransaction((tx) => enqueueVerificationMail(tx, id));
  return true;
}

type PendingEmailVerification = { userId: string; email: string };
type VerificationMail = { to: string; name: string; locale: string | null; url: string; minutes: number };

/**
 * Creates the token of the verification link, replacing an earlier one. Returns null when there is nothing to verify.
 */
export async function issueVerificationLink(userId: string): Promise<VerificationMail | null> {
  const token = generateMailedToken();
  const person = await runTransaction(async (tx) => {
    const columns = ["email", "name", "locale", "emailVerifiedAt", "disabledAt"] as const;
    const found = await lockRow(tx, { table: "users", id: userId, strength: "key share" }, columns);
    if (!found || found.emailVerifiedAt || found.disabledAt) return null;
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + LINK_TTL_HOURS * 3_600_000);
    const link = { email: found.email, tokenHash: hashToken(token), expiresAt, createdAt };
    await tx.emailVerification.upsert({ where: { userId }, create: { userId, ...link }, update: link });
    return found;
  });
  if (!person) return null;
  const { email: to, name, locale } = person;
  const url = `${env().baseUrl}/verify-email?token=${token}`;
  return { to, name, locale, url, minutes: LINK_TTL_HOURS * 60 };
}

/**
 * Loads the account and address that a token would verify.
 * @throws AppError CONFIRM_TOKEN_INVALID for an unknown, used or expired token
 */
export async function loadPendingEmailVerification(token: string): Promise<PendingEmailVerification> {
  const pending = await prisma.emailVerification.findFirst({
    where: { tokenHash: hashToken(token), expiresAt: { gt: new Date() }, user: { disabledAt: null } },
    select: { userId: true, email: true, user: { select: { email: true } } },
  });
  if (!pending || pending.user.email !== pending.email) throw createUnusableEmailLinkError();
  return pending;
}

/**
 * Verifies the address that the token was mailed to and uses up the token; revokes the account's other sessions, its
 * API tokens and its pending links. The person who reads the mail must also have access to the account, by its
 * session or password: otherwise one press of the button would verify an account that a stranger created with this
 * address and knows the password of.
 * @throws AppError CONFIRM_TOKEN_INVALID, RATE_LIMITED; InvalidInputError for a missing or wrong password
 */
export async function verifyEmail(
  { actor, call }: { actor: Actor | null; call: OperationCall },
  { token, password }: { token: string; password?: string | undefined },
): Promise<void> {
  const { userId, email } = await loadPendingEmailVerification(token);
  const currentSessionId = await requireAccountSessionOrPassword(
    { actor, call },
    { userId, email, password },
  );
  await runTransaction(async (tx) => {
    await lockPersonRow(tx, userId);
    const { count } = await tx.emailVerification.deleteMany({
      where: {
        userId,
        email,
        tokenHash: hashToken(token),
        expiresAt: { gt: new Date() },
        user: { email, disabledAt: null },
      },
    });
    if (count === 0) throw createUnusableEmailLinkError();
    await markEmailVerified(tx, userId);
    await revokeOtherSessionsTokensAndEmailChange(tx, userId, currentSessionId);
    await tx.passwordReset.deleteMany({ where: { userId } });
    const owner = { userId, requestId: call.requestId };
    await appendAuditEntry(tx, buildAccountAuditEntry(owner, "account.verifyEmail"));
  });
}

/** Verifies an address on behalf of the operator, from the command line of the server. */
export const confirmEmailAsOperator = (email: string): Promise<"confirmed" | "before" | "unknown"> =>
  runTransaction(async (tx) => {
    const user = await findAndLockPersonByEmail(tx, email);
    if (!user) return "unknown";
    if (user.emailVerifiedAt) return "before";
    await markEmailVerified(tx, user.id);
    const object = { type: "user", id: user.id };
    await appendAuditEntry(
      tx,
      buildActorlessAuditEntry({ right: "operator" }, "account.verifyEmail", object),
    );
    return "confirmed";
  });

type AccountProof = PendingEmailVerification & { password: string | undefined };

/**
 * Requires a session of the account, or its password.
 * @returns the id of the session, where a session proved access
 * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE; InvalidInputError for a missing or wrong password
 */
export async function requireAccountSessionOrPassword(
  { actor, call }: { actor: Actor | null; call: OperationCall },
  { userId, email, password }: AccountProof,
): Promise<string | undefined> {
  if (actor?.id === userId && !actor.token) return actor.sessionId;
  if (!password) throw new InvalidInputError({ password: createFieldProblem("neededWithoutSession") });
  await verifyPasswordWithoutSession({ userId, email, address: call.address }, password);
  return undefined;
}

/** Marks the account's current address as verified; the caller holds the lock of the person. */
export async function markEmailVerified(tx: Tx, userId: string): Promise<void> {
  await tx.user.updateMany({
    where: { id: userId, emailVerifiedAt: null },
    data: { emailVerifiedAt: new Date() },
  });
  await tx.emailVerification.deleteMany({ where: { userId } });
}

export const createUnusableEmailLinkError = () => new AppError("CONFIRM_TOKEN_INVALID", "linkInvalid");
