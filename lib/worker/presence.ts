import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { WORKER_PRESENCE_LOCK } from "#lib/database/advisory-locks.ts";
import { connectClient } from "#lib/database/connections.ts";
import { log } from "#lib/observability/log.ts";

const MAX_UNLOCK_ATTEMPTS = 5;

export type PresenceLock = {
  /** Settles when the connection ends, and the lock with it. */
  lost: Promise<void>;
  end(): Promise<void>;
};

/**
 * The queue keeps a job locked to its worker for four hours, also when that worker was killed: its mails
 * would wait as long. Every worker process therefore holds a shared lock in the database, which ends with
 * its connection. A process that starts and finds nobody holding it frees what dead workers had taken.
 * With other processes alive nothing is freed, and the four hours hold.
 * @param formerWorkerIds workers of this process that have ended: what they had taken is freed in any case
 */
export async function acquirePresenceLock(
  url: string,
  formerWorkerIds: string[] = [],
): Promise<PresenceLock> {
  const client = await connectClient(url, { applicationName: "heed-jobs-presence", keepsRestoresAway: true });
  client.on("error", () => log.warn("job worker lost its presence lock"));
  const lost = new Promise<void>((resolve) => client.once("end", () => resolve()));
  const end = () => client.end().catch(() => {});
  try {
    await client.query("select graphile_worker.force_unlock_workers($1::text[])", [formerWorkerIds]);
    // The server may take a moment to notice that a killed process is gone.
    for (let attempt = 1; attempt <= MAX_UNLOCK_ATTEMPTS; attempt += 1) {
      if (await unlockAbandonedJobs(client)) break;
      await sleep(300);
    }
    await client.query("select pg_advisory_lock_shared($1)", [WORKER_PRESENCE_LOCK]);
    return { lost, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function unlockAbandonedJobs(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ alone: boolean }>("select pg_try_advisory_lock($1) as alone", [
    WORKER_PRESENCE_LOCK,
  ]);
  if (!rows[0]?.alone) return false;
  try {
    await client.query(`select graphile_worker.force_unlock_workers(array(
      select locked_by from graphile_worker._private_jobs where locked_by is not null
      union select locked_by from graphile_worker._private_job_queues where locked_by is not null))`);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [WORKER_PRESENCE_LOCK]);
  }
  return true;
}
