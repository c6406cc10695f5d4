import { setTimeout as sleep } from "node:timers/promises";
import { FILE_REMOVAL_LOCK } from "#lib/database/advisory-locks.ts";
import { getPrismaPool } from "#lib/database/client.ts";
import { isCommitOutcomeUnknownError } from "#lib/operation/errors.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { log } from "#lib/observability/log.ts";

/**
 * Runs work that removes stored files, unless a backup is running, which may still need to copy them.
 * @returns whether the work ran
 */
export async function runUnlessBackupActive(work: () => Promise<unknown>): Promise<boolean> {
  const client = await getPrismaPool().connect();
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
    // Closes a connection that may still hold the lock, which releases the lock.
    client.release(releaseError);
  }
}

const MAX_REMOVAL_WAIT_MS = 1000;

/**
 * Removes stored files whose rows weren't written. If the connection to the database was lost, a commit may still
 * succeed and write the rows; in that case, and when a file can't be removed now, the sweeper handles it later. Waits
 * at most a second for an unresponsive storage; the removal then continues in the background.
 * @param cause why the rows weren't written
 */
export async function rollBackStoredFiles(keys: readonly string[], cause?: unknown): Promise<void> {
  if (keys.length === 0) return;
  if (isCommitOutcomeUnknownError(cause)) return logLeftToSweeper();
  const removals = keys.map((key) => getFileStorage().remove(key).catch(logLeftToSweeper));
  await Promise.race([Promise.all(removals), sleep(MAX_REMOVAL_WAIT_MS, undefined, { ref: false })]);
}

const logLeftToSweeper = () => log.warn("a file without a row is left to the sweeper");
