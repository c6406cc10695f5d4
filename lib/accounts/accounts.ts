import type { OperationCall } from "#lib/operation/operation.ts";
import { buildAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { AppError } from "#lib/operation/errors.ts";
import { issueDeviceCookie, findKnownDeviceId, unsealDeviceCookie } from "#lib/rate-limits/device-cookie.ts";
import {
  createPasswordHashingLaneForIp,
  createPasswordHashingLaneForDevice,
  type PasswordHashingLane,
} from "#lib/accounts/hash-pool.ts";
import { findRecordIfPasswordMatches } from "#lib/accounts/passwords.ts";
import { USER_COLUMNS, toUser, type User } from "#lib/accounts/schema.ts";
import { revokeSession, createSession, type CookieToSet } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";
import { recordDeviceAndMailIfNew } from "#lib/accounts/devices.ts";
import { consumeSecondFactorCode, type SecondFactorCodeResult } from "#lib/accounts/second-factors.ts";
import {
  buildAccountIpPasswordAttemptCounterKey,
  buildDevicePasswordAttemptCounterKey,
  delayNextPasswordAttempt,
  clearFailedPasswordAttempts,
  countPasswordAttemptAndWait,
  uncountPasswordAttempt,
  type CountedPasswordAttempt,
} from "#lib/accounts/sign-in-delay.ts";
import {
  buildWrongCodeLimitKey,
  consumeWrongCodeLimit,
  assertWrongCodeLimitLeft,
} from "#lib/accounts/wrong-codes.ts";
import { consumeCallLimit } from "#lib/rate-limits/rate-limits.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";

type SignInInput = {
  email: string;
  password: string;
  /** A code from the authenticator app, or a recovery code. */
  code?: string | undefined;
};

/**
 * Signs in. An unknown email address and a wrong password get the same response after the same work. Failures slow down
 * further attempts per account and IP address, or per device where the device has signed in to the account before; the
 * delay comes before the password is checked (contract 4.2). Only a caller with the correct password learns whether the
 * account has a second factor.
 * @returns the cookies of the session and of the device, in this order
 * @throws AppError INVALID_CREDENTIALS, SECOND_FACTOR_NEEDED, SECOND_FACTOR_INVALID, RATE_LIMITED, SERVICE_UNAVAILABLE
 */
export async function signIn(
  input: SignInInput,
  call: Pick<OperationCall, "requestId" | "address" | "userAgent" | "device">,
): Promise<{ user: User; cookies: CookieToSet[] }> {
  const devices = await unsealDeviceCookie(call.device);
  const device = await findKnownDeviceId(devices, input.email);
  if (devices.length > 0 && !device) await consumeCallLimit("login", { userId: null, address: call.address });
  const counter = device
    ? buildDevicePasswordAttemptCounterKey(device)
    : buildAccountIpPasswordAttemptCounterKey(input.email, call.address);
  const attempt = await countPasswordAttemptAndWait(counter, input.password);
  const lane = device
    ? createPasswordHashingLaneForDevice(device)
    : createPasswordHashingLaneForIp(call.address);
  const account = await findAccount(input, lane).catch(async (error: unknown) => {
    await uncountPasswordAttempt(attempt);
    throw error;
  });
  if (!account || account.disabledAt) {
    await delayNextPasswordAttempt(attempt);
    findProcessMetrics()?.refusedSignIns.inc({ reason: "credentials" });
    throw new AppError("INVALID_CREDENTIALS", "wrongCredentials");
  }
  const codeLimitKey = buildWrongCodeLimitKey(account.id, device ? counter : null);
  const factor = await requireSecondFactor(account.id, input.code, { attempt, codes: codeLimitKey });
  await clearFailedPasswordAttempts(attempt);
  const cookie = await openSession(account.id, call, { withRecoveryCode: factor === "recoveryCode" });
  return { user: toUser(account), cookies: [cookie, await issueDeviceCookie(devices, account)] };
}

/** Creates the session of a sign-in, with its audit entry; the use of a recovery code is mailed to the account. */
const openSession = (
  userId: string,
  { userAgent, requestId }: Pick<OperationCall, "requestId" | "userAgent">,
  { withRecoveryCode }: { withRecoveryCode: boolean },
): Promise<CookieToSet> =>
  runTransaction(async (tx) => {
    const session = await createSession(tx, userId, userAgent);
    await recordDeviceAndMailIfNew(tx, userId, userAgent);
    if (withRecoveryCode) await enqueueJob(tx, "mail.notice", { userId, kind: "recoveryCodeUsed" });
    await appendAuditEntry(tx, buildAccountAuditEntry({ userId, requestId }, "account.signIn"));
    return session;
  });

const findAccount = ({ email, password }: SignInInput, lane: PasswordHashingLane) =>
  findRecordIfPasswordMatches(
    password,
    () =>
      prisma.user.findUnique({
        where: { email },
        select: { ...USER_COLUMNS, passwordHash: true, disabledAt: true },
      }),
    lane,
  );

/** A correct password without a code is neither a failure nor a success: the count of failures stays unchanged. */
async function requireSecondFactor(
  userId: string,
  code: string | undefined,
  { attempt, codes: codeLimitKey }: { attempt: CountedPasswordAttempt; codes: string },
): Promise<SecondFactorCodeResult> {
  if (code) await assertWrongCodeLimitLeft(codeLimitKey);
  const use = await consumeSecondFactorCode(prisma, userId, code);
  if (use === "missing") {
    await uncountPasswordAttempt(attempt);
    throw new AppError("SECOND_FACTOR_NEEDED", "secondFactorNeeded");
  }
  if (use === "wrong") {
    await delayNextPasswordAttempt(attempt);
    findProcessMetrics()?.refusedSignIns.inc({ reason: "second-factor" });
    await consumeWrongCodeLimit(codeLimitKey);
    throw new AppError("SECOND_FACTOR_INVALID", "secondFactorWrong");
  }
  return use;
}

/** Signs out: revokes the actor's session, so a copy of its cookie stops working too. */
export async function signOut({ id, sessionId }: Actor, requestId: string): Promise<void> {
  await runTransaction(async (tx) => {
    await revokeSession(tx, sessionId);
    await appendAuditEntry(tx, buildAccountAuditEntry({ userId: id, requestId }, "account.signOut"));
  });
}

/** Returns whether no account uses this address. */
export const isEmailAvailable = async (email: string): Promise<boolean> =>
  (await prisma.user.count({ where: { email } })) === 0;

/** Returns whether no one has registered yet. The next person to register then becomes SystemAdmin. */
export const isFirstAccountMissing = async (): Promise<boolean> =>
  (await prisma.installationMetadata.findUnique({
    where: { key: "firstAdministrator" },
    select: { key: true },
  })) === null;
