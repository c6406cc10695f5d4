import type { SqlClient } from "#lib/database/sql.ts";

/** Returns whether the ledger has a row for an entry. */
export async function isLedgerEntryStored(tx: SqlClient, hash: Uint8Array): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`select 1 from erasures where hash = ${hash}::bytea`;
  return rows.length > 0;
}
