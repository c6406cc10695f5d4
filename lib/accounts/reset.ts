import type { OperationCall } from "#lib/operation/operation.ts";
import { generateMailedToken } from "#lib/crypto/random-code.ts";
import { buildAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { markEmailVerified } from "#lib/accounts/email-verification.ts";
import { replacePasswordHash } from "#lib/accounts/identity.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { hashPassword, refusePersonalPassword } from "#lib/accounts/passwords.ts";
import { findAndLockPersonByEmail, lockPersonRow } from "#lib/accounts/person-lock.ts";
import { hashToken, revokeOtherSessionsTokensAndEmailChange } from "#lib/accounts/sessions.ts";

/** Password reset: tokens of 256 bits, stored only as SHA-256, single use, one active per user (contract 4.5). */

/**
 * Requests a reset. Does the same work for known and unknown addresses: the job that writes the mail looks up the
 * account and creates the token, so the queue never contains one.
 */
export async function requestPasswordReset(email: string): Promise<void> {
  await runTransaction(async (tx) => enqueueJob(tx, "mail.reset", { email }));
}

type ResetMail = { to: string; name: string; locale: string | null; url: string; minutes: number };

/**
 * Creates a new token for the account with this address, replacing an earlier one. Returns null without such an
 * account, also when its address changes at this moment: the row lock ensures that no link goes to an address that
 * isn't the account's.
 */
export async function issuePasswordResetLink(email: string): Promise<ResetMail | null> {
  const token = generateMailedToken();
  const seconds = env().RESET_TOKEN_SECONDS;
  const person = await runTransaction(async (tx) => {
    const found = await findAndLockPersonByEmail(tx, email);
    if (!found || found.disabledAt) return null;
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + seconds * 1000);
    const reset = { tokenHash: hashToken(token), expiresAt, createdAt };
    const userId = found.id;
    await tx.passwordReset.upsert({ where: { userId }, create: { userId, ...reset }, update: reset });
    return found;
  });
  if (!person) return null;
  const { name, locale } = person;
  const url = `${env().baseUrl}/reset-password?token=${token}`;
  return { to: email, name, locale, url, minutes: Math.round(seconds / 60) };
}

/** Finds the account and expiry of a token; null for an unknown, used or expired one. */
export async function findPasswordReset(
  token: string,
): Promise<{ userId: string; email: string; name: string; expiresAt: Date } | null> {
  const found = await prisma.passwordReset.findFirst({
    where: { tokenHash: hashToken(token), expiresAt: { gt: new Date() } },
    select: { userId: true, expiresAt: true, user: { select: { email: true, name: true } } },
  });
  return found && { userId: found.userId, ...found.user, expiresAt: found.expiresAt };
}

type PasswordReset = { token: string; newPassword: string; keepSession?: string };

/**
 * Sets a new password: uses up the token, revokes the user's sessions (except `keepSession`), API tokens and a
 * pending change of address, and queues a notice. Anyone who has the link reads the mail of the address, so the
 * address counts as verified.
 * @throws AppError RESET_TOKEN_INVALID for an unknown, used or expired token, SERVICE_UNAVAILABLE
 */
export async function resetPassword(
  { token, newPassword, keepSession }: PasswordReset,
  { requestId, address }: Pick<OperationCall, "requestId" | "address">,
): Promise<void> {
  const found = await findPasswordReset(token);
  if (!found) throw createInvalidTokenError();
  const { userId } = found;
  refusePersonalPassword(newPassword, found, "newPassword");
  const passwordHash = await hashPassword(newPassword, createLaneForAddress(address));
  await runTransaction(async (tx) => {
    await lockPersonRow(tx, userId);
    const where = { userId, tokenHash: hashToken(token), expiresAt: { gt: new Date() } };
    const { count } = await tx.passwordReset.deleteMany({ where });
    if (count === 0) throw createInvalidTokenError();
    await markEmailVerified(tx, userId);
    await replacePasswordHash(tx, { link: "passwordReset" }, { userId, passwordHash });
    await revokeOtherSessionsTokensAndEmailChange(tx, userId, keepSession);
    await appendAuditEntry(tx, buildAccountAuditEntry({ userId, requestId }, "account.resetPassword"));
  });
}

const createInvalidTokenError = () => new AppError("RESET_TOKEN_INVALID", "resetLinkInvalid");
