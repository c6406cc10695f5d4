import { setTimeout as sleep } from "node:timers/promises";

/** Waits for tests during which a period of the clock, such as an hour or a UTC day, must not end. */

export const DAY_MS = 24 * 3_600_000;
export const HOUR_MS = 3_600_000;
export const QUARTER_HOUR_MS = 900_000;

/** Time for what the service writes when a period ends. */
const SETTLE_MS = 5000;

/** Waits for the next period if less than `neededMs` of the present one is left. Periods are counted from 1970, in UTC. */
export async function waitForPeriodWith(neededMs: number, periodMs: number): Promise<void> {
  const leftMs = periodMs - (Date.now() % periodMs);
  if (leftMs < neededMs) await sleep(leftMs + SETTLE_MS);
}

const FIVE_MINUTES_MS = 300_000;
const JOB_RUN_MS = 10_000;

/** Waits until the jobs that run every five minutes (lib/worker/tasks.ts) have run, and don't run soon. */
export async function waitBetweenFiveMinuteJobs(): Promise<void> {
  await waitForPeriodWith(JOB_RUN_MS, FIVE_MINUTES_MS);
  const agoMs = Date.now() % FIVE_MINUTES_MS;
  if (agoMs < JOB_RUN_MS) await sleep(JOB_RUN_MS - agoMs);
}
