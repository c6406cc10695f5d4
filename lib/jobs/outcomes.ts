import { db } from "#lib/database/client.ts";
import { reasonOf } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { Backoff } from "./backoff.ts";
import type { JobQueue } from "#lib/jobs/queues.ts";

/**
 * What came of the last tries of each queue. Failures in a row are kept in the database, since who reads the health of
 * the installation may be another process than the one that works.
 */

/** A mail server that fails is left alone for a while; each webhook has pauses of its own. */
export const mailBackoff = new Backoff();

/** Ends the run of failures of a queue. Where there is none, nothing is written. */
export async function recordJobSuccess(queue: JobQueue): Promise<void> {
  if (queue === "mail") mailBackoff.succeed();
  await writeBestEffort(db.$executeRaw`
    update job_queue_failures set failures = 0, failing_since = null where queue = ${queue} and failures > 0`);
}

/** @param reason the task and a code, without a word of the job's content */
export async function recordJobFailure(queue: JobQueue, reason: string): Promise<void> {
  if (queue === "mail") mailBackoff.fail();
  logFailure(queue, reason);
  await writeBestEffort(db.$executeRaw`
    insert into job_queue_failures as q (queue, failures, failing_since) values (${queue}, 1, now())
    on conflict (queue) do update set failures = q.failures + 1, failing_since = coalesce(q.failing_since, now())`);
}

/**
 * The mail server refused one mail. Refusals of the same recipient count once, since they say nothing about other mails.
 * @param reason as above
 * @returns whether so many different recipients were refused in a row that the server counts as failing
 */
export async function recordMailRefusal(reason: string, recipient: string): Promise<boolean> {
  const consecutiveFailures = mailBackoff.fail(recipient);
  logFailure("mail", reason);
  await writeBestEffort(db.$executeRaw`
    insert into job_queue_failures as q (queue, failures, failing_since) values ('mail', ${consecutiveFailures}::int, now())
    on conflict (queue) do update set failures = greatest(q.failures, excluded.failures),
      failing_since = coalesce(q.failing_since, now())`);
  return mailBackoff.isServerFailing;
}

/** A mail whose recipient is refused for good is tried so often, over four minutes: a server may be set up wrongly. */
const UNDELIVERABLE_AFTER_TRIES = 6;

/** Stands in the error of the job of an undeliverable mail (`<task>: undeliverable <code>`). */
export const UNDELIVERABLE_MARKER = "undeliverable";

/** An operator's own address: while it is refused, the health of the audit log says so. */
const ALWAYS_RETRIED_TASK = "mail.auditCheckpoint";

/** Ends the tries of a mail that was refused for good. @returns whether it was given up */
export async function giveUpRefusedMail(
  task: string,
  job: { id: string; attempts: number },
): Promise<boolean> {
  if (task === ALWAYS_RETRIED_TASK || job.attempts < UNDELIVERABLE_AFTER_TRIES) return false;
  const updatedCount = await db.$executeRaw`
    update graphile_worker._private_jobs set max_attempts = attempts where id = ${job.id}::bigint`.catch(
    () => 0,
  );
  if (updatedCount > 0)
    log.warn({ source: "jobs", queue: "mail", task }, "a mail is undeliverable: it was refused for good");
  return updatedCount > 0;
}

/** A job is not undone because its outcome could not be counted. */
const writeBestEffort = (write: Promise<number>): Promise<void> =>
  write.then(
    () => {},
    (error: unknown) => log.debug({ reason: reasonOf(error) }, "the outcome of a job was not counted"),
  );

const LOG_INTERVAL_MS = 60_000;
const lastLogged = new Map<JobQueue, { at: number; unlogged: number }>();

/** One line a minute for each queue: the first failure at once, and later how many there were since. */
function logFailure(queue: JobQueue, reason: string): void {
  const last = lastLogged.get(queue);
  if (last && Date.now() - last.at < LOG_INTERVAL_MS) {
    last.unlogged += 1;
    return;
  }
  lastLogged.set(queue, { at: Date.now(), unlogged: 0 });
  log.warn({ source: "jobs", queue, failed: 1 + (last?.unlogged ?? 0), reason }, "jobs failed");
}
