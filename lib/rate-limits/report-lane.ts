import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FairQueue } from "#lib/fair-queue.ts";
import { AppError } from "#lib/operation/errors.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * The queue in which reports without an account wait when their address has sent too many: they are accepted one after
 * the other, each after a wait. Every address has a lane that moves by itself, so nobody can slow down or shut out people
 * elsewhere (docs/decisions/030).
 */

const STEP_MS = 15_000;

const createLaneFullError = () =>
  new AppError("RATE_LIMITED", "tooManyReportsHere", {}, { headers: { "Retry-After": "30" } });

/** A report that waits, and the number of requests that wait for it: two when its form was sent twice. */
type Seat = { turn: Promise<unknown>; requests: number; left: AbortController };

const { queue, seats } = processWide("reports that wait", () => ({
  // Two of an address: the first, and one behind it for half a minute, so that no browser gives up first.
  queue: new FairQueue({
    running: { total: Infinity, perLane: 1 },
    waiting: { total: Infinity, perLane: 1 },
    createBusyError: createLaneFullError,
  }),
  seats: new Map<string, Seat>(),
}));

type WaitOptions = {
  /** The idempotency key of the report: sending it again takes no second place in the queue. */
  report?: string | null | undefined;
  signal?: AbortSignal | undefined;
  stepMs?: number;
};

/**
 * Waits until a report's turn has come. How long that takes doesn't depend on what was reported, nor at which event. A
 * report leaves the queue when none of its requests waits anymore: at once when their clients have disconnected, and
 * otherwise after at most two steps.
 * @throws AppError RATE_LIMITED when too many wait already, or the client has disconnected
 */
export async function waitForUnidentifiedReportTurn(
  addressBucket: string,
  { report, signal, stepMs = STEP_MS }: WaitOptions = {},
): Promise<void> {
  const key = `${addressBucket} ${report ?? randomUUID()}`;
  const seat = seats.get(key) ?? takeSeat(addressBucket, stepMs);
  seats.set(key, seat);
  seat.requests += 1;
  try {
    await Promise.race([seat.turn, waitUntilGone(signal)]);
  } finally {
    seat.requests -= 1;
    if (seat.requests === 0) {
      seats.delete(key);
      seat.left.abort();
      // The place is free when the turn has ended.
      await seat.turn.catch(() => {});
    }
  }
  if (signal?.aborted) throw createLaneFullError();
}

/** Takes the next turn of an address; its promise fails with RATE_LIMITED when too many wait already. */
function takeSeat(addressBucket: string, stepMs: number): Seat {
  const left = new AbortController();
  const place = { lane: { name: addressBucket, known: false }, signal: left.signal };
  const turn = queue.run(place, () => sleep(stepMs, undefined, { signal: left.signal }));
  return { turn, requests: 0, left };
}

const waitUntilGone = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
