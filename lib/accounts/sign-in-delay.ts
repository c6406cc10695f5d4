import { setTimeout as sleep } from "node:timers/promises";
import { sharedHash } from "#lib/accounts/keyed-hash.ts";
import { addressBucket, countForAccount, refuseIfSpent } from "#lib/api/rate-limits.ts";
import { db } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/errors.ts";

/**
 * Failed sign-ins per account and address: the first three are free, then 0.5 s, 1 s, 2 s … to 30 s
 * (rulings R3). An attempt is counted before the password is looked at, so that many at once don't slip
 * through; success takes it back. Nothing is ever locked, and after 15 quiet minutes all is forgotten.
 */

/** Waits up to this many seconds are held; in production mode a longer one is answered with 429. */
const HELD_SECONDS = 2;

/** Seconds that an attempt waits after so many failures. */
const delayAfter = (failures: number): number =>
  failures < 3 ? 0 : Math.min(30, 0.5 * 2 ** Math.min(failures - 3, 10));

/** The number of failures from which on the wait is too long to hold. */
const REFUSED_FROM = 6;

/** Waits as long as earlier failures ask for. @throws AppError RATE_LIMITED with Retry-After (production mode). */
export async function reserveAttempt(email: string, address: string): Promise<void> {
  await refuseIfSpent("loginFailed", accountAt(email, address));
  const key = keyOf(email, address);
  const failures = await reserve(key);
  if (failures === undefined) throw await delayed(key);
  const wait = delayAfter(failures);
  if (wait <= HELD_SECONDS) await sleep(wait * 1000);
  else if (!env().production) await sleep(HELD_SECONDS * 1000);
}

/** Counts the attempt; gives the failures before it, or undefined when its time has not come (production mode). */
async function reserve(key: string): Promise<number | undefined> {
  const [row] = await db.$queryRaw<{ failures: number }[]>`
    insert into sign_in_delays as d (key, failures, next_allowed, updated_at) values (${key}, 1, now(), now())
    on conflict (key) do update set
      failures = case when d.updated_at < now() - interval '15 minutes' then 1 else d.failures + 1 end,
      next_allowed = now() + make_interval(secs => case
        when d.failures < 2 or d.updated_at < now() - interval '15 minutes' then 0
        else least(30, 0.5 * power(2, least(d.failures - 2, 10))) end),
      updated_at = now()
    where ${!env().production}::boolean or d.failures < ${REFUSED_FROM}::int or d.next_allowed <= now()
      or d.updated_at < now() - interval '15 minutes'
    returning failures`;
  return row && row.failures - 1;
}

/**
 * Counts a failure towards the limit per account (rulings R8), and lets the wait for the next attempt begin now.
 * @throws AppError RATE_LIMITED
 */
export async function countFailure(email: string, address: string): Promise<void> {
  await db.$executeRaw`
    update sign_in_delays set next_allowed = greatest(next_allowed, now() + make_interval(secs => case
      when failures < 3 then 0 else least(30, 0.5 * power(2, least(failures - 3, 10))) end))
    where key = ${keyOf(email, address)}`;
  await countForAccount("loginFailed", accountAt(email, address));
}

/** Takes one attempt back that was neither right nor wrong, such as a right password without its second factor. */
export async function takeAttemptBack(email: string, address: string): Promise<void> {
  await db.$executeRaw`
    update sign_in_delays set failures = greatest(0, failures - 1) where key = ${keyOf(email, address)}`;
}

/**
 * Wrong codes of a second factor count per account, wherever they come from: whoever tries them has the password
 * already, so nobody else can use the count up. @throws AppError RATE_LIMITED
 */
export const countWrongCode = (userId: string): Promise<void> =>
  countForAccount("loginFailed", codesOf(userId));

/** @throws AppError RATE_LIMITED when too many codes were wrong within the hour */
export const refuseIfCodesAreSpent = (userId: string): Promise<void> =>
  refuseIfSpent("loginFailed", codesOf(userId));

const codesOf = (userId: string) => `${userId}|code`;

/** A successful sign-in forgets the failures of this account from this address. */
export async function forgetFailures(email: string, address: string): Promise<void> {
  await db.signInDelay.deleteMany({ where: { key: keyOf(email, address) } });
}

async function delayed(key: string): Promise<AppError> {
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    select greatest(1, ceil(extract(epoch from next_allowed - now())))::int as seconds
    from sign_in_delays where key = ${key}`;
  const seconds = row?.seconds ?? 1;
  return new AppError("RATE_LIMITED", "Too many failed attempts.", `Try again in ${seconds} seconds.`, {
    "Retry-After": String(seconds),
  });
}

// By account and address together: whoever guesses from one place doesn't keep the owner out from another.
const accountAt = (email: string, address: string) => `${email}|${addressBucket(address)}`;

const keyOf = (email: string, address: string): string =>
  sharedHash("sign-in-delay", accountAt(email, address));
