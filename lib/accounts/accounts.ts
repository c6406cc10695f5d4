import type { Call } from "#lib/operation/operation.ts";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction } from "#lib/database/client.ts";
import { AppError } from "#lib/operation/errors.ts";
import { deviceCookie, findKnownDevice, openDeviceCookie } from "#lib/rate-limits/device-cookie.ts";
import { laneOfAddress, laneOfDevice, type HashingLane } from "#lib/accounts/hash-pool.ts";
import { findByPassword } from "#lib/accounts/passwords.ts";
import { USER_COLUMNS, userOf, type User } from "#lib/accounts/schema.ts";
import { endSession, openSession, type SessionCookie } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { metrics } from "#lib/observability/metrics.ts";
import { noticeDevice } from "#lib/accounts/devices.ts";
import { spendCode, type FactorUse } from "#lib/accounts/second-factors.ts";
import {
  counterAt,
  counterOfDevice,
  countFailure,
  forgetFailures,
  reserveAttempt,
  takeAttemptBack,
  type Attempt,
} from "#lib/accounts/sign-in-delay.ts";
import { codesOf, countWrongCode, refuseIfCodesAreSpent } from "#lib/accounts/wrong-codes.ts";
import { countCall } from "#lib/rate-limits/rate-limits.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";

export type SignIn = {
  email: string;
  password: string;
  /** Of the second factor, or a recovery code. */
  code?: string | undefined;
};

/**
 * Signs in. Unknown addresses and wrong passwords get the same answer after the same work; failures are slowed down per
 * account and address, or by device where the account knows it, before the password is looked at (contract 4.2). Only
 * whoever has the password hears whether there is a second factor.
 * @returns the cookies of the session and of the device, in this order
 * @throws AppError INVALID_CREDENTIALS, SECOND_FACTOR_NEEDED, SECOND_FACTOR_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function signIn(
  given: SignIn,
  call: Pick<Call, "requestId" | "address" | "userAgent" | "device">,
): Promise<{ user: User; cookies: SessionCookie[] }> {
  const devices = await openDeviceCookie(call.device);
  const device = await findKnownDevice(devices, given.email);
  if (devices.length > 0 && !device) await countCall("login", { userId: null, address: call.address });
  const counter = device ? counterOfDevice(device) : counterAt(given.email, call.address);
  const attempt = await reserveAttempt(counter, given.password);
  const lane = device ? laneOfDevice(device) : laneOfAddress(call.address);
  const found = await findAccount(given, lane).catch(async (error: unknown) => {
    await takeAttemptBack(attempt);
    throw error;
  });
  if (!found || found.disabledAt) {
    await countFailure(attempt);
    metrics()?.refusedSignIns.inc({ reason: "credentials" });
    throw new AppError(
      "INVALID_CREDENTIALS",
      "The e-mail address or the password is wrong.",
      "Check both, or ask for a new password.",
    );
  }
  const codes = codesOf(found.id, device ? counter : null);
  const factor = await mustHaveFactor(found.id, given.code, { attempt, codes });
  await forgetFailures(attempt);
  const cookie = await transaction(async (tx) => {
    const opened = await openSession(tx, found.id, call.userAgent);
    await noticeDevice(tx, found.id, call.userAgent);
    if (factor === "recoveryCode")
      await enqueue(tx, "mail.notice", { userId: found.id, kind: "recoveryCodeUsed" });
    await audit(tx, {
      action: "account.signIn",
      actorId: found.id,
      right: "self",
      object: { type: "user", id: found.id },
      requestId: call.requestId,
    });
    return opened;
  });
  return { user: userOf(found), cookies: [cookie, await deviceCookie(devices, found)] };
}

const findAccount = ({ email, password }: SignIn, lane: HashingLane) =>
  findByPassword(
    password,
    () =>
      db.user.findUnique({
        where: { email },
        select: { ...USER_COLUMNS, passwordHash: true, disabledAt: true },
      }),
    lane,
  );

/** A right password without a code is no failure, and no success either: the count stays as it was. */
async function mustHaveFactor(
  userId: string,
  code: string | undefined,
  { attempt, codes }: { attempt: Attempt; codes: string },
): Promise<FactorUse> {
  if (code) await refuseIfCodesAreSpent(codes);
  const use = await spendCode(db, userId, code);
  if (use === "missing") {
    await takeAttemptBack(attempt);
    throw new AppError(
      "SECOND_FACTOR_NEEDED",
      "This account has a second factor.",
      "Send the code that your app shows, or a recovery code.",
    );
  }
  if (use === "wrong") {
    await countFailure(attempt);
    metrics()?.refusedSignIns.inc({ reason: "second-factor" });
    await countWrongCode(codes);
    throw new AppError(
      "SECOND_FACTOR_INVALID",
      "This code isn't right, or was used before.",
      "Wait for the next code of your app, or use another recovery code.",
    );
  }
  return use;
}

/** Signs out: the session that the actor came with ends; a copy of its cookie is worth nothing from here on. */
export async function signOut({ id, sessionId }: Actor, requestId: string): Promise<void> {
  await transaction(async (tx) => {
    await endSession(tx, sessionId);
    await audit(tx, {
      action: "account.signOut",
      actorId: id,
      right: "self",
      object: { type: "user", id },
      requestId,
    });
  });
}

/** Is no account using this address? */
export const emailAvailable = async (email: string): Promise<boolean> =>
  (await db.user.count({ where: { email } })) === 0;

/** Has nobody registered yet? Then the next one to do so becomes SystemAdmin. */
export const firstAccountMissing = async (): Promise<boolean> =>
  (await db.installationFact.findUnique({ where: { key: "firstAdministrator" }, select: { key: true } })) ===
  null;
