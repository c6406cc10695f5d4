import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { unsealDeviceCookie } from "#lib/rate-limits/device-cookie.ts";
import { computeSessionKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { getPrismaPool } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError, createUnavailableError } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";
import { processWide } from "#lib/process-wide.ts";
import { findProcessMetrics } from "#lib/observability/metrics.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { toAddressBucket } from "#lib/rate-limits/addresses.ts";
import { getLimit, type CallLimit, type Limit, type LimitName } from "#lib/rate-limits/limits.ts";
import { computePersonLimitRefusalMs, tryConsumePersonLimit } from "#lib/rate-limits/person-limits.ts";
import { waitForUnidentifiedReportTurn } from "#lib/rate-limits/report-lane.ts";
import {
  buildRateLimitHeaders,
  toWholeSecondsAtLeastOne,
  type RateLimitUsage,
} from "#lib/rate-limits/rate-limit-headers.ts";

/** Counts by the table of limits (limits.ts), in production mode (contract 3.13). */

/** A counted call: what its headers say, and how to take it off the count. */
type LimitUse = { usages: RateLimitUsage[]; refund: () => Promise<void> };
const NOT_COUNTED: LimitUse = { usages: [], refund: async () => {} };

/**
 * Counts toward a limit.
 * @param key an address, an id, or whatever else has the count; addresses of one network share theirs
 * @param amount calls, or bytes where the limit counts these
 * @throws AppError RATE_LIMITED with Retry-After in seconds; SERVICE_UNAVAILABLE when a limit of guesses can't be counted
 */
export async function consumeLimit(limitName: LimitName, key: string, amount = 1): Promise<LimitUse> {
  const limit = getLimit(limitName);
  const points = Math.ceil(amount / (limit.bytes ?? 1));
  if (!env().rateLimits || points === 0) return NOT_COUNTED;
  try {
    const { remaining, refund } = await countPoints(limitName, key, points);
    const usages = [toUsage(limit, remaining)];
    return { usages, refund: () => refund().catch(() => {}) };
  } catch (error) {
    if (error instanceof RateLimiterRes) throw createRateLimitError(error.msBeforeNext, limit);
    assertMayGoUncounted(limit);
    return NOT_COUNTED;
  }
}

/** Checks that a call remains, and counts nothing. @throws the same as `consumeLimit` */
export async function assertLimitLeft(limitName: "wrong-code" | "report", key: string): Promise<void> {
  if (!env().rateLimits) return;
  const limit = getLimit(limitName);
  const refusedForMs = await computeRefusalMs(limitName, key).catch(() => {
    assertMayGoUncounted(limit);
    return 0;
  });
  if (refusedForMs > 0) throw createRateLimitError(refusedForMs, limit);
}

type RateLimitedCaller = {
  userId: string | null;
  /** Whether a token makes the call. */
  byToken?: boolean;
  address: string;
  /** The raw cookie of a device that signed in before. */
  device?: string | null;
  /** Whether a page makes the call: its visitors may be about to report without an account. */
  byPage?: boolean;
  /** Whether the call may be a replay, which gets its response when no reports are left (docs/decisions/024). */
  mayBeReplay?: boolean;
};

/**
 * Counts a call. Reports are counted when they are filed; here, before the body is read, a person who has none left is
 * refused.
 * @returns the limits that it counts toward, for the headers of the response
 * @throws the same as `consumeLimit`
 */
export async function consumeCallLimit(
  callLimit: CallLimit,
  caller: RateLimitedCaller,
): Promise<RateLimitUsage[]> {
  if (callLimit === "none" || !env().rateLimits) return [];
  const { usages } = await consumeLimit(...(await findCallLimit(callLimit, caller)));
  if (callLimit !== "report" || caller.userId === null) return usages;
  if (!caller.mayBeReplay) await assertLimitLeft("report", caller.userId);
  return [...usages, toUsage(getLimit("report"))];
}

/**
 * Finds the limit of a call, and the key under which it counts. A device that signed in before counts separately, so
 * that others at its address don't use up its limit; if the account doesn't know the device, `signIn` also counts the
 * address.
 */
async function findCallLimit(
  callLimit: Exclude<CallLimit, "none">,
  { userId, byToken = false, address, device = null, byPage = false }: RateLimitedCaller,
): Promise<[LimitName, string]> {
  if (callLimit === "signIn") {
    const [known] = await unsealDeviceCookie(device);
    return known ? ["sign-in-device", known.device] : ["login", address];
  }
  const limitName = callLimit === "report" ? "general" : callLimit;
  const { per, tokensApart } = getLimit(limitName);
  if (per === "address") return [limitName, address];
  if (userId === null) return [byPage ? "visitor" : "anonymous", address];
  return [limitName, byToken && tokensApart ? `${userId} tokens` : userId];
}

/** Counts a list request with a text search against the search limit, too. @throws AppError RATE_LIMITED */
export async function consumeSearchLimit(
  userId: string,
  { search }: { search?: string | undefined },
): Promise<void> {
  if (search) await consumeLimit("search", userId);
}

/**
 * Counts a report of a person: one that is critical against a second limit as well, and the size of its files, those of
 * anonymous reports in a way that doesn't reveal how much of it belongs to one person.
 * @param fileBytes bytes of all its files together
 * @returns a function that takes the report off the counts, for one that could not be filed
 * @throws AppError RATE_LIMITED
 */
export async function consumeReportLimits(
  userId: string,
  { severity, anonymous }: { severity: string | null; anonymous: boolean },
  fileBytes: number,
): Promise<() => Promise<void>> {
  const uses: LimitUse[] = [];
  const refund = async () => void (await Promise.all(uses.map((use) => use.refund())));
  try {
    if (severity === "critical") uses.push(await consumeLimit("critical-report", userId));
    uses.push(await consumeLimit("report", userId));
    uses.push(await consumeLimit(anonymous ? "anonymous-files" : "files", userId, fileBytes));
  } catch (refusal) {
    await refund();
    throw refusal;
  }
  return refund;
}

/**
 * Counts a report without an account by the address that it came from, and delays it when that address has sent many
 * (docs/decisions/030).
 * @returns a function that takes it off the count, for a report that could not be filed
 * @throws AppError RATE_LIMITED when too many from the address wait already
 */
export async function consumeReportWithoutAccountLimit({
  address,
  request,
  idempotencyKey,
}: Pick<OperationCall, "address" | "request" | "idempotencyKey">): Promise<() => Promise<void>> {
  if (!env().rateLimits) return NOT_COUNTED.refund;
  try {
    return (await countPoints("unidentified-report", address, 1)).refund;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const waiting = { report: idempotencyKey, signal: request?.signal };
    await waitForUnidentifiedReportTurn(toAddressBucket(address), waiting);
    return NOT_COUNTED.refund;
  }
}

type Remaining = NonNullable<RateLimitUsage["remaining"]>;
type CountedPoints = { remaining: Remaining; refund: () => Promise<void> };

/** @throws RateLimiterRes for what is refused; the database's error when it is unavailable */
async function countPoints(limitName: LimitName, key: string, points: number): Promise<CountedPoints> {
  const limit = getLimit(limitName);
  if (limit.store === "slots") return countInSlots(limit, key, points);
  const [limiter, name] = [findOrCreateLimiter(limitName), toCountedKey(limit, key)];
  const refund = async () => void (await limiter.reward(name, points));
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(name, points);
    return { remaining: { calls: remainingPoints, ms: msBeforeNext }, refund };
  } catch (refusal) {
    // The limiter counts what it refuses, too; a smaller file may still fit.
    if (points > 1 && refusal instanceof RateLimiterRes) await refund();
    throw refusal;
  }
}

/** Counts a point after another, since each has a slot of its own. Throws the same as `countPoints`. */
async function countInSlots(limit: Limit, userId: string, points: number): Promise<CountedPoints> {
  const counted: CountedPoints[] = [];
  const refund = async () => void (await Promise.all(counted.map((one) => one.refund())));
  for (;;) {
    const one = await tryConsumePersonLimit(limit, userId);
    if ("refusedForMs" in one) {
      await refund();
      throw new RateLimiterRes(0, one.refusedForMs);
    }
    if (counted.push(one) === points) return { remaining: one.remaining, refund };
  }
}

/** Milliseconds for which calls are refused, without counting one; 0 when they aren't. */
async function computeRefusalMs(limitName: LimitName, key: string): Promise<number> {
  const limit = getLimit(limitName);
  if (limit.store === "slots") return computePersonLimitRefusalMs(limit, key);
  const state = await findOrCreateLimiter(limitName).get(toCountedKey(limit, key));
  return state && state.consumedPoints >= limit.points ? state.msBeforeNext : 0;
}

/** Stored keys are hashed with a key: there are so few addresses that a bare hash could be reversed by trying them all. */
function toCountedKey({ per, store }: Limit, key: string): string {
  const name = per === "address" ? toAddressBucket(key) : key;
  return store === "memory" ? name : computeSessionKeyedHash("rate-limit", name).slice(0, 32);
}

const toUsage = ({ name, points, seconds, hidesRest }: Limit, remaining?: Remaining): RateLimitUsage => ({
  name,
  points,
  seconds,
  ...(remaining && !hidesRest && { remaining }),
});

/** @throws AppError SERVICE_UNAVAILABLE where guesses would be free if nobody counted */
function assertMayGoUncounted({ name, failsClosed }: Limit): void {
  log.error({ limit: name }, "rate limit counter unavailable");
  if (failsClosed) throw createUnavailableError();
}

function createRateLimitError(refusedForMs: number, { refusal, ...limit }: Limit): AppError {
  const seconds = toWholeSecondsAtLeastOne(refusedForMs);
  log.warn({ limit: limit.name }, "rate limit reached");
  findProcessMetrics()?.rateLimited.inc({ limit: limit.name });
  const headers = {
    "Retry-After": String(seconds),
    ...buildRateLimitHeaders([{ ...limit, remaining: { calls: 0, ms: refusedForMs } }]),
  };
  return refusal
    ? new AppError("RATE_LIMITED", refusal, {}, { headers })
    : new AppError("RATE_LIMITED", "tooManyRequests", { seconds }, { headers });
}

type Limiter = Pick<RateLimiterPostgres, "consume" | "get" | "reward">;
const databaseLimiters = new Map<LimitName, Limiter>();

function findOrCreateLimiter(limitName: LimitName): Limiter {
  const limit = getLimit(limitName);
  const limiters =
    limit.store === "memory"
      ? processWide("rate limits in memory", () => new Map<LimitName, Limiter>())
      : databaseLimiters;
  const limiter = limiters.get(limitName) ?? createLimiter(limit);
  limiters.set(limitName, limiter);
  return limiter;
}

function createLimiter(limit: Limit): Limiter {
  const { points, seconds, store, refillsEarly } = limit;
  if (store === "memory") return new RateLimiterMemory({ points, duration: seconds });
  return refillsEarly ? createBurstLimiter(limit) : createDatabaseLimiter(limit);
}

/**
 * Allows as many calls at once as the limit, then half as many every half minute: no one who signs in is refused for
 * longer than 30 s because of others at the same address (contract 4.2). Over hours that amounts to a tenth more
 * than the limit.
 */
function createBurstLimiter({ name, points, seconds }: Limit): Limiter {
  const half = Math.floor(points / 2);
  const steady = createDatabaseLimiter({ name, points: points - half, seconds: seconds / 2 });
  const burst = createDatabaseLimiter({ name: `${name}-burst`, points: half, seconds: 5 * seconds });
  const both = new BurstyRateLimiter(steady, burst);
  return {
    consume: (key, used) => both.consume(key, used),
    get: (key) => steady.get(key),
    reward: (key, used) => steady.reward(key, used),
  };
}

const createDatabaseLimiter = ({
  name,
  points,
  seconds,
}: Pick<Limit, "name" | "points" | "seconds">): RateLimiterPostgres =>
  new RateLimiterPostgres({
    storeClient: getPrismaPool(),
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: seconds,
    inMemoryBlockOnConsumed: points,
  });
