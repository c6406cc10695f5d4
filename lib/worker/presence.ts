import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { WORKER_PRESENCE_LOCK } from "#lib/database/advisory-locks.ts";
import { connectClient } from "#lib/database/connections.ts";
import { unlockJobsOfAllWorkers } from "#lib/jobs/library-tables.ts";
import { log } from "#lib/observability/log.ts";

const MAX_UNLOCK_ATTEMPTS = 5;

export type WorkerPresenceLock = {
  /** Settles when the connection ends, and the lock with it. */
  lost: Promise<void>;
  end(): Promise<void>;
};

/**
 * Takes a shared database lock for this worker process, which ends with its connection. The queue keeps a job locked
 * to its worker for four hours, even if that worker was killed, so its mails would wait as long. A starting process
 * that finds no other holder of the lock therefore unlocks the jobs of dead workers. While other processes run,
 * nothing is unlocked, and the four hours apply.
 * @param formerWorkerIds ended workers of this process, whose jobs are unlocked in any case
 */
export async function acquireWorkerPresenceLock(
  url: string,
  formerWorkerIds: string[] = [],
): Promise<WorkerPresenceLock> {
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
    await unlockJobsOfAllWorkers(client);
  } finally {
    await client.query("select pg_advisory_unlock($1)", [WORKER_PRESENCE_LOCK]);
  }
  return true;
}
