import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { waitUntil } from "./wait.ts";

/** How long the locks are held once a statement waits for them, so that others of the work come to wait as well. */
const LOCK_WAIT_MS = 700;

/**
 * Locks an incident for `runWhileLocked`. `for update` would also block jobs that insert a reference to it, such as a
 * notification, and these would be counted among the blocked statements.
 */
export const LOCK_INCIDENT_SQL = "select 1 from incidents where id = $1 for no key update";

/** What a test's connection calls itself for whose locks `waitForBlockedStatements` looks. */
export const LOCK_HOLDER = "heed-test-lock";

/** Statements that wait for a lock of a test, or for one that waits for it. Those that wait for a job don't count. */
const BLOCKED_STATEMENTS_SQL = `
  with recursive waiting as materialized (
    select pid, pg_blocking_pids(pid) as blockers from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  ), blocked as (
    select pid from pg_stat_activity where datname = current_database() and application_name = $1
    union
    select w.pid from waiting w join blocked b on b.pid = any(w.blockers)
  )
  select count(*)::int as n from waiting join blocked using (pid)`;

/**
 * Holds the locks of a statement until work that needs them is blocked, so that a race always has the same order.
 * @param asFarAsItCan resolves when the work has come as far as it can; by default, a moment after one of its statements
 * waits for a lock, or the work has ended without that @returns the result of the work
 */
export async function runWhileLocked<T>(
  statement: string,
  values: unknown[],
  begin: () => Promise<T>,
  asFarAsItCan?: () => Promise<unknown>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: process.env.DATABASE_URL,
    application_name: LOCK_HOLDER,
  });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(statement, values);
    const begun = begin();
    let hasEnded = false;
    // The promise is awaited below; this handles a failure before that.
    void begun.catch(() => {}).finally(() => (hasEnded = true));
    await (asFarAsItCan ? asFarAsItCan() : waitUntilBlockedOrEnded(() => hasEnded));
    await client.query("commit");
    return await begun;
  } finally {
    await client.end();
  }
}

async function waitUntilBlockedOrEnded(hasEnded: () => boolean): Promise<void> {
  await waitForBlockedStatements(1, hasEnded);
  await sleep(LOCK_WAIT_MS);
}

/**
 * Waits until this many statements wait for a lock of `runWhileLocked`.
 * @param hasEnded whether there is nothing left to wait for @throws Error after 50 seconds
 */
export async function waitForBlockedStatements(
  count = 1,
  hasEnded: () => boolean = () => false,
): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    await waitUntil(`${count} waiting for a lock`, async () => {
      const { rows } = await client.query<{ n: number }>(BLOCKED_STATEMENTS_SQL, [LOCK_HOLDER]);
      return (rows[0]?.n ?? 0) >= count || hasEnded();
    });
  } finally {
    await client.end();
  }
}
