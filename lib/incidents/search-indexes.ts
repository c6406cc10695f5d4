import { db } from "#lib/database/client.ts";

/**
 * Moves the words of what was written lately from the list beside each index into the index itself. A search reads such
 * a list from end to end, and who fills it has to empty it (32 MB, gin_pending_list_limit): done every minute, it stays
 * short.
 */
export async function flushSearchIndexes(): Promise<void> {
  for (const index of ["incidents_title_trgm", "incidents_description_trgm"])
    await db.$queryRaw`select gin_clean_pending_list(${index}::regclass)`;
}
