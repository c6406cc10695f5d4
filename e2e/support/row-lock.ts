import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { waitUntil } from "./wait.ts";

const LOCK_WAIT_MS = 700;

/**
 * Holds what a statement locks until what was begun has come as far as it can, so that a race which needs luck happens
 * each time.
 * @param asFarAsItCan resolves when it has; a while when not given
 * @returns what was begun, once it is done
 */
export async function runWhileLocked<T>(
  statement: string,
  values: unknown[],
  begin: () => Promise<T>,
  asFarAsItCan: () => Promise<unknown> = () => sleep(LOCK_WAIT_MS),
): Promise<T> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(statement, values);
    const begun = begin();
    // It is awaited below; a failure before that is no unhandled one.
    begun.catch(() => {});
    await asFarAsItCan();
    await client.query("commit");
    return await begun;
  } finally {
    await client.end();
  }
}

/** Until so many statements wait for what somebody else has locked. @throws Error after 20 seconds */
export async function waitForBlockedStatements(count = 1): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    await waitUntil(`${count} waiting for a lock`, async () => {
      const { rows } = await client.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return (rows[0]?.n ?? 0) >= count;
    });
  } finally {
    await client.end();
  }
}
