import { createHash, createHmac, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { deriveKeyNotOnDisk } from "#lib/crypto/keyed-hash.ts";
import { env } from "#lib/env.ts";
import { FairQueue } from "#lib/fair-queue.ts";
import { AppError } from "#lib/operation/errors.ts";
import { processWide } from "#lib/process-wide.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";

/**
 * Makes guessing receipts expensive without knowing who guesses. A browser with script solves a proof of work and isn't
 * delayed; all other look-ups wait in the lane of their address, so that nobody elsewhere can fill it. Wrong receipts
 * make the proof harder, and wrong receipts from lanes make all lanes slower (docs/decisions/050).
 */

const CHALLENGE_TTL_MS = 10 * 60_000;
const FAILURE_WINDOW_MS = 10 * 60_000;
const BASE_BITS = 12;
const MAX_BITS = 20;
const LANE_STEP_MS = 250;
const MAX_LANE_STEP_MS = 4_000;
/** The longest wait for a turn, so that no browser gives up first. */
const MAX_WAIT_MS = 20_000;
/** Every look-up takes at least this long, whether the receipt exists or not. */
const LOOKUP_FLOOR_MS = 250;

type LookupState = {
  /** Each address has a lane, which moves by itself. */
  queue: FairQueue;
  /** Times of recent look-ups without a result, oldest first: of all look-ups, and of those in lanes. */
  failures: number[];
  failuresInLane: number[];
  usedChallenges: LRUCache<string, true>;
};

const state = processWide("look-ups of receipts", (): LookupState => ({
  queue: new FairQueue({
    running: { total: Infinity, perLane: 1 },
    waiting: {
      total: Infinity,
      /** One behind the one whose turn it is; without limits, as many as get their turn within `MAX_WAIT_MS`. */
      get perLane() {
        return env().rateLimits ? 1 : Math.floor(MAX_WAIT_MS / computeLaneStepMs()) - 1;
      },
    },
    createBusyError: createLaneFullError,
  }),
  failures: [],
  failuresInLane: [],
  usedChallenges: new LRUCache({ max: 10_000, ttl: CHALLENGE_TTL_MS }),
}));

/**
 * A proof-of-work challenge: find a text that, appended to `challenge`, has a SHA-256 that begins with `bits` zero
 * bits.
 */
type ProofOfWorkChallenge = { challenge: string; bits: number };
export type ProofOfWorkSolution = { challenge: string; solution: string };

export function createProofOfWorkChallenge(): ProofOfWorkChallenge {
  const bits = Math.min(MAX_BITS, BASE_BITS + computeFailureLevel(state.failures));
  const content = `${randomBytes(12).toString("base64url")}.${Date.now() + CHALLENGE_TTL_MS}.${bits}`;
  return { challenge: `${content}.${sign(content)}`, bits };
}

/** The sender of a look-up: their client address, and the proof of work if they have one. */
type ReceiptLookupRequester = { address: string; proof: ProofOfWorkSolution | null | undefined };

/**
 * Runs a look-up of a receipt when it is its turn, and makes hits and misses take the same time.
 * @returns what `find` finds; null counts as a wrong receipt
 * @throws AppError SERVICE_UNAVAILABLE when the lane of this address is full
 */
export async function runThrottledReceiptLookup<Found>(
  { address, proof }: ReceiptLookupRequester,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  const isProven = proof && consumeProof(proof);
  if (!isProven) await waitForTurn(address);
  const [found] = await Promise.all([find(), delay(LOOKUP_FLOOR_MS)]);
  if (found === null) {
    state.failures.push(Date.now());
    if (!isProven) state.failuresInLane.push(Date.now());
  }
  return found;
}

/**
 * Waits for a turn in the lane of the address. Without rate limits (`RATE_LIMITS`) addresses aren't distinguished.
 * @throws AppError SERVICE_UNAVAILABLE when the lane is full
 */
function waitForTurn(address: string): Promise<void> {
  const lane = env().rateLimits ? createLaneForAddress(address) : { name: "everybody", known: false };
  const step = computeLaneStepMs();
  return state.queue.run({ lane }, () => delay(step));
}

const computeLaneStepMs = (): number =>
  Math.min(MAX_LANE_STEP_MS, LANE_STEP_MS * 2 ** computeFailureLevel(state.failuresInLane));

/** Returns 0 for up to 7 failures within ten minutes, 1 from 8, 2 from 24, 3 from 56, etc. Removes older failures. */
function computeFailureLevel(failures: number[]): number {
  const since = Date.now() - FAILURE_WINDOW_MS;
  while ((failures[0] ?? Infinity) < since) failures.shift();
  return Math.floor(Math.log2(1 + failures.length / 8));
}

/**
 * Returns whether the proof solves a challenge of ours that is neither expired nor used. Using it up is part of the
 * check.
 */
function consumeProof({ challenge, solution }: ProofOfWorkSolution): boolean {
  const [, content = "", expires = "", bits = "", tag = ""] =
    /^([\w-]{16}\.(\d{13})\.(\d{1,2}))\.([\w-]{43})$/.exec(challenge) ?? [];
  if (!content || !equalsInConstantTime(tag, sign(content))) return false;
  if (Number(expires) < Date.now() || state.usedChallenges.has(content)) return false;
  const digest = createHash("sha256").update(`${challenge}${solution}`).digest();
  if (countLeadingZeroBits(digest) < Number(bits)) return false;
  state.usedChallenges.set(content, true);
  return true;
}

/** Counts the zero bits with which a hash begins, up to 32. */
export const countLeadingZeroBits = (digest: Buffer): number => Math.clz32(digest.readUInt32BE(0));

const sign = (content: string): string =>
  createHmac("sha256", deriveKeyNotOnDisk("receipt challenge")).update(content).digest("base64url");

function createLaneFullError(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", "receiptLaneBusy", {}, { headers: { "Retry-After": "30" } });
}
