import { z } from "zod";
import { prisma } from "#lib/database/client.ts";

/** What the nightly sweep of files remembers from one run to the next. */

const ORPHANS_KEY = "orphaned-files";
const REFUSAL_KEY = "file-sweep-refused";

const OrphanDays = z.record(z.string(), z.iso.date());
/** The orphaned files by storage key, with the day (UTC) on which a sweep first found them without a row. */
type OrphanDays = Record<string, string>;

/** Loads the orphans of the last sweep. */
export async function loadOrphanDays(): Promise<OrphanDays> {
  const value = await findValue(ORPHANS_KEY);
  return value === undefined ? {} : OrphanDays.parse(JSON.parse(value));
}

/** Replaces the orphans of the last sweep. */
export const storeOrphanDays = (days: OrphanDays): Promise<void> =>
  Object.keys(days).length > 0 ? setValue(ORPHANS_KEY, JSON.stringify(days)) : deleteValue(ORPHANS_KEY);

/** Finds when the last sweep refused to remove files; null if it didn't. */
export async function findFileSweepRefusalTime(): Promise<Date | null> {
  const value = await findValue(REFUSAL_KEY);
  return value === undefined ? null : new Date(value);
}

/** Records that a sweep refused to remove files, for the health page. */
export const recordFileSweepRefusal = (at: Date): Promise<void> => setValue(REFUSAL_KEY, at.toISOString());

/** Records that a sweep found nothing against removing files. */
export const clearFileSweepRefusal = (): Promise<void> => deleteValue(REFUSAL_KEY);

async function findValue(key: string): Promise<string | undefined> {
  const row = await prisma.installationMetadata.findUnique({ where: { key }, select: { value: true } });
  return row?.value;
}

async function setValue(key: string, value: string): Promise<void> {
  await prisma.installationMetadata.upsert({ where: { key }, create: { key, value }, update: { value } });
}

async function deleteValue(key: string): Promise<void> {
  await prisma.installationMetadata.deleteMany({ where: { key } });
}
