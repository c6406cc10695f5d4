import type pg from "pg";

/**
 * Deletes the notices of deletions that a restored database brought back, so that teams are notified again before the
 * rules delete anything: its reports may have been reopened, put on hold or kept by other rules since it was copied
 * (docs/decisions/061). An older database has no such table.
 */
export async function deleteRestoredRetentionNotices(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string | null }>(
    "select to_regclass('public.retention_notices')::text as name",
  );
  if (rows[0]?.name) await client.query("delete from public.retention_notices where days_ahead > 0");
}
