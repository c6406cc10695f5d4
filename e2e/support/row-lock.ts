import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const LONG_ENOUGH_MS = 700;

/**
 * Holds what a statement locks until what was begun has come as far as it can, so that a race which needs luck happens
 * each time.
 * @param asFarAsItCan resolves when it has; a while when not given
 * @returns what was begun, once it is done
 */
export async function whileLocked<T>(
  statement: string,
  values: unknown[],
  begin: () => Promise<T>,
  asFarAsItCan: () => Promise<unknown> = () => sleep(LONG_ENOUGH_MS),
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
