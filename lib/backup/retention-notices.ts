import type pg from "pg";

/**
 * Deletes the notices of deletions that a restored database brought back, so that teams are notified again before the
 * rules delete anything: its reports may have been reopened, put on hold or kept by other rules since it was copied
 * (docs/decisions/061).
 */
export async function deleteRestoredRetentionNotices(client: pg.ClientBase): Promise<void> {
  await client.query("delete from public.retention_notices where days_ahead > 0");
}
