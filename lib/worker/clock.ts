import { setTimeout as sleep } from "node:timers/promises";
import { prisma } from "#lib/database/client.ts";
import { resetFutureJobTimes, resetFutureScheduleTimes } from "#lib/jobs/library-tables.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

const CHECK_INTERVAL_MS = 5000;
/** Checks between two looks at the stored times: three minutes. */
const CHECKS_PER_RESET = 36;
/** Clocks are corrected by less than this while a service runs. */
const MAX_CLOCK_STEP_MS = 2 * 60_000;
/** Another machine whose clock is ahead writes such times again and again; a restart each time would end long jobs. */
const RESTART_INTERVAL_MS = 3600_000;

/** When a reset last led to a restart of the schedule, by the process's timer. */
let restartedAt = -Infinity;

/**
 * Waits until the schedule of jobs has to start again: because the clock was set forward or back while this process
 * ran, or because stored times were ahead of it and have been reset. The job library would catch up minute by minute
 * with a clock that was set forward, and wait for the former time after it was set back.
 */
export async function waitForClockChange(stopping: AbortSignal): Promise<void> {
  const offset = readClockOffset();
  for (let checks = 1; await sleepUnlessStopping(stopping); checks += 1) {
    const step = readClockOffset() - offset;
    if (Math.abs(step) > MAX_CLOCK_STEP_MS) {
      log.warn({ source: "jobs", seconds: Math.round(step / 1000) }, "the clock was changed");
      return;
    }
    if (checks % CHECKS_PER_RESET === 0 && (await tryResetFutureTimes()) && mayRestart()) return;
  }
}

function mayRestart(): boolean {
  if (performance.now() - restartedAt < RESTART_INTERVAL_MS) return false;
  restartedAt = performance.now();
  return true;
}

/** The time by the clock, less the time by a timer that nobody sets. Time asleep counts as a step forward. */
const readClockOffset = (): number => Date.now() - performance.now();

const sleepUnlessStopping = (stopping: AbortSignal): Promise<boolean> =>
  sleep(CHECK_INTERVAL_MS, true, { signal: stopping, ref: false }).catch(() => false);

const tryResetFutureTimes = (): Promise<boolean> =>
  resetFutureTimes().catch((error: unknown) => {
    log.debug({ reason: describeErrorForLog(error) }, "times ahead of the clock were not looked for");
    return false;
  });

/**
 * Resets what a clock ahead of time left in the future, and would stay there until the correct clock reaches it: times of
 * the schedule, and jobs, mails and events that are due later than any rule postpones them.
 * @returns whether times of the schedule were reset
 */
export async function resetFutureTimes(): Promise<boolean> {
  const now = new Date();
  const latest = { gt: new Date(now.getTime() + DAY_MS) };
  const isScheduleReset = await resetFutureScheduleTimes();
  await resetFutureJobTimes();
  await prisma.notification.updateMany({ where: { mailDue: latest }, data: { mailDue: now } });
  await prisma.notification.updateMany({ where: { digestDue: latest }, data: { digestDue: now } });
  await prisma.outboxEvent.updateMany({ where: { dueAt: latest }, data: { dueAt: now } });
  if (isScheduleReset)
    log.warn({ source: "jobs" }, "scheduled jobs were last queued in the future: their times are reset");
  return isScheduleReset;
}
