import { settings } from "#lib/settings/settings.ts";
import type { Context } from "#lib/operation/operation.ts";
import { ownDeed } from "#lib/accounts/own-deed.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction, type Tx } from "#lib/database/client.ts";
import { AppError, InvalidInput, notFound } from "#lib/operation/errors.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { mustKnowPassword } from "#lib/accounts/own-password.ts";
import { newRecoveryCodes, recoveryCodeHash } from "#lib/accounts/recovery-codes.ts";
import {
  counterOfSession,
  countFailure,
  reserveAttempt,
  takeAttemptBack,
} from "#lib/accounts/sign-in-delay.ts";
import { codesOf, countWrongCode, refuseIfCodesAreSpent } from "#lib/accounts/wrong-codes.ts";
import { newTotpSecret, totpEnrolment, totpStep } from "#lib/accounts/totp.ts";
import { openText, sealText } from "#lib/crypto/sealed-text.ts";
import type { Actor, SessionActor, Subject } from "#lib/operation/policy.ts";
import type { Sql } from "#lib/database/sql.ts";

/**
 * The second factor: codes by time from an app, or a recovery code in their place. The secret is sealed with a
 * key made from the data key; it waits until the first code proves that the app has it.
 */

type Doing = Context<Subject, SessionActor>;

/**
 * Makes a secret that waits for its first code, in place of an earlier one that waits. It asks for the password: who
 * sits down at an open session must not shut its owner out with an app of their own.
 * @throws InvalidInput for a wrong password; AppError CONFLICT when there is a second factor already
 */
export async function beginSecondFactor(
  doing: Doing,
  password: string,
): Promise<{ secret: string; uri: string; qr: string }> {
  const { actor } = doing;
  await mustKnowPassword(doing, password, "password");
  const secret = newTotpSecret();
  const { name } = await settings();
  await transaction(async (tx) => {
    const written = await tx.$executeRaw`
      insert into second_factors (user_id, secret) values (${actor.id}::uuid, ${sealText(purposeOf(actor.id), secret)})
      on conflict (user_id) do update set secret = excluded.secret, created_at = now()
      where second_factors.confirmed_at is null`;
    if (written === 0)
      throw new AppError(
        "CONFLICT",
        "You have a second factor already.",
        "Turn it off before you set up another one.",
      );
    await audit(tx, ownDeed(doing, "account.beginSecondFactor"));
  });
  return { secret, ...(await totpEnrolment(secret, { issuer: name, email: actor.email })) };
}

/**
 * Turns the second factor on with the first code of the app. That code can't be used again.
 * @returns the recovery codes, which are never shown again
 * @throws InvalidInput for a wrong code; AppError CONFLICT when nothing waits
 */
export async function confirmSecondFactor(doing: Doing, code: string): Promise<string[]> {
  const userId = doing.actor.id;
  const [waiting] = await db.$queryRaw<{ secret: Uint8Array }[]>`
    select secret from second_factors where user_id = ${userId}::uuid and confirmed_at is null`;
  if (!waiting) throw nothingWaits();
  const step = totpStep(openText(purposeOf(userId), waiting.secret), plainDigits(code));
  if (step === null) throw new WrongCode();
  return transaction(async (tx) => {
    const confirmed = await tx.$executeRaw`
      update second_factors set confirmed_at = now(), last_step = ${step}::bigint
      where user_id = ${userId}::uuid and confirmed_at is null and secret = ${waiting.secret}`;
    if (confirmed === 0) throw nothingWaits();
    const codes = await replaceRecoveryCodes(tx, userId);
    await enqueue(tx, "mail.notice", { userId, kind: "secondFactorOn" });
    await audit(tx, ownDeed(doing, "account.confirmSecondFactor"));
    return codes;
  });
}

/**
 * Turns the second factor off. What an organization requires of its team is out of reach from then on.
 * @throws InvalidInput for a wrong password or code; AppError NOT_FOUND, RATE_LIMITED
 */
export async function removeSecondFactor(
  doing: Doing,
  { password, code }: { password: string; code: string },
): Promise<void> {
  const userId = doing.actor.id;
  await mustKnowPassword(doing, password, "password");
  await withCode(doing, () =>
    transaction(async (tx) => {
      if ((await mustHaveCode(tx, userId, code)) === "none") throw notFound("A second factor");
      await deleteSecondFactor(tx, doing.actor, userId);
      await enqueue(tx, "mail.notice", { userId, kind: "secondFactorOff" });
      await audit(tx, ownDeed(doing, "account.removeSecondFactor"));
    }),
  );
}

/**
 * Deletes the second factor of an account, with its recovery codes. The caller has checked the password and the code of
 * who does it.
 * @throws AppError NOT_FOUND when none is set up
 */
export async function deleteSecondFactor(tx: Tx, _by: SessionActor, userId: string): Promise<void> {
  const { count } = await tx.secondFactor.deleteMany({ where: { userId, confirmedAt: { not: null } } });
  if (count === 0) throw notFound("A second factor");
  await tx.recoveryCode.deleteMany({ where: { userId } });
}

/**
 * Makes a new set of recovery codes; the old ones stop working.
 * @throws InvalidInput for a wrong password; AppError NOT_FOUND without a second factor, RATE_LIMITED
 */
export async function renewRecoveryCodes(doing: Doing, password: string): Promise<string[]> {
  const userId = doing.actor.id;
  await mustKnowPassword(doing, password, "password");
  return transaction(async (tx) => {
    const held = await tx.$queryRaw<unknown[]>`
      select 1 from second_factors where user_id = ${userId}::uuid and confirmed_at is not null for update`;
    if (held.length === 0) throw notFound("A second factor");
    const codes = await replaceRecoveryCodes(tx, userId);
    await audit(tx, ownDeed(doing, "account.renewRecoveryCodes"));
    return codes;
  });
}

/** `none`: the account has no second factor. `missing`: it has, and no code came. */
export type FactorUse = "none" | "missing" | "wrong" | "code" | "recoveryCode";

/**
 * Uses up a code. Each works once, however many requests bring it at the same time: the statement that notes its
 * time step, or the use of the recovery code, settles which one it was.
 */
export async function spendCode(tx: Sql, userId: string, code: string | undefined): Promise<FactorUse> {
  const [factor] = await tx.$queryRaw<{ secret: Uint8Array }[]>`
    select secret from second_factors where user_id = ${userId}::uuid and confirmed_at is not null`;
  if (!factor) return "none";
  if (!code) return "missing";
  if (!/^\d{6}$/.test(plainDigits(code))) return spendRecoveryCode(tx, userId, code);
  const step = totpStep(openText(purposeOf(userId), factor.secret), plainDigits(code));
  if (step === null) return "wrong";
  const spent = await tx.$executeRaw`
    update second_factors set last_step = ${step}::bigint
    where user_id = ${userId}::uuid and confirmed_at is not null and (last_step is null or last_step < ${step}::bigint)`;
  return spent === 1 ? "code" : "wrong";
}

async function spendRecoveryCode(tx: Sql, userId: string, code: string): Promise<FactorUse> {
  const spent = await tx.$executeRaw`
    update recovery_codes set used_at = now()
    where user_id = ${userId}::uuid and code_hash = ${recoveryCodeHash(userId, code)} and used_at is null`;
  return spent === 1 ? "recoveryCode" : "wrong";
}

/** A code that isn't right, or was used before. */
class WrongCode extends InvalidInput {
  constructor() {
    super({ code: "is not right, or was used before; wait for the next one" });
    this.name = "WrongCode";
  }
}

/** @throws InvalidInput when the account has a second factor and the code isn't one of it */
export async function mustHaveCode(tx: Sql, userId: string, code: string | undefined): Promise<FactorUse> {
  const use = await spendCode(tx, userId, code);
  if (use === "missing") throw new InvalidInput({ code: "is missing" });
  if (use === "wrong") throw new WrongCode();
  return use;
}

/** Runs what asks for a code of who is signed in; wrong ones count as failed attempts. @throws AppError RATE_LIMITED */
export async function withCode<T>({ actor }: Context<Subject, Actor>, work: () => Promise<T>): Promise<T> {
  const counter = counterOfSession(actor.sessionId);
  const codes = codesOf(actor.id, counter);
  await refuseIfCodesAreSpent(codes);
  const attempt = await reserveAttempt(counter, "");
  const ended = await work().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if ("error" in ended && ended.error instanceof WrongCode) {
    await countFailure(attempt);
    await countWrongCode(codes);
  } else await takeAttemptBack(attempt);
  if ("error" in ended) throw ended.error;
  return ended.result;
}

async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tx.recoveryCode.deleteMany({ where: { userId } });
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({ userId, codeHash: recoveryCodeHash(userId, code) })),
  });
  return codes;
}

/** Bound to the account, so that a row copied to another one doesn't open. */
const purposeOf = (userId: string) => `second-factor:${userId}`;

/** Apps show the six digits in groups. */
const plainDigits = (code: string) => code.replace(/\s/g, "");

const nothingWaits = () =>
  new AppError("CONFLICT", "No second factor waits for a code.", "Begin to set one up, then send its code.");
