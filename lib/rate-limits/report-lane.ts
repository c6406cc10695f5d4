import { setTimeout as sleep } from "node:timers/promises";
import { computeEphemeralHash } from "#lib/crypto/keyed-hash.ts";
import { AppError } from "#lib/operation/errors.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * The lane of reports without an account that are more than their address may send at once: one after the other, each after
 * a wait. Every address has its own, so nobody can slow down or shut out people elsewhere (docs/decisions/068).
 */

const STEP_MS = 15_000;
/** How many wait at a time; the last of them for half a minute, so that no browser gives up first. */
const MAX_WAITING = 2;

type Lane = { turn: Promise<unknown>; waiting: number };

/** By the hash of an address, in memory and for as long as somebody waits. */
const lanes = processWide("lanes of reports", () => new Map<string, Lane>());

/**
 * Waits for a turn. It doesn't depend on what was reported, nor at which event. A client that is gone makes room at once.
 * @throws AppError RATE_LIMITED when too many wait already, or the client is gone
 */
export async function waitForReportTurn(
  addressBucket: string,
  { signal, stepMs = STEP_MS }: { signal?: AbortSignal | undefined; stepMs?: number } = {},
): Promise<void> {
  const key = computeEphemeralHash("lanes of reports", addressBucket);
  const lane = lanes.get(key) ?? { turn: Promise.resolve(), waiting: 0 };
  if (lane.waiting >= MAX_WAITING) throw createLaneFullError();
  lanes.set(key, lane);
  lane.waiting += 1;
  const turn = lane.turn.then(() => sleep(stepMs, undefined, { signal }).catch(() => {}));
  lane.turn = turn;
  await Promise.race([turn, waitUntilGone(signal)]);
  lane.waiting -= 1;
  if (lane.waiting === 0) lanes.delete(key);
  if (signal?.aborted) throw createLaneFullError();
}

const waitUntilGone = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });

const createLaneFullError = () =>
  new AppError("RATE_LIMITED", "tooManyReportsHere", {}, { headers: { "Retry-After": "30" } });
