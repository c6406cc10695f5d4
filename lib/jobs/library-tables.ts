import type pg from "pg";
import { sql } from "#lib/database/client.ts";

/**
 * The only statements that use the private tables of graphile-worker, which may change with any of its versions. Its
 * public interface (the view `jobs` and its functions) serves everywhere else, but lacks three things: it changes no
 * job that is running, its view has no payloads, and it doesn't say which workers hold queues.
 */

/** Makes the present attempt of a running job its last. @returns whether the job still exists */
export async function endJobRetries(jobId: string): Promise<boolean> {
  const updatedCount = await sql.$executeRaw`
    update graphile_worker._private_jobs set max_attempts = attempts where id = ${jobId}::bigint`;
  return updatedCount > 0;
}

/** Deletes jobs that the schedule started and that failed for good more than six hours ago. */
export async function deleteFailedScheduledJobs(): Promise<void> {
  await sql.$executeRaw`
    delete from graphile_worker._private_jobs
    where attempts >= max_attempts and locked_at is null and payload -> '_cron' is not null
      and run_at < now() - interval '6 hours'`;
}

/**
 * Unlocks the jobs and queues of all workers, so that others take them. A queue may be locked without a job, when its
 * job was deleted while it ran.
 */
export async function unlockJobsOfAllWorkers(client: pg.Client): Promise<void> {
  await client.query(`select graphile_worker.force_unlock_workers(array(
    select locked_by from graphile_worker._private_jobs where locked_by is not null
    union select locked_by from graphile_worker._private_job_queues where locked_by is not null))`);
}
