import { createHash, createHmac, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { deriveEphemeralKey } from "#lib/crypto/keyed-hash.ts";
import { AppError } from "#lib/operation/errors.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * Makes trying receipts costly without knowing who tries. A browser with script solves a small puzzle (a proof of
 * work), and goes straight in; anybody else waits in one lane that the whole process shares. Both cost more while
 * wrong receipts come in (docs/decisions/050).
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

type LaneState = {
  turn: Promise<unknown>;
  waiting: number;
  /** Times of recent look-ups that found nothing, oldest first. */
  failures: number[];
  usedChallenges: LRUCache<string, true>;
};

const lane = processWide("look-ups of receipts", (): LaneState => ({
  turn: Promise.resolve(),
  waiting: 0,
  failures: [],
  usedChallenges: new LRUCache({ max: 10_000, ttl: CHALLENGE_TTL_MS }),
}));

/** A puzzle: find a text that, appended to `challenge`, gives a SHA-256 that begins with `bits` zero bits. */
export type LookupChallenge = { challenge: string; bits: number };
export type ChallengeProof = { challenge: string; solution: string };

export function createChallenge(): LookupChallenge {
  const bits = Math.min(MAX_BITS, BASE_BITS + failureLevel());
  const content = `${randomBytes(12).toString("base64url")}.${Date.now() + CHALLENGE_TTL_MS}.${bits}`;
  return { challenge: `${content}.${sign(content)}`, bits };
}

/**
 * Runs a look-up of a receipt when it is its turn, and makes hits and misses take the same time.
 * @returns what `find` finds; null counts as a wrong receipt
 * @throws AppError SERVICE_UNAVAILABLE when too many wait
 */
export async function findInLane<Found>(
  proof: ChallengeProof | null | undefined,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  if (!proof || !consumeProof(proof)) await waitForTurn();
  const [found] = await Promise.all([find(), delay(LOOKUP_FLOOR_MS)]);
  if (found === null) lane.failures.push(Date.now());
  return found;
}

async function waitForTurn(): Promise<void> {
  const step = Math.min(MAX_LANE_STEP_MS, LANE_STEP_MS * 2 ** failureLevel());
  if ((lane.waiting + 1) * step > MAX_WAIT_MS) throw laneFull();
  lane.waiting += 1;
  const turn = lane.turn.then(() => delay(step));
  lane.turn = turn;
  await turn.finally(() => (lane.waiting -= 1));
}

/** 0 for up to 7 wrong receipts in ten minutes, then one more for each doubling. */
function failureLevel(): number {
  const since = Date.now() - FAILURE_WINDOW_MS;
  while ((lane.failures[0] ?? Infinity) < since) lane.failures.shift();
  return Math.floor(Math.log2(1 + lane.failures.length / 8));
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
