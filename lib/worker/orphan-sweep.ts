import { listLostHeads } from "#lib/audit/heads-queries.ts";
import { readRecordedHeads } from "#lib/audit/heads.ts";
import { env } from "#lib/env.ts";
import { filterReferencedStorageKeys } from "#lib/files/queries.ts";
import {
  clearFileSweepRefusal,
  loadOrphanDays,
  recordFileSweepRefusal,
  storeOrphanDays,
} from "#lib/files/storage/orphan-records.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { findOrphanedFiles, type StoredFilesComparison } from "#lib/files/storage/sweep.ts";
import { log } from "#lib/observability/log.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/** A database that was recovered to an earlier time lacks rows of intact files; this is the time to put them back. */
const ORPHAN_GRACE_DAYS = 7;

/**
 * Removes stored files that the sweeps of a week found without a row: the remains of uploads whose transaction failed,
 * or whose process was killed between storing the file and writing the row. Removes nothing where the database may be
 * another one than the files belong to, which the log and the health page then say. Returns how many.
 */
export async function sweepOrphanedFiles(now = new Date()): Promise<number> {
  const comparison = await findOrphanedFiles(filterReferencedStorageKeys, now.getTime());
  const reason = await findReasonToKeepOrphans(comparison);
  if (reason) {
    log.error({ reason, files: comparison.orphans.length }, "stored files without a row are not removed");
    await recordFileSweepRefusal(now);
    return 0;
  }
  await clearFileSweepRefusal();
  return removeOldOrphans(comparison.orphans, now);
}

/** Returns why the database may be a wrong or an empty one, or one that lost what it held. */
async function findReasonToKeepOrphans({
  orphans,
  referenced,
}: StoredFilesComparison): Promise<string | undefined> {
  if (orphans.length === 0) return undefined;
  if (referenced === 0) return "the database names none of the stored files";
  const lost = await listLostHeads(readRecordedHeads(env())?.heads ?? []);
  return lost.length > 0
    ? "the database lacks entries of the audit log that the data folder knows"
    : undefined;
}

async function removeOldOrphans(orphans: readonly string[], now: Date): Promise<number> {
  const known = await loadOrphanDays();
  const today = now.toISOString().slice(0, 10);
  // A day in the future was stored by a clock ahead of time.
  const findDay = (day = today) => (day > today ? today : day);
  const days = new Map(orphans.map((key) => [key, findDay(known[key])]));
  let removed = 0;
  for (const [key, day] of days) {
    if (now.getTime() - Date.parse(day) < ORPHAN_GRACE_DAYS * DAY_MS) continue;
    await getFileStorage().remove(key);
    days.delete(key);
    removed += 1;
  }
  await storeOrphanDays(Object.fromEntries(days));
  if (removed > 0) log.info({ removed }, "stored files without a row swept");
  return removed;
}
