import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";

/**
 * Keeps the rows that a test inserts directly in order: the database stores times in milliseconds, and rows of the same
 * one are listed in the order of their random ids.
 */

/** Waits until what is written next is at least a millisecond newer. */
export async function waitForNextMillisecond(): Promise<void> {
  const start = performance.now();
  // Timers may fire a little early.
  while (performance.now() - start < 1) await wait(1);
}

/** Runs a statement and returns its rows; one that writes is followed by a wait for the next millisecond. */
export async function runInOrder<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>(statement, values);
  if (!/^\s*select/iu.test(statement)) await waitForNextMillisecond();
  return rows;
}
