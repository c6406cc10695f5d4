import pg from "pg";
import { NOTIFICATION_MAIL_LOCK } from "#lib/database/advisory-locks.ts";
import { waitUntil } from "./wait.ts";

const MAX_WAIT_MS = 90_000;

/** The library inserts a job at each time of its schedule; a trigger that returns null skips the row. */
const SKIP_SCHEDULED_JOBS_SQL = `
  create function skip_scheduled_job() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger skip_scheduled_job before insert on graphile_worker._private_jobs
    for each row when (new.payload -> '_cron' is not null) execute function skip_scheduled_job()`;

/** In one statement, since events become jobs. */
const WORK_LEFT_SQL = `
  select kind as task from outbox_events
  union all select task_identifier from graphile_worker.jobs where attempts < max_attempts`;

/**
 * Runs a function while the service on the database of this test file writes to it only for requests. First all outbox
 * events and jobs are finished; meanwhile no scheduled job starts, no mail of notifications is queued.
 * @returns the result of the function
 * @throws Error when events or jobs are left after 90 seconds
 */
export async function runWithoutBackgroundWork<T>(work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL, application_name: "heed-test" });
  await client.connect();
  try {
    await client.query(SKIP_SCHEDULED_JOBS_SQL);
    await client.query("select pg_advisory_lock($1)", [NOTIFICATION_MAIL_LOCK]);
    await waitUntil(
      "no outbox event and no job",
      async () => (await client.query(WORK_LEFT_SQL)).rows.length === 0,
      MAX_WAIT_MS,
    );
    return await work();
  } finally {
    await client.query("drop function if exists skip_scheduled_job cascade").finally(() => client.end());
  }
}
