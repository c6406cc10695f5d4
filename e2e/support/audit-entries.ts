import { lockAuditChains, writeAuditEntries, type AuditEntryInput } from "#lib/audit/audit.ts";
import { loadAuditKeys } from "#lib/audit/keys.ts";
import { createSqlClient } from "#lib/database/sql.ts";
import { isUniqueViolation } from "#lib/operation/errors.ts";
import type { SharedService } from "./service.ts";

/** Appends entries to the audit log of a running service, with its key, as the service would. */
export async function plantAuditEntries(
  { sql, dataDir }: Pick<SharedService, "sql" | "dataDir">,
  entries: readonly AuditEntryInput[],
): Promise<void> {
  const [key] = loadAuditKeys({ dataDir, AUDIT_KEYS: undefined });
  const query = async ({ text, values }: { text: string; values: unknown[] }) => ({
    rows: await sql(text, values),
  });
  const tx = createSqlClient(() => ({ query }) as never);
  for (;;) {
    try {
      await writeAuditEntries(tx, await lockAuditChains(tx, entries), entries, key);
      return;
    } catch (error) {
      // Nothing keeps the chain locked between the two statements: another entry may have come first.
      if (!isUniqueViolation(error)) throw error;
    }
  }
}
