import { prisma, sql } from "#lib/database/client.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { ConsecutiveFailureBackoff } from "./backoff.ts";
import { endJobRetries } from "#lib/jobs/library-tables.ts";
import type { JobQueue } from "#lib/jobs/queues.ts";

/**
 * Outcomes of each queue's latest attempts. Consecutive failures are stored in the database, since the process that
 * reads the installation's health may not be the one that runs the jobs.
 */

/** Pauses mails while the mail server fails; each webhook has its own pauses. */
export const mailQueueBackoff = new ConsecutiveFailureBackoff();

/** Resets a queue's consecutive failures. Writes nothing if there are none. */
export async function resetJobQueueFailures(queue: JobQueue): Promise<void> {
  if (queue === "mail") mailQueueBackoff.succeed();
  const where = { queue, failures: { gt: 0 } };
  await writeBestEffort(
    prisma.jobQueueFailures.updateMany({ where, data: { failures: 0, failingSince: null } }),
  );
}

/** Counts and logs a failure of a queue's job. @param reason the task and a code, without any content of the job */
export async function recordJobFailure(queue: JobQueue, reason: string): Promise<void> {
  if (queue === "mail") mailQueueBackoff.fail();
  logFailure(queue, reason);
  await writeBestEffort(storeFailures(queue, null));
}

/**
 * Records that the mail server refused one mail. Refusals of the same recipient count once, since they say nothing
 * about other mails.
 * @param reason the task and a code, without any content of the job
 * @returns whether enough different recipients were refused in a row for the server to count as failing
 */
export async function recordMailRefusal(reason: string, recipient: string): Promise<boolean> {
  const consecutiveFailures = mailQueueBackoff.fail(recipient);
  logFailure("mail", reason);
  await writeBestEffort(storeFailures("mail", consecutiveFailures));
  return mailQueueBackoff.isServerFailing;
}

/** Stores how often a queue has failed: at least so often, or once more if that is null. */
const storeFailures = (queue: JobQueue, atLeast: number | null): Promise<unknown> => sql.$executeRaw`
  insert into job_queue_failures as q (queue, failures, failing_since) values (${queue}, ${atLeast ?? 1}::int, now())
  on conflict (queue) do update set failures = greatest(coalesce(${atLeast}::int, q.failures + 1), q.failures),
    failing_since = coalesce(q.failing_since, now())`;

/**
 * Attempts at a mail whose recipient is permanently refused. They take about four minutes together, in case the server
 * refuses the recipient only because of a brief misconfiguration.
 */
const UNDELIVERABLE_AFTER_TRIES = 6;

/** Part of the error of an undeliverable mail's job (`<task>: undeliverable <code>`). */
export const UNDELIVERABLE_MAIL_ERROR_TEXT = "undeliverable";

/** Ends the retries of a permanently refused mail after several attempts. @returns whether it was given up */
export async function giveUpRefusedMailAfterRetries(
  task: string,
  job: { id: string; attempts: number },
): Promise<boolean> {
  if (job.attempts < UNDELIVERABLE_AFTER_TRIES) return false;
  const isEnded = await endJobRetries(job.id).catch(() => false);
  if (isEnded)
    log.warn({ source: "jobs", queue: "mail", task }, "a mail is undeliverable: it was refused for good");
  return isEnded;
}

/** Waits for a write and ignores its failure: a job must not fail because its outcome couldn't be counted. */
const writeBestEffort = (write: Promise<unknown>): Promise<void> =>
  write.then(
    () => {},
    (error: unknown) =>
      log.debug({ reason: describeErrorForLog(error) }, "the outcome of a job was not counted"),
  );

const LOG_INTERVAL_MS = 60_000;
const lastLogged = new Map<JobQueue, { at: number; unlogged: number }>();

/** Logs one line a minute for each queue: the first failure at once, and later the number since. */
function logFailure(queue: JobQueue, reason: string): void {
  const last = lastLogged.get(queue);
  if (last && performance.now() - last.at < LOG_INTERVAL_MS) {
    last.unlogged += 1;
    return;
  }
  lastLogged.set(queue, { at: performance.now(), unlogged: 0 });
  log.warn({ source: "jobs", queue, failed: 1 + (last?.unlogged ?? 0), reason }, "jobs failed");
}
