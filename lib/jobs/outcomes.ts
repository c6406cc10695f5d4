import { db } from "#lib/db.ts";
import { reasonOf } from "#lib/files/failures.ts";
import { log } from "#lib/log.ts";
import { Backoff } from "./backoff.ts";
import type { Queue } from "./queues.ts";

/**
 * What came of the last tries of each queue. Failures in a row are kept in the database, since who reads the health of
 * the installation may be another process than the one that works.
 */

/** A mail server that refuses everything is left alone for a while; each webhook has pauses of its own. */
export const mailBackoff = new Backoff();

/** Ends the run of failures of a queue. Where there is none, nothing is written. */
export async function recordSuccess(queue: Queue): Promise<void> {
  if (queue === "mail") mailBackoff.succeed();
  await count(db.$executeRaw`
    update job_queue_failures set failures = 0, failing_since = null where queue = ${queue} and failures > 0`);
}

/** @param reason the task and a code, without a word of the job's content */
export async function recordFailure(queue: Queue, reason: string): Promise<void> {
  if (queue === "mail") mailBackoff.fail();
  logFailure(queue, reason);
  await count(db.$executeRaw`
    insert into job_queue_failures as q (queue, failures, failing_since) values (${queue}, 1, now())
    on conflict (queue) do update set failures = q.failures + 1, failing_since = coalesce(q.failing_since, now())`);
}

/** A job is not undone because its outcome could not be counted. */
const count = (write: Promise<number>): Promise<void> =>
  write.then(
    () => {},
    (error: unknown) => log.debug({ reason: reasonOf(error) }, "the outcome of a job was not counted"),
  );

const LOG_INTERVAL_MS = 60_000;
const lastLogged = new Map<Queue, { at: number; unlogged: number }>();

/** One line a minute for each queue: the first failure at once, and later how many there were since. */
function logFailure(queue: Queue, reason: string): void {
  const last = lastLogged.get(queue);
  if (last && Date.now() - last.at < LOG_INTERVAL_MS) {
    last.unlogged += 1;
    return;
  }
  lastLogged.set(queue, { at: Date.now(), unlogged: 0 });
  log.warn(
    { source: "jobs", queue, failed: 1 + (last?.unlogged ?? 0), reason },
    "jobs failed and are tried again",
  );
}
