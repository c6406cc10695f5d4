import { appendAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { startDeadlinesSql } from "#lib/incidents/deadline-sql.ts";
import { removeStoredDemoFiles, storeDemoEvidence, storeDemoLogos } from "./files.ts";
import type { DemoWorld } from "./world.ts";

/** Thrown when the database is already in use. The message is shown in the terminal. */
class DatabaseNotEmptyError extends Error {}

/** Checks that the database holds no account and no organization. @throws DatabaseNotEmptyError */
export async function assertEmptyDatabase(
  tx: Pick<Tx, "user" | "organization" | "installationMetadata">,
): Promise<void> {
  const counts = [
    await tx.user.count(),
    await tx.organization.count(),
    await tx.installationMetadata.count(),
  ];
  if (counts.every((count) => count === 0)) return;
  throw new DatabaseNotEmptyError(
    "This database is in use: it holds accounts or organizations. The demo is for an empty one, and nothing was changed. Set HEED_DATA_DIR to a new folder (or DATABASE_URL to an empty database) and run it again.",
  );
}

/**
 * Stores the files of the demo world, and then writes all of its rows or none, with past dates. The audit entries for
 * its setup have the current time, since that is when they are written. Blocks registration in the meantime.
 * @throws DatabaseNotEmptyError; the files are removed again when the rows can't be written
 */
export async function loadDemoWorld({ rows, audit, files }: DemoWorld): Promise<void> {
  const evidence = await storeDemoEvidence(files);
  const logos = await storeDemoLogos();
  for (const row of [...rows.organizations, ...rows.events]) Object.assign(row, logos.get(row.slug));
  try {
    await runTransaction(async (tx) => {
      await tx.$executeRaw`lock table users, organizations, installation_metadata in share row exclusive mode`;
      await assertEmptyDatabase(tx);
      for (const [table, list] of Object.entries({ ...rows, related_files: evidence }))
        await insertRows(tx, table, list);
      await tx.$executeRaw(startDeadlinesSql());
      for (const entry of audit) await appendAuditEntry(tx, entry);
    });
  } catch (error) {
    await removeStoredDemoFiles(evidence, logos);
    throw error;
  }
}

/** Inserts rows in one statement; `createMany` takes seconds for thousands of rows. Other columns get their defaults. */
async function insertRows(tx: Tx, table: string, rows: readonly object[]): Promise<void> {
  const toColumn = (field: string) => field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  const rename = (row: object) =>
    Object.fromEntries(Object.entries(row).map(([field, value]) => [toColumn(field), value]));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].map(toColumn).join(", ");
  await tx.$executeRawUnsafe(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    JSON.stringify(rows.map(rename)),
  );
}
