import type { SqlClient } from "#lib/database/sql.ts";
import { chooseJobPriority } from "./queues.ts";
import type { TaskPayloads } from "#lib/worker/tasks.ts";

type EnqueueOptions = {
  /** The earliest time to run it. */
  runAt?: Date;
  /** Total attempts, with growing delays up to about six hours; 25 (three days) by default. */
  maxAttempts?: number;
  /** Replaces a waiting job with the same key. */
  jobKey?: string;
  /** Jobs of the same queue run one after the other. */
  queue?: string;
};

/**
 * Queues a job inside the caller's transaction: it exists only if that transaction commits. Payloads hold ids and
 * addresses, never a token, a password or a report's text.
 */
export async function enqueueJob<Task extends keyof TaskPayloads>(
  tx: SqlClient,
  task: Task,
  payload: TaskPayloads[Task],
  { runAt, maxAttempts, jobKey, queue }: EnqueueOptions = {},
): Promise<void> {
  await tx.$executeRaw`
    select graphile_worker.add_job(
      identifier => ${task}::text,
      payload => ${JSON.stringify(payload)}::json,
      queue_name => ${queue ?? null}::text,
      run_at => ${runAt ?? null}::timestamptz,
      max_attempts => ${maxAttempts ?? null}::int,
      priority => ${chooseJobPriority(task)}::int,
      job_key => ${jobKey ?? null}::text)`;
}
