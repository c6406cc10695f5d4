import { createHash, createHmac, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { computeEphemeralHash, deriveEphemeralKey } from "#lib/crypto/keyed-hash.ts";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";
import { processWide } from "#lib/process-wide.ts";
import { toAddressBucket } from "#lib/rate-limits/rate-limits.ts";

/**
 * Makes trying receipts costly without knowing who tries. A browser with script solves a small puzzle (a proof of
 * work), and goes straight in; anybody else waits in one lane that the whole process shares. The puzzle gets harder while
 * wrong receipts come in, and the lane slower while wrong ones come through it (docs/decisions/050).
 */

const CHALLENGE_TTL_MS = 10 * 60_000;
const FAILURE_WINDOW_MS = 10 * 60_000;
const BASE_BITS = 12;
const MAX_BITS = 20;
const LANE_STEP_MS = 250;
const MAX_LANE_STEP_MS = 4_000;
/** The longest wait for a turn, so that no browser gives up first. */
const MAX_WAIT_MS = 20_000;
/** How many look-ups from one address wait at a time, so that nobody takes all places of the lane. */
const MAX_WAITING_PER_ADDRESS = 2;

/** Every look-up takes at least this long, whether the receipt exists or not. */
const LOOKUP_FLOOR_MS = 250;

type LaneState = {
  turn: Promise<unknown>;
  waiting: number;
  /** How many wait by the hash of their address, which is in memory for as long as they do. */
  waitingByAddress: Map<string, number>;
  /** Times of recent look-ups that found nothing, oldest first: of all, and of those in the lane. */
  failures: number[];
  failuresInLane: number[];
  usedChallenges: LRUCache<string, true>;
};

const lane = processWide("look-ups of receipts", (): LaneState => ({
  turn: Promise.resolve(),
  waiting: 0,
  waitingByAddress: new Map(),
  failures: [],
  failuresInLane: [],
  usedChallenges: new LRUCache({ max: 10_000, ttl: CHALLENGE_TTL_MS }),
}));

/** A puzzle: find a text that, appended to `challenge`, gives a SHA-256 that begins with `bits` zero bits. */
export type LookupChallenge = { challenge: string; bits: number };
export type ChallengeProof = { challenge: string; solution: string };

export function createChallenge(): LookupChallenge {
  const bits = Math.min(MAX_BITS, BASE_BITS + computeFailureLevel(lane.failures));
  const content = `${randomBytes(12).toString("base64url")}.${Date.now() + CHALLENGE_TTL_MS}.${bits}`;
  return { challenge: `${content}.${sign(content)}`, bits };
}

/** Who looks something up: their client address, and the proof of work if they have one. */
export type LookupSender = { address: string; proof: ChallengeProof | null | undefined };

/**
 * Runs a look-up of a receipt when it is its turn, and makes hits and misses take the same time.
 * @returns what `find` finds; null counts as a wrong receipt
 * @throws AppError SERVICE_UNAVAILABLE when too many wait, or two from this address
 */
export async function findInLane<Found>(
  { address, proof }: LookupSender,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  const isProven = proof && consumeProof(proof);
  if (!isProven) await waitForTurn(address);
  const [found] = await Promise.all([find(), delay(LOOKUP_FLOOR_MS)]);
  if (found === null) {
    lane.failures.push(Date.now());
    if (!isProven) lane.failuresInLane.push(Date.now());
  }
  return found;
}

async function waitForTurn(address: string): Promise<void> {
  const step = Math.min(MAX_LANE_STEP_MS, LANE_STEP_MS * 2 ** computeFailureLevel(lane.failuresInLane));
  if ((lane.waiting + 1) * step > MAX_WAIT_MS) throw laneFull();
  const leave = takePlace(address);
  const turn = lane.turn.then(() => delay(step));
  lane.turn = turn;
  await turn.finally(leave);
}

/**
 * Counts one more that waits. Addresses count where they are known (`RATE_LIMITS`).
 * @returns a function that ends it
 */
function takePlace(address: string): () => void {
  const { waitingByAddress } = lane;
  const key = computeEphemeralHash("look-ups of receipts", toAddressBucket(address));
  const waitingCount = waitingByAddress.get(key) ?? 0;
  if (env().rateLimits && waitingCount >= MAX_WAITING_PER_ADDRESS) throw laneFull();
  lane.waiting += 1;
  waitingByAddress.set(key, waitingCount + 1);
  return () => {
    lane.waiting -= 1;
    const left = (waitingByAddress.get(key) ?? 1) - 1;
    if (left > 0) waitingByAddress.set(key, left);
    else waitingByAddress.delete(key);
  };
}

/** 0 for up to 7 failures in ten minutes, then one more for each doubling. Removes older ones. */
function computeFailureLevel(failures: number[]): number {
  const since = Date.now() - FAILURE_WINDOW_MS;
  while ((failures[0] ?? Infinity) < since) failures.shift();
  return Math.floor(Math.log2(1 + failures.length / 8));
}

/** True when the proof solves a challenge of ours that is neither expired nor used. Using it up is part of the check. */
function consumeProof({ challenge, solution }: ChallengeProof): boolean {
  const [, content = "", expires = "", bits = "", tag = ""] =
    /^([\w-]{16}\.(\d{13})\.(\d{1,2}))\.([\w-]{43})$/.exec(challenge) ?? [];
  if (!content || !equalsInConstantTime(tag, sign(content))) return false;
  if (Number(expires) < Date.now() || lane.usedChallenges.has(content)) return false;
  const digest = createHash("sha256").update(`${challenge}${solution}`).digest();
  if (countLeadingZeroBits(digest) < Number(bits)) return false;
  lane.usedChallenges.set(content, true);
  return true;
}

/** Counts the zero bits with which a hash begins, up to 32. */
export const countLeadingZeroBits = (digest: Buffer): number => Math.clz32(digest.readUInt32BE(0));

const sign = (content: string): string =>
  createHmac("sha256", deriveEphemeralKey("receipt challenge")).update(content).digest("base64url");

const laneFull = () =>
  new AppError("SERVICE_UNAVAILABLE", "receiptLaneBusy", {}, { headers: { "Retry-After": "30" } });
