import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { env } from "#lib/env.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { getFileStorage, type StorageEntry } from "./storage.ts";
import { isAbandonedTemporaryFolder, buildTemporaryFoldersRootPath } from "#lib/files/upload/temporary.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;
const BATCH_SIZE = 500;

/**
 * Removes the temporary folders of ended processes at once, and any other folder older than an hour (or than twice the
 * longest upload, if that is longer). Returns how many.
 */
export async function sweepTemporaryFolders(now = Date.now()): Promise<number> {
  const oldest = now - Math.max(HOUR, 2000 * env().UPLOAD_SECONDS);
  let removed = 0;
  for (const name of await readdir(buildTemporaryFoldersRootPath()).catch(() => [])) {
    const folder = path.join(buildTemporaryFoldersRootPath(), name);
    const folderStats = await stat(folder).catch(() => undefined);
    if (!folderStats || (folderStats.mtimeMs > oldest && !isAbandonedTemporaryFolder(name))) continue;
    await rm(folder, { recursive: true, force: true });
    removed += 1;
  }
  if (removed > 0) log.info({ removed }, "temporary folders swept");
  return removed;
}

/** The stored files that no row refers to, and the number of those that have a row. */
export type StoredFilesComparison = { orphans: string[]; referenced: number };

/**
 * Lists the stored files older than an hour that no row refers to, and counts the stored files that have a row.
 * @param filterReferencedStorageKeys returns those of the keys that have a row
 */
export async function findOrphanedFiles(
  filterReferencedStorageKeys: (keys: string[]) => Promise<Set<string>>,
  now = Date.now(),
): Promise<StoredFilesComparison> {
  const orphans: string[] = [];
  let referenced = 0;
  let batch: StorageEntry[] = [];
  const finishBatch = async () => {
    const rows = await filterReferencedStorageKeys(batch.map(({ key }) => key));
    const unnamed = batch.filter(({ key }) => !rows.has(key));
    referenced += batch.length - unnamed.length;
    // The row of a younger file may not be committed yet.
    for (const { key, modified } of unnamed) if (modified.getTime() <= now - HOUR) orphans.push(key);
    batch = [];
  };
  for await (const entry of getFileStorage().list()) if (batch.push(entry) >= BATCH_SIZE) await finishBatch();
  if (batch.length > 0) await finishBatch();
  return { orphans, referenced };
}

/**
 * Removes what killed processes left of files that they were storing more than a day ago. No row has ever referred to
 * these. An S3-compatible storage that doesn't allow it is left to the rules of its bucket. Returns how many.
 */
export async function sweepPartialFiles(now = Date.now()): Promise<number> {
  const before = new Date(now - DAY);
  const removed = await getFileStorage()
    .removePartialFiles(before)
    .catch((error: unknown) => {
      log.warn({ code: describeErrorForLog(error) }, "the remains of interrupted uploads can't be removed");
      return 0;
    });
  if (removed > 0) log.info({ removed }, "the remains of interrupted uploads swept");
  return removed;
}
