import type pg from "pg";
import { sql } from "#lib/database/client.ts";

/**
 * The only statements that use the private tables of graphile-worker, which may change with any of its versions. Its
 * public interface (the view `jobs` and its functions) serves everywhere else, but lacks five things: it changes no
 * job that is running, its view has no payloads, it doesn't say which workers hold queues, it neither shows nor changes
 * when scheduled jobs were last queued, and it doesn't skip jobs that somebody else is changing.
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

/** When the schedule last queued a job or, if it hasn't yet, when it started. */
type ScheduleStatus = { lastQueuedAt: Date | null; isStopped: boolean };

/**
 * Finds out when the schedule last queued a job. It does so every minute, so it has stopped if that is a while ago, or
 * if it lies in the future. Where the clocks of the service and the database differ, both have to say so.
 */
export async function findScheduleStatus(): Promise<ScheduleStatus> {
  const [row] = await sql.$queryRaw<ScheduleStatus[]>`
    select last as "lastQueuedAt", coalesce(last > greatest(now(), ${new Date()}::timestamptz) + interval '2 minutes'
      or last < least(now(), ${new Date()}::timestamptz) - interval '15 minutes', false) as "isStopped"
    from (select max(coalesce(last_execution, known_since)) as last from graphile_worker._private_known_crontabs) s`;
  return row ?? { lastQueuedAt: null, isStopped: false };
}

/**
 * Resets times of the schedule that a clock ahead of time wrote: the library queues no scheduled job before the time at
 * which it was last queued. They become a day old, so that the next start of the schedule makes up for missed runs. Jobs
 * that were scheduled for the future are deleted.
 * @returns whether there were such times
 */
export async function resetFutureScheduleTimes(): Promise<boolean> {
  await sql.$executeRaw`
    delete from graphile_worker._private_jobs where locked_at is null and payload -> '_cron' is not null
      and run_at > greatest(now(), ${new Date()}::timestamptz) + interval '10 minutes'`;
  const resetCount = await sql.$executeRaw`
    update graphile_worker._private_known_crontabs set last_execution = ${new Date()}::timestamptz - interval '1 day',
      known_since = least(known_since, ${new Date()}::timestamptz - interval '1 day')
    where coalesce(last_execution, known_since) > greatest(now(), ${new Date()}::timestamptz) + interval '2 minutes'`;
  return resetCount > 0;
}

/** Makes jobs due that a clock ahead of time postponed further than the library's longest delay, about six hours. */
export async function resetFutureJobTimes(): Promise<void> {
  await sql.$executeRaw`
    update graphile_worker._private_jobs set run_at = now()
    where locked_at is null and run_at > greatest(now(), ${new Date()}::timestamptz) + interval '1 day'`;
}

/**
 * Puts the due jobs of an organization's webhooks behind those of all others: the library runs jobs in the order of
 * their times, and those of the same time in any order, so each gets a time of its own. Changes nothing unless another
 * organization has a due job.
 * @param deliveryId a delivery of the organization, whose turn begins; one that doesn't wait begins none
 */
export async function moveWebhookJobsBehindOtherOrganizations(deliveryId: string): Promise<void> {
  await sql.$executeRaw`
    with own as materialized (
      select q.id from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        join webhooks o on o.organization_id = w.organization_id
        join graphile_worker._private_job_queues q on q.queue_name = 'webhook:' || o.id
      where d.id = ${deliveryId}::uuid and d.state = 'waiting'
    ), due as (
      select j.id, j.run_at from graphile_worker._private_jobs j
      where j.job_queue_id in (select id from own) and j.is_available and j.run_at <= now() and exists (
        select from graphile_worker._private_jobs o join graphile_worker._private_job_queues q on q.id = o.job_queue_id
        where q.queue_name like 'webhook:%' and q.id not in (select id from own) and o.is_available and o.run_at <= now())
      for update of j skip locked
    ), ordered as (
      select id, row_number() over (order by run_at, id) as place from due
    )
    update graphile_worker._private_jobs j set run_at = now() + ordered.place * interval '1 microsecond'
    from ordered where j.id = ordered.id`;
}
