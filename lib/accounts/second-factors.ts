import { lockRows } from "#lib/database/row-lock.ts";
import { loadSystemSettings } from "#lib/settings/settings.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { buildOwnAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, InvalidInputError, createNotFoundError } from "#lib/operation/errors.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { generateRecoveryCodes, hashRecoveryCode } from "#lib/accounts/recovery-codes.ts";
import {
  buildSessionPasswordAttemptCounterKey,
  buildWrongCodeLimitKey,
  delayNextPasswordAttempt,
  countPasswordAttemptAndWait,
  uncountPasswordAttempt,
} from "#lib/accounts/sign-in-delay.ts";
import { assertLimitLeft, consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { generateTotpSecret, buildTotpUriAndQrCode, findTotpStep } from "#lib/accounts/totp.ts";
import { unsealText, sealText } from "#lib/crypto/sealed-text.ts";
import type { Actor, SessionActor, PermissionSubject } from "#lib/operation/policy.ts";

/**
 * The second factor: time-based codes from an app, or a recovery code instead. The secret is sealed with a key
 * derived from the data key; the factor is pending until the first code proves that the app has the secret.
 */

type SessionContext = OperationContext<PermissionSubject, SessionActor>;

/**
 * Creates a pending secret, replacing an earlier pending one. Requires the password: someone at an unlocked session
 * must not lock out its owner with an app of their own.
 * @throws InvalidInputError for a wrong password; AppError CONFLICT when the account has a second factor already
 */
export async function beginSecondFactor(
  context: SessionContext,
  password: string,
): Promise<{ secret: string; uri: string; qr: string }> {
  const { actor } = context;
  await verifyCurrentPassword(context, password);
  const secret = generateTotpSecret();
  const { name } = await loadSystemSettings();
  await runTransaction(async (tx) => {
    await storePendingSecret(tx, actor.id, sealText(sealPurpose(actor.id), secret));
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.beginSecondFactor"));
  });
  return { secret, ...(await buildTotpUriAndQrCode(secret, { issuer: name, email: actor.email })) };
}

/**
 * Turns the second factor on with the first code of the app, which can't be used again.
 * @returns the recovery codes, which are never shown again
 * @throws InvalidInputError for a wrong code; AppError CONFLICT when no second factor is pending
 */
export async function confirmSecondFactor(context: SessionContext, code: string): Promise<string[]> {
  const userId = context.actor.id;
  const where = { userId, confirmedAt: null };
  const pendingFactor = await prisma.secondFactor.findFirst({ where, select: { secret: true } });
  if (!pendingFactor) throw createNoPendingFactorError();
  const step = findTotpStep(unsealText(sealPurpose(userId), pendingFactor.secret), stripSpaces(code));
  if (step === null) throw new WrongCodeError();
  return runTransaction(async (tx) => {
    const { count } = await tx.secondFactor.updateMany({
      where: { ...where, secret: pendingFactor.secret },
      data: { confirmedAt: new Date(), lastStep: step },
    });
    if (count === 0) throw createNoPendingFactorError();
    const codes = await replaceRecoveryCodes(tx, userId);
    await enqueueJob(tx, "mail.notice", { userId, kind: "secondFactorOn" });
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.confirmSecondFactor"));
    return codes;
  });
}

/**
 * Turns the second factor off. Roles in organizations that require one are withheld from then on.
 * @throws InvalidInputError for a wrong password or code; AppError NOT_FOUND, RATE_LIMITED
 */
export async function removeSecondFactor(
  context: SessionContext,
  { currentPassword, code }: { currentPassword: string; code: string },
): Promise<void> {
  const userId = context.actor.id;
  await verifyCurrentPassword(context, currentPassword);
  await runWithSecondFactorCodeLimit(context, () =>
    runTransaction(async (tx) => {
      if ((await consumeRequiredSecondFactorCode(tx, userId, code)) === "none")
        throw createNotFoundError("secondFactor");
      await deleteSecondFactorRecords(tx, context.actor, userId);
      await enqueueJob(tx, "mail.notice", { userId, kind: "secondFactorOff" });
      await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.removeSecondFactor"));
    }),
  );
}

/**
 * Deletes the second factor of an account with its recovery codes. The caller has checked the password and code
 * of the actor.
 * @throws AppError NOT_FOUND when none is set up
 */
export async function deleteSecondFactorRecords(tx: Tx, _by: SessionActor, userId: string): Promise<void> {
  const { count } = await tx.secondFactor.deleteMany({ where: { userId, confirmedAt: { not: null } } });
  if (count === 0) throw createNotFoundError("secondFactor");
  await tx.recoveryCode.deleteMany({ where: { userId } });
}

/**
 * Creates a new set of recovery codes; the old ones stop working.
 * @throws InvalidInputError for a wrong password; AppError NOT_FOUND without a second factor, RATE_LIMITED
 */
export async function renewRecoveryCodes(context: SessionContext, password: string): Promise<string[]> {
  const userId = context.actor.id;
  await verifyCurrentPassword(context, password);
  return runTransaction(async (tx) => {
    const [factor] = await lockRows(tx, { table: "second_factors", where: { userId } }, ["confirmedAt"]);
    if (!factor?.confirmedAt) throw createNotFoundError("secondFactor");
    const codes = await replaceRecoveryCodes(tx, userId);
    await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.renewRecoveryCodes"));
    return codes;
  });
}

/** Replaces a pending secret. @throws AppError CONFLICT when the account has a second factor already */
async function storePendingSecret(tx: Tx, userId: string, secret: Uint8Array<ArrayBuffer>): Promise<void> {
  const created = await tx.secondFactor.createMany({ data: { userId, secret }, skipDuplicates: true });
  if (created.count > 0) return;
  const { count } = await tx.secondFactor.updateMany({
    where: { userId, confirmedAt: null },
    data: { secret, createdAt: new Date() },
  });
  if (count === 0) throw new AppError("CONFLICT", "secondFactorAlreadyOn");
}

/** `none`: the account has no second factor. `missing`: it has one, but no code was given. */
export type SecondFactorCodeResult = "none" | "missing" | "wrong" | "code" | "recoveryCode";

/**
 * Uses up a code. Each code works once, however many requests send it at the same time: the statement that records
 * its time step, or the use of the recovery code, decides which request succeeds.
 */
export async function consumeSecondFactorCode(
  tx: Tx,
  userId: string,
  code: string | undefined,
): Promise<SecondFactorCodeResult> {
  const where = { userId, confirmedAt: { not: null } };
  const factor = await tx.secondFactor.findFirst({ where, select: { secret: true } });
  if (!factor) return "none";
  if (!code) return "missing";
  if (!/^\d{6}$/.test(stripSpaces(code))) return consumeRecoveryCode(tx, userId, code);
  const step = findTotpStep(unsealText(sealPurpose(userId), factor.secret), stripSpaces(code));
  if (step === null) return "wrong";
  const { count } = await tx.secondFactor.updateMany({
    where: { ...where, OR: [{ lastStep: null }, { lastStep: { lt: step } }] },
    data: { lastStep: step },
  });
  return count === 1 ? "code" : "wrong";
}

async function consumeRecoveryCode(tx: Tx, userId: string, code: string): Promise<SecondFactorCodeResult> {
  const { count } = await tx.recoveryCode.updateMany({
    where: { userId, codeHash: hashRecoveryCode(userId, code), usedAt: null },
    data: { usedAt: new Date() },
  });
  return count === 1 ? "recoveryCode" : "wrong";
}

/** A code that is wrong or was used before. */
class WrongCodeError extends InvalidInputError {
  constructor() {
    super({ code: createFieldProblem("wrongCode") });
    this.name = "WrongCodeError";
  }
}

/**
 * Uses up a code where the account has a second factor.
 * @throws InvalidInputError when the account has a second factor and the code is missing or wrong
 */
export async function consumeRequiredSecondFactorCode(
  tx: Tx,
  userId: string,
  code: string | undefined,
): Promise<SecondFactorCodeResult> {
  const use = await consumeSecondFactorCode(tx, userId, code);
  if (use === "missing") throw new InvalidInputError({ code: createFieldProblem("missing") });
  if (use === "wrong") throw new WrongCodeError();
  return use;
}

/**
 * Runs work that requires a code of the current user; wrong codes count as failed attempts.
 * @throws AppError RATE_LIMITED
 */
export async function runWithSecondFactorCodeLimit<T>(
  { actor }: OperationContext<PermissionSubject, Actor>,
  work: () => Promise<T>,
): Promise<T> {
  const counter = buildSessionPasswordAttemptCounterKey(actor.sessionId);
  const codes = buildWrongCodeLimitKey(actor.id, counter);
  await assertLimitLeft("wrong-code", codes);
  const attempt = await countPasswordAttemptAndWait(counter, "");
  const outcome = await work().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome && outcome.error instanceof WrongCodeError) {
    await delayNextPasswordAttempt(attempt);
    await consumeLimit("wrong-code", codes);
  } else await uncountPasswordAttempt(attempt);
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = generateRecoveryCodes();
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({ userId, codeHash: hashRecoveryCode(userId, code) })),
  });
  return codes;
}

/** The purpose of sealing, bound to the account: a row copied to another account can't be opened. */
const sealPurpose = (userId: string) => `second-factor:${userId}`;

/** Apps show the six digits in groups. */
const stripSpaces = (code: string) => code.replace(/\s/g, "");

const createNoPendingFactorError = () => new AppError("CONFLICT", "secondFactorNotStarted");
