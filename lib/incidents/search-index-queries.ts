import { sql } from "#lib/database/client.ts";

export const SEARCH_INDEXES = [
  "incidents_title_trgm",
  "incidents_search_trgm",
  "incidents_team_trgm",
  "team_notes_search_trgm",
  "messages_search_trgm",
  "incident_people_search_trgm",
] as const;

/**
 * Merges recently written words from each index's pending list into the index. A search scans that list from end to
 * end, and the writer who fills it (32 MB, gin_pending_list_limit) has to flush it; a flush every minute keeps it
 * short.
 */
export async function flushSearchIndexes(): Promise<void> {
  for (const index of SEARCH_INDEXES) await sql.$queryRaw`select gin_clean_pending_list(${index}::regclass)`;
}
