import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { computeHashWithKeyNotOnDisk } from "#lib/crypto/keyed-hash.ts";
import { AppError } from "#lib/operation/errors.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * The lane in which reports without an account wait when their address has sent too many: they are accepted one after
 * the other, each after a wait. Every address has its own lane, so nobody can slow down or shut out people elsewhere
 * (docs/decisions/068).
 */

const STEP_MS = 15_000;
/** How many wait at a time; the last of them for half a minute, so that no browser gives up first. */
const MAX_WAITING = 2;

/** A report that waits, and the number of requests that wait for it: two when its form was sent twice. */
type Seat = { turn: Promise<unknown>; requests: number; left: AbortController };
type Lane = { turn: Promise<unknown>; seats: Map<string, Seat> };

/** By the hash of an address, in memory and for as long as somebody waits. */
const lanes = processWide("lanes of reports", () => new Map<string, Lane>());

type WaitOptions = {
  /** The idempotency key of the report: sending it again takes no second place in the queue. */
  report?: string | null | undefined;
  signal?: AbortSignal | undefined;
  stepMs?: number;
};

/**
 * Waits until a report's turn has come. How long that takes doesn't depend on what was reported, nor at which event. A
 * report leaves the lane when none of its requests waits anymore: at once when their clients have disconnected, and
 * otherwise after at most `MAX_WAITING` steps.
 * @throws AppError RATE_LIMITED when too many wait already, or the client has disconnected
 */
export async function waitForUnidentifiedReportTurn(
  addressBucket: string,
  { report, signal, stepMs = STEP_MS }: WaitOptions = {},
): Promise<void> {
  const key = computeHashWithKeyNotOnDisk("lanes of reports", addressBucket);
  const lane = lanes.get(key) ?? { turn: Promise.resolve(), seats: new Map<string, Seat>() };
  const seatKey = report ?? randomUUID();
  const seat = lane.seats.get(seatKey) ?? takeSeat(lane, seatKey, stepMs);
  lanes.set(key, lane);
  seat.requests += 1;
  await Promise.race([seat.turn, waitUntilGone(signal)]);
  seat.requests -= 1;
  if (seat.requests === 0) {
    seat.left.abort();
    lane.seats.delete(seatKey);
  }
  if (lane.seats.size === 0) lanes.delete(key);
  if (signal?.aborted) throw createLaneFullError();
}

/** Takes the next turn in a lane. @throws AppError RATE_LIMITED when too many wait already */
function takeSeat(lane: Lane, seatKey: string, stepMs: number): Seat {
  if (lane.seats.size >= MAX_WAITING) throw createLaneFullError();
  const left = new AbortController();
  const turn = lane.turn.then(() => sleep(stepMs, undefined, { signal: left.signal }).catch(() => {}));
  lane.turn = turn;
  const seat = { turn, requests: 0, left };
  lane.seats.set(seatKey, seat);
  return seat;
}

const waitUntilGone = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });

const createLaneFullError = () =>
  new AppError("RATE_LIMITED", "tooManyReportsHere", {}, { headers: { "Retry-After": "30" } });
