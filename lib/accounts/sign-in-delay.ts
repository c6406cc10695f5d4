import { setTimeout as sleep } from "node:timers/promises";
import { computeHashWithKeyNotOnDisk, computeSessionKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { toAddressBucket } from "#lib/rate-limits/addresses.ts";
import { sql, type Tx } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";

/**
 * Delays after failed sign-ins, per account and IP address: the first three failures are free, then 0.5 s, 1 s, 2 s …
 * up to 30 s (contract 4.2). An attempt is counted before its password is checked, so that many at once don't slip
 * through; a success clears the count, and so do 15 minutes without a failure.
 * An account is never locked. A refused attempt gets a time to retry, which is stored (`sign_in_retries`): from then
 * on the same password is checked, whatever others have tried in the meantime (docs/decisions/030).
 */

/** Delays up to this many seconds happen within the request; in production mode a longer one gets a 429. */
const MAX_IN_REQUEST_DELAY_SECONDS = 2;

/** Seconds that an attempt is delayed after so many failures. */
const computeDelaySeconds = (failures: number): number =>
  failures < 3 ? 0 : Math.min(30, 0.5 * 2 ** Math.min(failures - 3, 10));

/** From this number of failures on, the delay is too long to wait within the request. */
const MIN_REFUSED_FAILURES = 6;

/** Attempts with the same key count together. `retriesByPassword`: whether each refused password gets its own retry. */
export type PasswordAttemptCounterKey = { key: string; retriesByPassword: boolean };

/** Builds the key by account and IP address together: guessing from one place doesn't lock the owner out in another. */
export const buildAccountIpPasswordAttemptCounterKey = (
  email: string,
  address: string,
): PasswordAttemptCounterKey => createCounter(`${email}|${toAddressBucket(address)}`, true);

/** Builds the key of a device that signed in to the account before: no one else can use up its counter. */
export const buildDevicePasswordAttemptCounterKey = (deviceId: string): PasswordAttemptCounterKey =>
  createCounter(`device|${deviceId}`, true);

/**
 * Builds the key of one session, for second-factor codes too. Only the session's holder adds attempts, so all passwords
 * and codes share one retry.
 */
export const buildSessionPasswordAttemptCounterKey = (sessionId: string): PasswordAttemptCounterKey =>
  createCounter(`session|${sessionId}`, false);

const createCounter = (name: string, retriesByPassword: boolean): PasswordAttemptCounterKey => ({
  key: computeSessionKeyedHash("sign-in-delay", name),
  retriesByPassword,
});

/**
 * Builds the key under which wrong codes of a second factor count toward the limit `wrong-code`, from all addresses:
 * anyone who tries codes has the password already. A device that signed in before and a session have counts of their
 * own, so that someone who only found out the password can't lock out the owner.
 * @param counter the counter of the device or session, where there is one
 */
export const buildWrongCodeLimitKey = (userId: string, counter: PasswordAttemptCounterKey | null): string =>
  `${counter?.key ?? userId}|code`;

/** An attempt that is allowed now and has been counted. */
export type CountedPasswordAttempt = {
  key: string;
  retry: string;
  failuresBefore: number;
  reservedUntil: string;
};

/**
 * Counts an attempt and waits as long as earlier failures require.
 * @throws AppError RATE_LIMITED with Retry-After (production mode)
 */
export async function countPasswordAttemptAndWait(
  attemptCounter: PasswordAttemptCounterKey,
  password: string,
): Promise<CountedPasswordAttempt> {
  const retry = attemptCounter.retriesByPassword
    ? computeHashWithKeyNotOnDisk("sign-in-retry", `${attemptCounter.key}|${password}`).slice(0, 3)
    : "";
  const attemptKey = { key: attemptCounter.key, retry };
  const reservation = (await tryReserveAttempt(attemptCounter.key)) ?? (await consumeRetry(attemptKey));
  if (!reservation) throw await scheduleRetry(attemptKey);
  const delaySeconds = reservation.atOnce ? 0 : computeDelaySeconds(reservation.failuresBefore);
  if (delaySeconds <= MAX_IN_REQUEST_DELAY_SECONDS) await sleep(delaySeconds * 1000);
  else if (!env().production) await sleep(MAX_IN_REQUEST_DELAY_SECONDS * 1000);
  return { ...attemptKey, ...reservation };
}

type AttemptKey = Pick<CountedPasswordAttempt, "key" | "retry">;
type Reservation = Pick<CountedPasswordAttempt, "failuresBefore" | "reservedUntil"> & { atOnce?: true };

/**
 * Returns undefined when the next attempt isn't due yet (production mode); a refused attempt doesn't extend the delay.
 */
async function tryReserveAttempt(key: string): Promise<Reservation | undefined> {
  const [row] = await sql.$queryRaw<Reservation[]>`
    insert into sign_in_delays as d (key, failures, next_allowed, updated_at) values (${key}, 1, now(), now())
    on conflict (key) do update set
      failures = case when d.updated_at < now() - interval '15 minutes' then 1 else d.failures + 1 end,
      next_allowed = now() + make_interval(secs => case
        when d.failures < 2 or d.updated_at < now() - interval '15 minutes' then 0
        else least(30, 0.5 * power(2, least(d.failures - 2, 10))) end),
      updated_at = now()
    where ${!env().production}::boolean or d.failures < ${MIN_REFUSED_FAILURES}::int or d.next_allowed <= now()
      or d.updated_at < now() - interval '15 minutes'
    returning failures - 1 as "failuresBefore", next_allowed::text as "reservedUntil"`;
  return row;
}

/** Uses a retry that is due; each can be used once. */
async function consumeRetry({ key, retry }: AttemptKey): Promise<Reservation | undefined> {
  const [row] = await sql.$queryRaw<Reservation[]>`
    with used_retry as (
      delete from sign_in_retries where key = ${key} and name = ${retry} and allowed_at <= now() returning key
    )
    update sign_in_delays d set failures = failures + 1, updated_at = now() from used_retry r where d.key = r.key
    returning failures - 1 as "failuresBefore", next_allowed::text as "reservedUntil"`;
  return row && { ...row, atOnce: true };
}

/** Keeps the first scheduled time: further attempts don't postpone it. */
async function scheduleRetry({ key, retry }: AttemptKey): Promise<AppError> {
  const [row] = await sql.$queryRaw<{ seconds: number }[]>`
    insert into sign_in_retries as r (key, name, allowed_at)
    select key, ${retry}, next_allowed from sign_in_delays where key = ${key}
    on conflict (key, name) do update set allowed_at = r.allowed_at
    returning greatest(1, ceil(extract(epoch from allowed_at - now())))::int as seconds`;
  const seconds = row?.seconds ?? 1;
  const headers = { "Retry-After": String(seconds) };
  return new AppError("RATE_LIMITED", "tooManyFailedAttempts", { seconds }, { headers });
}

/** Starts the delay before the next attempt, now that this one is known to be wrong. */
export async function delayNextPasswordAttempt({ key }: CountedPasswordAttempt): Promise<void> {
  await sql.$executeRaw`
    update sign_in_delays set next_allowed = greatest(next_allowed, now() + make_interval(secs => case
      when failures < 3 then 0 else least(30, 0.5 * power(2, least(failures - 3, 10))) end))
    where key = ${key}`;
}

/**
 * Removes an attempt from the count when it was neither a wrong password or code nor a successful sign-in: the service
 * was too busy to check it, the password was correct and the second factor missing, or a person confirmed an action
 * with a correct password or code. The same password may be tried again at once.
 */
export async function uncountPasswordAttempt({
  key,
  retry,
  failuresBefore,
  reservedUntil,
}: CountedPasswordAttempt): Promise<void> {
  await sql.$executeRaw`
    with released as (
      update sign_in_delays set failures = greatest(0, failures - 1),
        next_allowed = case when next_allowed = ${reservedUntil}::timestamptz then least(next_allowed, now()) else next_allowed end
      where key = ${key} returning key
    )
    insert into sign_in_retries (key, name, allowed_at)
    select key, ${retry}, now() from released where ${failuresBefore}::int >= ${MIN_REFUSED_FAILURES}::int
    on conflict (key, name) do update set allowed_at = excluded.allowed_at`;
}

/** Deletes the counter that a successful sign-in used: its failures, and the retries scheduled for it. */
export async function clearFailedPasswordAttempts(tx: Tx, { key }: CountedPasswordAttempt): Promise<void> {
  await tx.signInDelay.deleteMany({ where: { key } });
}
