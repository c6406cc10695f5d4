import type { OperationCall } from "#lib/operation/operation.ts";
import { buildAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { AppError } from "#lib/operation/errors.ts";
import { issueDeviceCookie, findKnownDeviceId, unsealDeviceCookie } from "#lib/rate-limits/device-cookie.ts";
import { createPasswordHashingLaneForDevice } from "#lib/accounts/hash-pool.ts";
import { type Lane } from "#lib/fair-queue.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { findRecordIfPasswordMatches } from "#lib/accounts/passwords.ts";
import { USER_COLUMNS, toUser, type User } from "#lib/accounts/schema.ts";
import { revokeSession, createSession, type CookieToSet } from "#lib/accounts/sessions.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";
import { recordDeviceAndMailIfNew } from "#lib/accounts/devices.ts";
import { lockPersonRowIfPasswordUnchanged } from "#lib/accounts/person-lock.ts";
import { consumeSecondFactorCode, type SecondFactorCodeResult } from "#lib/accounts/second-factors.ts";
import {
  buildAccountIpPasswordAttemptCounterKey,
  buildDevicePasswordAttemptCounterKey,
  buildWrongCodeLimitKey,
  delayNextPasswordAttempt,
  clearFailedPasswordAttempts,
  countPasswordAttemptAndWait,
  uncountPasswordAttempt,
  type CountedPasswordAttempt,
} from "#lib/accounts/sign-in-delay.ts";
import { assertLimitLeft, consumeLimit } from "#lib/rate-limits/rate-limits.ts";
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
  if (devices.length > 0 && !device) await consumeLimit("login", call.address);
  const counter = device
    ? buildDevicePasswordAttemptCounterKey(device)
    : buildAccountIpPasswordAttemptCounterKey(input.email, call.address);
  const attempt = await countPasswordAttemptAndWait(counter, input.password);
  const lane = device ? createPasswordHashingLaneForDevice(device) : createLaneForAddress(call.address);
  const account = await findAccount(input, lane).catch(async (error: unknown) => {
    await uncountPasswordAttempt(attempt);
    throw error;
  });
  if (!account || account.disabledAt) return refuseCredentials(attempt);
  const codeLimitKey = buildWrongCodeLimitKey(account.id, device ? counter : null);
  if (input.code) await assertLimitLeft("wrong-code", codeLimitKey);
  const cookie = await openSession(account, input.code, { ...call, attempt }).catch((error: unknown) =>
    refuseSession(error, { attempt, codeLimitKey }),
  );
  return { user: toUser(account), cookies: [cookie, await issueDeviceCookie(devices, account)] };
}

async function refuseCredentials(attempt: CountedPasswordAttempt): Promise<never> {
  await delayNextPasswordAttempt(attempt);
  findProcessMetrics()?.refusedSignIns.inc({ reason: "credentials" });
  throw new AppError("INVALID_CREDENTIALS", "wrongCredentials");
}

/** Thrown in the transaction of a sign-in, which writes nothing then. */
class SignInRefusal extends Error {
  readonly reason: "credentials" | Extract<SecondFactorCodeResult, "missing" | "wrong">;

  constructor(reason: SignInRefusal["reason"]) {
    super(reason);
    this.name = "SignInRefusal";
    this.reason = reason;
  }
}

type ComparedAccount = { id: string; email: string; passwordHash: string };
type SessionCall = Pick<OperationCall, "requestId" | "userAgent"> & { attempt: CountedPasswordAttempt };

/**
 * Creates the session of a sign-in, with its audit entry, and uses up the code; the use of a recovery code is mailed to
 * the account. The password was compared before: whatever ends all sessions, such as a new password, waits for this
 * transaction or is noticed by it.
 * @throws SignInRefusal
 */
const openSession = (
  { id: userId, email, passwordHash }: ComparedAccount,
  code: string | undefined,
  { userAgent, requestId, attempt }: SessionCall,
): Promise<CookieToSet> =>
  runTransaction(async (tx) => {
    if ((await lockPersonRowIfPasswordUnchanged(tx, userId, passwordHash)) !== email)
      throw new SignInRefusal("credentials");
    const factor = await consumeSecondFactorCode(tx, userId, code);
    if (factor === "missing" || factor === "wrong") throw new SignInRefusal(factor);
    const session = await createSession(tx, userId, userAgent);
    await recordDeviceAndMailIfNew(tx, userId, userAgent);
    if (factor === "recoveryCode") await enqueueJob(tx, "mail.notice", { userId, kind: "recoveryCodeUsed" });
    await clearFailedPasswordAttempts(tx, attempt);
    await appendAuditEntry(tx, buildAccountAuditEntry({ userId, requestId }, "account.signIn"));
    return session;
  });

/**
 * Counts a sign-in that opened no session. A correct password without a code is neither a failure nor a success: the
 * count of failures stays unchanged.
 */
async function refuseSession(
  failure: unknown,
  { attempt, codeLimitKey }: { attempt: CountedPasswordAttempt; codeLimitKey: string },
): Promise<never> {
  const reason = failure instanceof SignInRefusal ? failure.reason : null;
  if (reason === "credentials") return refuseCredentials(attempt);
  if (reason !== "wrong") {
    await uncountPasswordAttempt(attempt);
    throw reason === null ? failure : new AppError("SECOND_FACTOR_NEEDED", "secondFactorNeeded");
  }
  await delayNextPasswordAttempt(attempt);
  findProcessMetrics()?.refusedSignIns.inc({ reason: "second-factor" });
  await consumeLimit("wrong-code", codeLimitKey);
  throw new AppError("SECOND_FACTOR_INVALID", "secondFactorWrong");
}

const findAccount = ({ email, password }: SignInInput, lane: Lane) =>
  findRecordIfPasswordMatches(
    password,
    () =>
      prisma.user.findUnique({
        where: { email },
        select: { ...USER_COLUMNS, passwordHash: true, disabledAt: true },
      }),
    lane,
  );

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
