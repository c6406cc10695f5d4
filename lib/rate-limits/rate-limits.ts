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
import { sumFileSizes } from "#lib/files/evidence.ts";
import type { RateLimitCategory, OperationCall } from "#lib/operation/operation.ts";
import { toAddressBucket } from "#lib/rate-limits/addresses.ts";
import { MINUTE, MEBIBYTE, FILE_UNIT_BYTES, getRateLimits, type LimitName } from "#lib/rate-limits/limits.ts";
import { computePersonLimitRefusalMs, tryConsumePersonLimit } from "#lib/rate-limits/person-limits.ts";
import { waitForUnidentifiedReportTurn } from "#lib/rate-limits/report-lane.ts";
import {
  buildRateLimitHeaders,
  toWholeSecondsAtLeastOne,
  type RateLimitUsage,
  type RateLimit,
} from "#lib/rate-limits/rate-limit-headers.ts";

/**
 * Rate limits, on in production mode (contract 3.13). Counters are rows, so that all processes share them. Addresses
 * are stored only as keyed hashes; person-limits.ts counts the calls of signed-in people.
 */

const ADDRESS_LIMITED_CATEGORIES = new Set<RateLimitCategory>(["login", "register", "forgot", "lookup"]);
const TOKEN_LIMITED_CATEGORIES = new Set<RateLimitCategory>(["general", "search"]);

type RateLimitedCaller = {
  userId: string | null;
  /** Whether a token makes the call: its calls count apart from the person's own (docs/decisions/056). */
  byToken?: boolean;
  address: string;
  /** The raw cookie of a device that signed in before. */
  device?: string | null;
  /**
   * Whether a page makes the call. Its visitors may be about to report without an account, so their addresses are
   * counted in memory alone (docs/decisions/050).
   */
  byPage?: boolean;
  /** Whether the call may be a replay, which gets its response whatever the limits (docs/decisions/024). */
  mayBeReplay?: boolean;
};

/**
 * Counts a call; `none` is for what may never be refused, such as signing out.
 * @returns the limits that it counts toward, for the headers of the response
 * @throws AppError RATE_LIMITED with Retry-After in seconds
 */
export async function consumeCallLimit(
  category: RateLimitCategory,
  caller: RateLimitedCaller,
): Promise<RateLimitUsage[]> {
  if (!env().rateLimits || category === "none") return [];
  const { userId, address, byPage = false } = caller;
  if (category === "signIn") return consumeSignInLimit(caller);
  if (category === "unidentified") return hideRemaining(await consumeMemoryLimit("anonymous", address));
  if (ADDRESS_LIMITED_CATEGORIES.has(category)) return consumeLimit(category, toAddressBucket(address));
  if (userId === null)
    return byPage
      ? consumeMemoryLimit("anonymous", address)
      : consumeLimit("anonymous", toAddressBucket(address));
  const counted = category === "report" ? "general" : category;
  const key = caller.byToken && TOKEN_LIMITED_CATEGORIES.has(counted) ? `${userId} tokens` : userId;
  const usages = (await consumeUserLimit(counted, key)).usages;
  if (category === "upload") return hideRemaining(usages);
  return category === "report" ? [...usages, ...(await assertReportLimitLeft(userId, caller))] : usages;
}

/**
 * Reports are counted when they are filed. Before a body is read, a call is refused if the person has none left. The
 * response doesn't say how many remain, since that would reveal anonymous reports.
 */
async function assertReportLimitLeft(
  userId: string,
  { mayBeReplay = false }: RateLimitedCaller,
): Promise<RateLimitUsage[]> {
  const limit = getRateLimits().report;
  const refusedForMs = mayBeReplay ? 0 : await computeUserRefusalMs("report", userId);
  if (refusedForMs > 0) throw createRateLimitError(refusedForMs, limit);
  return [limit];
}

/**
 * Removes the remaining calls from usages, since their number would show that somebody reported (docs/decisions/056).
 */
const hideRemaining = (usages: readonly RateLimitUsage[]): RateLimitUsage[] =>
  usages.map(({ name, points, seconds }) => ({ name, points, seconds }));

/**
 * A device that signed in before counts separately, so that others at its address don't use up its limit; if the
 * account doesn't know the device, `signIn` also counts the address.
 */
async function consumeSignInLimit({ address, device = null }: RateLimitedCaller): Promise<RateLimitUsage[]> {
  const [existing] = await unsealDeviceCookie(device);
  return existing
    ? consumeLimit("signInDevice", existing.device)
    : consumeLimit("login", toAddressBucket(address));
}

/**
 * Counts a report; a critical one counts against a second limit as well. It also counts the size of the files, those of
 * anonymous reports in a way that doesn't reveal how much of it belongs to one person.
 * @param fileBytes bytes of all its files together
 * @returns a function that takes the report off the counts, for one that could not be filed
 * @throws AppError RATE_LIMITED
 */
export async function consumeRefundableReportLimit(
  userId: string,
  { severity, anonymous }: { severity: string | null; anonymous: boolean },
  fileBytes: number,
): Promise<() => Promise<void>> {
  const kinds: LimitName[] = severity === "critical" ? ["criticalReport", "report"] : ["report"];
  kinds.push(...listFileUnits(anonymous ? "anonymousFiles" : "files", fileBytes));
  return consumeRefundableLimits(kinds, userId);
}

/** Counts the size of files that a person sends under their name. @throws AppError RATE_LIMITED */
export const consumeFileLimit = async (userId: string, fileBytes: number): Promise<void> =>
  void (await consumeRefundableLimits(listFileUnits("files", fileBytes), userId));

const listFileUnits = (kind: LimitName, bytes: number): LimitName[] =>
  Array<LimitName>(Math.ceil(bytes / FILE_UNIT_BYTES)).fill(kind);

async function consumeRefundableLimits(
  kinds: readonly LimitName[],
  userId: string,
): Promise<() => Promise<void>> {
  const refunds: (() => Promise<void>)[] = [];
  const refundAll = async () => void (await Promise.all(refunds.map((refund) => refund())));
  if (!env().rateLimits) return refundAll;
  for (const kind of kinds) {
    try {
      refunds.push((await consumeUserLimit(kind, userId)).refund);
    } catch (refusal) {
      await refundAll();
      throw refusal;
    }
  }
  return refundAll;
}

/**
 * Counts a report without an account by the address that it came from, and delays it when that address has sent many.
 * Addresses are counted in the memory of this process alone: a stored count would reveal, even under a key, that some
 * address sent a request at that time (docs/decisions/050). There is no count per event: a few addresses could shut
 * everybody out, and somebody from whom reports are hidden could tell by the limit that there are some
 * (docs/decisions/068).
 * @returns a function that takes it off the count, for a report that could not be filed
 * @throws AppError RATE_LIMITED when too many from the address wait already
 */
export async function consumeReportWithoutAccountLimit({
  address,
  request,
  idempotencyKey,
}: Pick<OperationCall, "address" | "request" | "idempotencyKey">): Promise<() => Promise<void>> {
  if (!env().rateLimits) return async () => {};
  const bucket = toAddressBucket(address);
  const limiter = findOrCreateMemoryLimiter("unidentifiedReport");
  try {
    await limiter.consume(bucket);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    await waitForUnidentifiedReportTurn(bucket, { report: idempotencyKey, signal: request?.signal });
    return async () => {};
  }
  return async () => void (await limiter.reward(bucket));
}

/**
 * Counts the size of files that somebody without an account sends, by their address and in the memory of this process
 * alone: a stored count would reveal that the address sent something (docs/decisions/050).
 * @returns a function that takes it off the count, for files that could not be stored
 * @throws AppError RATE_LIMITED
 */
export async function consumeUnidentifiedFileLimit({
  address,
  files,
}: Pick<OperationCall, "address" | "files">): Promise<() => void> {
  const units = Math.ceil(sumFileSizes(files) / MEBIBYTE);
  if (!env().rateLimits || units === 0) return () => {};
  const [bucket, limiter] = [toAddressBucket(address), findOrCreateMemoryLimiter("unidentifiedFiles")];
  const refund = () => void limiter.reward(bucket, units);
  try {
    await limiter.consume(bucket, units);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    // The limiter counts what it refuses, too; a smaller file may still fit.
    refund();
    throw createRateLimitError(refusal.msBeforeNext, getRateLimits().unidentifiedFiles);
  }
  return refund;
}

/** Counts, in memory, an upload in a mailbox or a letterbox, and the size of its files. @throws AppError RATE_LIMITED */
export async function consumeUnidentifiedUploadLimits(
  mailboxOrLetterboxId: string,
  { address, files }: Pick<OperationCall, "address" | "files">,
): Promise<void> {
  await consumeUnidentifiedMessageLimit(mailboxOrLetterboxId);
  await consumeUnidentifiedFileLimit({ address, files });
}

/** Counts, in memory, a message in a mailbox or a letterbox. @throws AppError RATE_LIMITED */
export async function consumeUnidentifiedMessageLimit(mailboxOrLetterboxId: string): Promise<void> {
  if (env().rateLimits) await consumeMemoryLimitOf("unidentifiedMessage", mailboxOrLetterboxId);
}

/**
 * Consumes two limits, in memory, before a refused form of somebody without an account is stored: one of their address,
 * and one of all addresses together, so that stored forms take a bounded space.
 * @throws AppError RATE_LIMITED
 */
export async function consumeRefusedVisitorFormLimit(address: string): Promise<void> {
  if (!env().rateLimits) return;
  await consumeMemoryLimit("refusedForm", address);
  await consumeMemoryLimitOf("refusedForms", "all");
}

const consumeMemoryLimit = (kind: LimitName, address: string): Promise<RateLimitUsage[]> =>
  consumeMemoryLimitOf(kind, toAddressBucket(address));

async function consumeMemoryLimitOf(kind: LimitName, key: string): Promise<RateLimitUsage[]> {
  const limit = getRateLimits()[kind];
  try {
    return [toUsage(limit, await findOrCreateMemoryLimiter(kind).consume(key))];
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) throw createRateLimitError(refusal.msBeforeNext, limit);
    throw refusal;
  }
}

const toUsage = (limit: RateLimit, { remainingPoints, msBeforeNext }: RateLimiterRes): RateLimitUsage => ({
  ...limit,
  remaining: { calls: remainingPoints, ms: msBeforeNext },
});

const memoryLimiters = processWide("rate limits in memory", () => new Map<LimitName, RateLimiterMemory>());

function findOrCreateMemoryLimiter(kind: LimitName): RateLimiterMemory {
  const existing = memoryLimiters.get(kind);
  if (existing) return existing;
  const { points, seconds } = getRateLimits()[kind];
  const newLimiter = new RateLimiterMemory({ points, duration: seconds });
  memoryLimiters.set(kind, newLimiter);
  return newLimiter;
}

/** Counts a message that a reporter writes or edits, separately for each report. @throws AppError RATE_LIMITED */
export async function consumeReporterMessageLimit(userId: string, incidentId: string): Promise<void> {
  if (env().rateLimits) await consumeUserLimit("message", `${userId} ${incidentId}`);
}

/** Counts a list request with a text search against the search limit, too. @throws AppError RATE_LIMITED */
export async function consumeSearchLimit(
  userId: string,
  { search }: { search?: string | undefined },
): Promise<void> {
  if (search) await consumeCallLimit("search", { userId, address: "" });
}

/** Counts an action of one account, by its address or id. @throws AppError RATE_LIMITED */
export async function consumeAccountActionLimit(
  kind: "wrongCode" | "forgotAccount" | "verifyEmail" | "emailChange" | "mailTest",
  email: string,
): Promise<void> {
  if (env().rateLimits) await consumeLimit(kind, email);
}

/** Checks that the account's limit isn't used up, and counts nothing. @throws AppError RATE_LIMITED */
export async function assertAccountLimitLeft(kind: "wrongCode", email: string): Promise<void> {
  if (!env().rateLimits) return;
  const state = await findOrCreateLimiter(kind)
    .get(hashLimitKey(email))
    .catch(() => {
      throw createUnavailableError();
    });
  if (state && state.consumedPoints >= getRateLimits()[kind].points)
    throw createRateLimitError(state.msBeforeNext, getRateLimits()[kind]);
}

async function consumeLimit(kind: LimitName, key: string): Promise<RateLimitUsage[]> {
  const limit = getRateLimits()[kind];
  try {
    return [toUsage(limit, await findOrCreateLimiter(kind).consume(hashLimitKey(key)))];
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) throw createRateLimitError(refusal.msBeforeNext, limit);
    // The counter is unavailable: sign-in and related calls are refused, everything else proceeds.
    log.error({ limit: limit.name }, "rate limit counter unavailable");
    if (["login", "signInDevice", "register", "forgot", "forgotAccount", "wrongCode"].includes(kind))
      throw createUnavailableError();
    return [];
  }
}

type UserLimitUse = { usages: RateLimitUsage[]; refund: () => Promise<void> };

/** @returns what remains, and a function that takes the call off the count */
async function consumeUserLimit(kind: LimitName, userId: string): Promise<UserLimitUse> {
  const limit = getRateLimits()[kind];
  const consumption = await tryConsumePersonLimit(limit, userId).catch(() => {
    log.error({ limit: limit.name }, "rate limit counter unavailable");
    return null;
  });
  if (!consumption) return { usages: [], refund: async () => {} };
  if ("refusedForMs" in consumption) throw createRateLimitError(consumption.refusedForMs, limit);
  return {
    usages: [{ ...limit, remaining: consumption.remaining }],
    refund: async () => consumption.refund().catch(() => {}),
  };
}

/** Milliseconds for which the person's calls are refused, without counting one; 0 when they aren't. */
async function computeUserRefusalMs(kind: LimitName, userId: string): Promise<number> {
  const limit = getRateLimits()[kind];
  return computePersonLimitRefusalMs(limit, userId).catch(() => {
    log.error({ limit: limit.name }, "rate limit counter unavailable");
    return 0;
  });
}

/** Limits that are over for whoever sends without files. */
const FILE_LIMITS = new Set(["files", "anonymous-files", "unidentified-files"]);

function createRateLimitError(refusedForMs: number, limit: RateLimit): AppError {
  const seconds = toWholeSecondsAtLeastOne(refusedForMs);
  log.warn({ limit: limit.name }, "rate limit reached");
  findProcessMetrics()?.rateLimited.inc({ limit: limit.name });
  const headers = {
    "Retry-After": String(seconds),
    ...buildRateLimitHeaders([{ ...limit, remaining: { calls: 0, ms: refusedForMs } }]),
  };
  return FILE_LIMITS.has(limit.name)
    ? new AppError("RATE_LIMITED", "tooManyFilesToday", {}, { headers })
    : new AppError("RATE_LIMITED", "tooManyRequests", { seconds }, { headers });
}

type RateLimiter = {
  consume(key: string): Promise<RateLimiterRes>;
  get(key: string): Promise<RateLimiterRes | null>;
};
const limiters = new Map<LimitName, RateLimiter>();

function findOrCreateLimiter(kind: LimitName): RateLimiter {
  const existing = limiters.get(kind);
  if (existing) return existing;
  const limit = getRateLimits()[kind];
  const newLimiter = kind === "login" ? createBurstLimiter(limit) : createLimiter(limit);
  limiters.set(kind, newLimiter);
  return newLimiter;
}

/**
 * Allows as many calls at once as the limit, then half as many every half minute: no one who signs in is refused for
 * longer than 30 s because of others at the same address (contract 4.2). Over hours that amounts to a tenth more
 * than the limit.
 */
function createBurstLimiter({ name, points }: RateLimit): RateLimiter {
  const half = Math.floor(points / 2);
  const steady = createLimiter({ name, points: points - half, seconds: MINUTE / 2 });
  const burst = createLimiter({ name: `${name}-burst`, points: half, seconds: 5 * MINUTE });
  const both = new BurstyRateLimiter(steady, burst);
  return { consume: (key) => both.consume(key), get: (key) => steady.get(key) };
}

function createLimiter({ name, points, seconds }: RateLimit): RateLimiterPostgres {
  return new RateLimiterPostgres({
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
}

/** Keyed: there are so few addresses that a bare hash could be reversed by trying them all. */
const hashLimitKey = (key: string): string => computeSessionKeyedHash("rate-limit", key).slice(0, 32);
