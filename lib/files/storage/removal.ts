import { setTimeout as sleep } from "node:timers/promises";
import { FILE_REMOVAL_LOCK } from "#lib/database/advisory-locks.ts";
import { pool } from "#lib/database/client.ts";
import { isOutcomeUnknown } from "#lib/operation/errors.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { log } from "#lib/observability/log.ts";

/**
 * Does work that removes stored files, unless a backup runs, which may still have to copy them.
 * @returns whether it was done
 */
export async function runUnlessBackupActive(work: () => Promise<unknown>): Promise<boolean> {
  const client = await pool().connect();
  let releaseError: Error | undefined;
  try {
    const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_lock_shared($1) as free", [
      FILE_REMOVAL_LOCK,
    ]);
    if (!rows[0]?.free) return false;
    try {
      await work();
    } finally {
      await client
        .query("select pg_advisory_unlock_shared($1)", [FILE_REMOVAL_LOCK])
        .catch((error: Error) => {
          releaseError = error;
        });
    }
    return true;
  } finally {
    // A connection that may still hold the lock is closed, and the lock with it.
    client.release(releaseError);
  }
}

const MAX_REMOVAL_WAIT_MS = 1000;

/**
 * Takes files back whose rows never came. Where the database was lost on the way, the rows may come yet, once it has
 * finished a commit that it could not tell us of: then, and when something can't be removed now, it is left to the
 * sweeper. A storage that doesn't answer has kept the caller long enough after a second: the rest goes on by itself.
 * @param cause why the rows did not come
 */
export async function rollBackStoredFiles(keys: readonly string[], cause?: unknown): Promise<void> {
  if (keys.length === 0) return;
  if (isOutcomeUnknown(cause)) return logLeftToSweeper();
  const removals = keys.map((key) => getFileStorage().remove(key).catch(logLeftToSweeper));
  await Promise.race([Promise.all(removals), sleep(MAX_REMOVAL_WAIT_MS, undefined, { ref: false })]);
}

const logLeftToSweeper = () => log.warn("a file without a row is left to the sweeper");
