import type { SystemHealthRecord } from "#lib/admin/schema.ts";
import { WORKER_PRESENCE_LOCK } from "#lib/database/advisory-locks.ts";
import { sql } from "#lib/database/client.ts";
import { UNDELIVERABLE_MAIL_ERROR_TEXT } from "#lib/jobs/outcomes.ts";
import type { JobQueue } from "#lib/jobs/queues.ts";

/** Queries for the parts of the installation's health that are in the database. */

/** Sends the shortest statement, whose time says how fast the database responds. */
export const pingDatabase = (): Promise<unknown> => sql.$queryRaw`select 1`;

type DatabaseRow = {
  version: string;
  bytes: bigint;
  applied: number;
  latest: string | null;
  unfinished: number;
};

/** Finds the version and size of the database, and the migrations that it has. */
export async function findDatabaseHealthRow(): Promise<DatabaseRow | undefined> {
  const [row] = await sql.$queryRaw<DatabaseRow[]>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      count(*) filter (where finished_at is not null)::int as applied,
      max(migration_name) filter (where finished_at is not null) as latest,
      count(*) filter (where finished_at is null)::int as unfinished
    from _prisma_migrations where rolled_back_at is null`;
  return row;
}

const MAX_LISTED_PROBLEMS = 50;

/** Lists faulty files of evidence, without those of hidden incidents. */
export const listEvidenceProblems = (
  hidden: readonly string[],
): Promise<SystemHealthRecord["evidence"]["problems"]> =>
  sql.$queryRaw<SystemHealthRecord["evidence"]["problems"]>`
    select p.file_id as "fileId", f.incident_id as "incidentId", p.part::text, p.fault::text, p.found_at as "foundAt"
    from evidence_problems p join related_files f on f.id = p.file_id
    where f.incident_id <> all(${hidden}::uuid[])
    order by p.found_at, p.file_id, p.part limit ${MAX_LISTED_PROBLEMS}`;

export type JobQueueHealthRow = {
  queue: JobQueue;
  waiting: number;
  oldest: Date | null;
  /** Seconds that the oldest waiting job has waited. */
  lag: number;
  failed: number;
  undeliverable: number;
  failures: number;
  failingSince: Date | null;
};

/**
 * Matches the errors of jobs that a remote server refused. The lag of such a job counts from its next try, since each
 * has its own retry delay; the pages of webhooks show the failures themselves.
 */
const REMOTE_REFUSAL_PATTERN = ": WebhookReceiverError$";

/**
 * Lists each queue with the number of its waiting jobs, running and retried ones included, and its failures. The lag
 * counts a retried job from when it was queued, and leaves out running jobs, except mails, which take seconds.
 */
export const listJobQueueHealthRows = (): Promise<JobQueueHealthRow[]> => sql.$queryRaw<JobQueueHealthRow[]>`
  with job as (
    select case when task_identifier like 'mail.%' then 'mail' when task_identifier = 'webhook.deliver' then 'webhooks'
        else 'maintenance' end as queue,
      created_at, locked_at is null or task_identifier like 'mail.%' as idle, attempts >= max_attempts as ended,
      coalesce(last_error like ${`%: ${UNDELIVERABLE_MAIL_ERROR_TEXT} %`}, false) as undeliverable,
      attempts < max_attempts and (run_at <= now() or attempts > 0) as waiting,
      case when attempts = 0 or last_error ~ ${REMOTE_REFUSAL_PATTERN} then run_at else created_at end as since
    from graphile_worker.jobs
  ), queued as (
    select queue, count(*) filter (where waiting)::int as waiting, min(created_at) filter (where waiting) as oldest,
      coalesce(extract(epoch from now() - min(since) filter (where waiting and idle and since <= now())), 0)::int as lag,
      count(*) filter (where ended and not undeliverable)::int as failed,
      count(*) filter (where ended and undeliverable)::int as undeliverable
    from job group by queue
  )
  select queue, coalesce(waiting, 0) as waiting, oldest, coalesce(lag, 0) as lag, coalesce(failed, 0) as failed,
    coalesce(undeliverable, 0) as undeliverable, coalesce(failures, 0) as failures, failing_since as "failingSince"
  from queued full join job_queue_failures using (queue)`;

/** Counts workers by the advisory lock that each one holds. */
export async function countWorkers(): Promise<number> {
  const [row] = await sql.$queryRaw<{ workers: number }[]>`
    select count(*)::int as workers from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.classid = 0 and l.objid = ${WORKER_PRESENCE_LOCK}::int8::oid
      and l.database = (select oid from pg_database where datname = current_database())`;
  return row?.workers ?? 0;
}
