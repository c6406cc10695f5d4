import { setTimeout as sleep } from "node:timers/promises";
import { memoryHash, sharedHash } from "#lib/crypto/keyed-hash.ts";
import { addressBucket } from "#lib/rate-limits/rate-limits.ts";
import { db } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";

/**
 * Failed sign-ins per account and address: the first three are free, then 0.5 s, 1 s, 2 s … to 30 s (contract 4.2). An
 * attempt is counted before the password is looked at, so that many at once don't slip through; success takes it back.
 * After 15 quiet minutes all is forgotten.
 *
 * Nothing is ever locked. Whoever is refused is told when to come back, and that is kept (`sign_in_retries`): the same
 * password is looked at from then on, whatever others tried meanwhile (docs/decisions/030).
 */

/** Waits up to this many seconds are held; in production mode a longer one is answered with 429. */
const MAX_IN_REQUEST_DELAY_SECONDS = 2;

/** Seconds that an attempt waits after so many failures. */
const computeDelaySeconds = (failures: number): number =>
  failures < 3 ? 0 : Math.min(30, 0.5 * 2 ** Math.min(failures - 3, 10));

/** The number of failures from which on the wait is too long to hold. */
const MIN_REFUSED_FAILURES = 6;

/** Whose failures count together. */
export type AttemptCounter = { key: string; retriesByPassword: boolean };

/** By account and address together: whoever guesses from one place doesn't keep the owner out from another. */
export const counterForAddress = (email: string, address: string): AttemptCounter =>
  createCounter(`${email}|${addressBucket(address)}`, true);

/** A device that signed in to the account before: nobody else can use its counter up. */
export const counterForDevice = (deviceId: string): AttemptCounter =>
  createCounter(`device|${deviceId}`, true);

/** Who holds the session alone adds to it, so that nothing has to be kept free for others. */
export const counterForSession = (sessionId: string): AttemptCounter =>
  createCounter(`session|${sessionId}`, false);

const createCounter = (name: string, retriesByPassword: boolean): AttemptCounter => ({
  key: sharedHash("sign-in-delay", name),
  retriesByPassword,
});

/** An attempt that may be made now, and has been counted. */
export type Attempt = { key: string; retry: string; failuresBefore: number; reservedUntil: string };

/** Waits as long as earlier failures ask for. @throws AppError RATE_LIMITED with Retry-After (production mode). */
export async function reserveAttempt(attemptCounter: AttemptCounter, password: string): Promise<Attempt> {
  const retry = attemptCounter.retriesByPassword
    ? memoryHash("sign-in-retry", `${attemptCounter.key}|${password}`).slice(0, 3)
    : "";
  const attemptKey = { key: attemptCounter.key, retry };
  const reservation = (await tryReserveAttempt(attemptCounter.key)) ?? (await consumeRetry(attemptKey));
  if (!reservation) throw await scheduleRetry(attemptKey);
  const delaySeconds = reservation.atOnce ? 0 : computeDelaySeconds(reservation.failuresBefore);
  if (delaySeconds <= MAX_IN_REQUEST_DELAY_SECONDS) await sleep(delaySeconds * 1000);
  else if (!env().production) await sleep(MAX_IN_REQUEST_DELAY_SECONDS * 1000);
  return { ...attemptKey, ...reservation };
}

type AttemptKey = Pick<Attempt, "key" | "retry">;
type Reservation = Pick<Attempt, "failuresBefore" | "reservedUntil"> & { atOnce?: true };

/** Undefined when the time for the next attempt has not come (production mode); that moves it no further away. */
async function tryReserveAttempt(key: string): Promise<Reservation | undefined> {
  const [row] = await db.$queryRaw<Reservation[]>`
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

/** Uses a retry whose time has come, each once. */
async function consumeRetry({ key, retry }: AttemptKey): Promise<Reservation | undefined> {
  const [row] = await db.$queryRaw<Reservation[]>`
    with used as (
      delete from sign_in_retries where key = ${key} and name = ${retry} and allowed_at <= now() returning key
    )
    update sign_in_delays d set failures = failures + 1, updated_at = now() from used where d.key = used.key
    returning failures - 1 as "failuresBefore", next_allowed::text as "reservedUntil"`;
  return row && { ...row, atOnce: true };
}

/** Keeps the first promise: asking again moves it no further away. */
async function scheduleRetry({ key, retry }: AttemptKey): Promise<AppError> {
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    insert into sign_in_retries as r (key, name, allowed_at)
    select key, ${retry}, next_allowed from sign_in_delays where key = ${key}
    on conflict (key, name) do update set allowed_at = r.allowed_at
    returning greatest(1, ceil(extract(epoch from allowed_at - now())))::int as seconds`;
  const seconds = row?.seconds ?? 1;
  return new AppError("RATE_LIMITED", "Too many failed attempts.", `Try again in ${seconds} seconds.`, {
    "Retry-After": String(seconds),
  });
}

/** The wait for the next attempt begins when this one is known to be wrong. */
export async function recordFailedAttempt({ key }: Attempt): Promise<void> {
  await db.$executeRaw`
    update sign_in_delays set next_allowed = greatest(next_allowed, now() + make_interval(secs => case
      when failures < 3 then 0 else least(30, 0.5 * power(2, least(failures - 3, 10))) end))
    where key = ${key}`;
}

/**
 * Takes one attempt back that was neither right nor wrong, such as one that was turned away, or a right password without
 * its second factor. The same password may come again at once.
 */
export async function releaseAttempt({ key, retry, failuresBefore, reservedUntil }: Attempt): Promise<void> {
  await db.$executeRaw`
    with taken as (
      update sign_in_delays set failures = greatest(0, failures - 1),
        next_allowed = case when next_allowed = ${reservedUntil}::timestamptz then least(next_allowed, now()) else next_allowed end
      where key = ${key} returning key
    )
    insert into sign_in_retries (key, name, allowed_at)
    select key, ${retry}, now() from taken where ${failuresBefore}::int >= ${MIN_REFUSED_FAILURES}::int
    on conflict (key, name) do update set allowed_at = excluded.allowed_at`;
}

/** A successful sign-in forgets the failures that count together with it, and what was promised to them. */
export async function clearFailedAttempts({ key }: Attempt): Promise<void> {
  await db.signInDelay.deleteMany({ where: { key } });
}
