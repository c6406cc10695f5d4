import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createUser } from "#e2e/support/rows.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { loadSystemHealth } from "#lib/admin/health.ts";
import { resetFutureScheduleTimes } from "#lib/jobs/library-tables.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { startWorker, type JobWorker } from "#lib/worker/worker.ts";

/** Scheduled and postponed jobs after the clock was ahead of time. */

const HOUR_MS = 3600_000;
let worker: JobWorker | undefined;

const startTestWorker = async () => void (worker = await startWorker(process.env.DATABASE_URL ?? ""));
const stopTestWorker = async () => {
  await worker?.stop();
  worker = undefined;
};
const moveScheduleAhead = () => sql.$executeRaw`
  update graphile_worker._private_known_crontabs set known_since = now() + interval '1 year',
    last_execution = now() + interval '1 year'`;
/** The rules are applied hourly, which is made up for at the start of the schedule. */
const hasAppliedRetentionNow = async () => {
  const [row] = await sql.$queryRaw<{ applied: boolean }[]>`
    select last_execution between now() - interval '1 hour' and now() as applied
    from graphile_worker._private_known_crontabs where identifier = 'applyRetention'`;
  return row?.applied;
};
const countFutureTimes = async () => {
  const [row] = await sql.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from graphile_worker._private_known_crontabs where last_execution > now()`;
  return row?.count;
};
const loadJobsHealth = async () => (await loadSystemHealth([])).jobs;

beforeEach(async () => {
  await startTestWorker();
  await waitUntil("the schedule has started", async () => (await loadJobsHealth()).lastScheduledAt);
});
afterEach(async () => {
  vi.useRealTimers();
  await stopTestWorker();
});

test("a worker that starts after the clock was a year ahead makes up for scheduled jobs", async () => {
  await stopTestWorker();
  await moveScheduleAhead();
  await startTestWorker();
  await waitUntil("the hourly job was queued", hasAppliedRetentionNow);
  expect(await countFutureTimes()).toBe(0);
});

test("a running worker starts its schedule again after its clock was set back", async () => {
  await moveScheduleAhead();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
  await waitUntilByTimer("the schedule was reset", async () => (await countFutureTimes()) === 0);
});

test("a schedule that first started with a clock ahead of time is reset, too", async () => {
  await stopTestWorker();
  await sql.$executeRaw`
    update graphile_worker._private_known_crontabs set known_since = now() + interval '1 day', last_execution = null`;
  expect(await resetFutureScheduleTimes()).toBe(true);
  expect(await resetFutureScheduleTimes()).toBe(false);
});

test("the health of the installation fails while the schedule's times lie in the future or long ago", async () => {
  // As at a full minute, which may be up to a minute away.
  await sql.$executeRaw`update graphile_worker._private_known_crontabs set last_execution = now()`;
  // Until they have run, jobs that were made up for count as late.
  await expect.poll(loadJobsHealth).toMatchObject({ status: "ok", scheduleStopped: false });
  await moveScheduleAhead();
  expect(await loadJobsHealth()).toMatchObject({ status: "failed", scheduleStopped: true });
  await sql.$executeRaw`
    update graphile_worker._private_known_crontabs set known_since = now() - interval '1 day',
      last_execution = now() - interval '16 minutes'`;
  expect(await loadJobsHealth()).toMatchObject({ status: "failed", scheduleStopped: true });
  await sql.$executeRaw`
    update graphile_worker._private_known_crontabs set last_execution = now() - interval '14 minutes'
    where identifier = 'escalateUnanswered'`;
  await expect.poll(loadJobsHealth).toMatchObject({ status: "ok", scheduleStopped: false });
});

test("jobs, mails and events that are due too far ahead are due at once, and scheduled jobs of the future go", async () => {
  await stopTestWorker();
  const { id: userId } = await createUser();
  const inAYear = new Date(Date.now() + 365 * 24 * HOUR_MS);
  const inAnHour = new Date(Date.now() + HOUR_MS);
  for (const [deduplicationId, due] of [
    ["far", inAYear],
    ["near", inAnHour],
  ] as const)
    await prisma.notification.create({
      data: { userId, kind: "incident.submitted", deduplicationId, mailDue: due, digestDue: due },
    });
  await sql.$executeRaw`
    select graphile_worker.add_job('mail.reset', '{"email": "nobody@example.org"}', run_at => ${inAYear}, job_key => 'far'),
      graphile_worker.add_job('mail.reset', '{"email": "nobody@example.org"}', run_at => ${inAnHour}, job_key => 'near'),
      graphile_worker.add_job('sweepRows', '{"_cron": {}}', run_at => ${inAYear}, job_key => 'scheduled')`;
  await startTestWorker();
  await waitUntil("the job of the far future has run", async () => {
    const jobs = await sql.$queryRaw<{ key: string }[]>`
      select key from graphile_worker.jobs where key is not null order by key`;
    return jobs.length === 1 && jobs[0]?.key === "near";
  });
  const notifications = await prisma.notification.findMany({ where: { userId } });
  const isDue = (time: Date | null) => time !== null && time.getTime() <= Date.now();
  expect(
    Object.fromEntries(
      notifications.map((one) => [one.deduplicationId, [isDue(one.mailDue), isDue(one.digestDue)]]),
    ),
  ).toEqual({ far: [true, true], near: [false, false] });
});

/** Waits without the clock. */
const waitUntilByTimer = (what: string, check: () => Promise<boolean>) =>
  vi.waitFor(async () => expect(await check(), what).toBe(true), { timeout: 50_000, interval: 50 });
