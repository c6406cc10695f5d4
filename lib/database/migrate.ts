import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Logger, runMigrations } from "graphile-worker";
import type pg from "pg";
import { connectClient, openPool } from "./connections.ts";
import { refuseUnsuitableDatabase } from "./requirements.ts";
import { isRestoreRunning, blockRestores } from "./restore-lock.ts";
import { refuseUnfinishedRestore } from "./unfinished-restore.ts";

/**
 * Applies prisma/migrations. Prisma's own engine can't be used here: its binary is downloaded from a host that may be
 * unreachable, and its WebAssembly build splits scripts at every semicolon, even in function bodies. The table
 * `_prisma_migrations` is kept as `prisma migrate deploy` keeps it, so that either can continue the other's work.
 */

type Migration = { name: string; sql: string; checksum: string };

type AppliedMigration = {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
};
type Log = (line: string) => void;

/** The lock number that Prisma uses: a simultaneous `prisma migrate deploy` waits for us, and we for it. */
const MIGRATION_LOCK = 72707369;

export const MIGRATIONS_FOLDER = path.resolve(import.meta.dirname, "../../prisma/migrations");

/** The migration that every database begins with, as it is since 1.0.0. Versions before had other tables in it. */
const FIRST_MIGRATION = {
  name: "00000000000000_init",
  checksum: "ecdbf0e94a36b2c1f5a12b62f5f118d0bc0e4668e8613041cbd8208ef10ed093",
};

/**
 * Migrates the database: first the job queue's tables, then our migrations in the order of their names, each in its
 * own transaction, one process at a time. Writes nothing to a database that it refuses.
 * @throws RestoreUnfinishedError; Error saying what the database lacks, or naming the migration that failed, was changed
 *   after it was applied, or is unknown to this version
 */
export async function migrate(url: string, log: Log, folder = MIGRATIONS_FOLDER): Promise<void> {
  await withMigrationLock(url, log, async (client) => {
    await refuseUnfinishedRestore(client);
    await migrateOnLockedConnection(client, url, { log, folder });
  });
}

/**
 * Like `migrate`, and blocks restores from before the lock is released.
 * @param check runs last, on the connection that blocks other starts in the meantime
 * @returns a function that stops blocking restores, for when the service's own connections block them
 */
export function migrateAndBlockRestores(
  url: string,
  log: Log,
  check: (client: pg.Client) => Promise<void>,
): Promise<() => Promise<void>> {
  return withMigrationLock(url, log, async (client) => {
    await refuseUnfinishedRestore(client);
    await migrateOnLockedConnection(client, url, { log, folder: MIGRATIONS_FOLDER });
    await check(client);
    return blockRestores(url);
  });
}

/**
 * Runs `work` while nobody else changes the tables: a service that starts in the meantime waits until it has ended.
 * @param work receives the connection that holds the lock
 */
export async function withMigrationLock<Result>(
  url: string,
  log: Log,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient(url, { applicationName: "heed-migrate" });
  try {
    await acquireMigrationLock(client, log);
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Like `migrate`, on a connection that already holds the lock; a restore fills the tables afterwards. */
export async function migrateOnLockedConnection(
  client: pg.Client,
  url: string,
  { log, folder }: { log: Log; folder: string },
): Promise<void> {
  await refuseUnsuitableDatabase(client, url);
  const pending = await listPendingMigrations(client, readMigrations(folder));
  await migrateJobQueue(url);
  await client.query(MIGRATIONS_TABLE_SQL);
  for (const migration of pending) {
    log(`Updating the database: ${migration.name}.`);
    await applyMigration(client, migration);
  }
  await refreshTitleOrder(client, log);
}

async function migrateJobQueue(url: string): Promise<void> {
  const pgPool = openPool(url, { applicationName: "heed-migrate", max: 2 });
  pgPool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}));
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}), noPreparedStatements: true });
  } finally {
    await pgPool.end();
  }
}

/** Another version of ICU may sort in another way: the indexes of titles and names are then built again. */
async function refreshTitleOrder(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query<{ outdated: boolean }>(
    "SELECT collversion IS DISTINCT FROM pg_collation_actual_version(oid) AS outdated FROM pg_collation WHERE oid = to_regcollation('public.title_order')",
  );
  if (!rows[0]?.outdated) return;
  log("Sorting the titles again, as the new version of the database does.");
  await client.query("REINDEX INDEX incidents_event_title");
  await client.query("REINDEX INDEX users_name_order");
  await client.query("ALTER COLLATION public.title_order REFRESH VERSION");
}

/** Reads the migrations of a folder in the order in which they apply. */
export function readMigrations(folder: string): Migration[] {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  return names
    .filter((name) => fs.existsSync(path.join(folder, name, "migration.sql")))
    .map((name) => {
      const sql = fs.readFileSync(path.join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
}

/** The lock belongs to the connection, so it is released however the process ends. */
async function acquireMigrationLock(client: pg.Client, log: Log): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { rows } = await client.query<{ mine: boolean }>("SELECT pg_try_advisory_lock($1) AS mine", [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.mine) return;
    if (attempt === 4) log(await describeLockHolder(client));
    await sleep(250);
  }
}

const describeLockHolder = async (client: pg.Client): Promise<string> =>
  (await isRestoreRunning(client))
    ? "Waiting for a restore that runs on this database."
    : "Waiting for another process that is updating the database.";

/** Only reads. @throws Error when the database is of another version, or a migration was changed or left half done */
async function listPendingMigrations(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS exists",
  );
  if (!rows[0]?.exists) return migrations;
  const { rows: applied } = await client.query<AppliedMigration>(
    "SELECT migration_name, checksum, finished_at, logs FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at",
  );
  refuseUnexpectedMigrations(applied, migrations);
  const appliedNames = new Set(applied.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !appliedNames.has(name));
}

/** Returns whether a database or a backup with these migrations is of a version whose data this one can't use. */
export const hasIncompatibleMigrations = (applied: { name: string; checksum: string }[]): boolean =>
  applied.some(
    ({ name, checksum }) => name === FIRST_MIGRATION.name && checksum !== FIRST_MIGRATION.checksum,
  );

function refuseUnexpectedMigrations(applied: AppliedMigration[], migrations: Migration[]): void {
  if (hasIncompatibleMigrations(applied.map(({ migration_name: name, checksum }) => ({ name, checksum }))))
    throw new Error(
      "This database was made by a version of Heed before 1.0.0, which can't be upgraded. Nothing in it was changed: run the version that made it to read it. To start this version, name an empty database in DATABASE_URL, or without one another folder in HEED_DATA_DIR.",
    );
  // Checked before the checksums, since another version may have different content under the same name.
  const unknown = applied.find((row) => !migrations.some(({ name }) => name === row.migration_name));
  if (unknown)
    throw new Error(
      `The database has the migration ${unknown.migration_name}, which this version of Heed does not know. Start the version that made it, or a newer one.`,
    );
  for (const row of applied) {
    const known = migrations.find(({ name }) => name === row.migration_name);
    if (!row.finished_at)
      throw new Error(
        [
          `The migration ${row.migration_name} was broken off halfway by another tool. ${row.logs ?? ""}`.trim(),
          `Put the database back to what it was before the migration, or complete the migration by hand (prisma/migrations/${row.migration_name}/migration.sql), or restore a backup. Then tell Heed which: node lib/scripts/resolve-migration.ts --name ${row.migration_name} --as undone (or --as applied).`,
        ].join("\n"),
      );
    if (known?.checksum !== row.checksum)
      throw new Error(
        `The migration ${row.migration_name} was changed after it was applied. Put back the file as it was, and write changes as a new migration.`,
      );
  }
}

/** Applies a migration. Its script and its row commit together, so it is either applied and recorded, or neither. */
async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    // Without parameters the whole script is sent as it is, and the server splits the statements.
    await client.query(migration.sql);
    await client.query(
      "INSERT INTO public._prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), clock_timestamp(), 1)",
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query("COMMIT");
  } catch (error) {
    const why = explainMigrationError(error, migration.sql);
    await recordFailure(client, migration, why).catch(() => {});
    throw new Error(`The migration ${migration.name} failed and was undone: ${why}`, { cause: error });
  }
}

/**
 * Records the failed migration as rolled back, which it is: the next start tries it again, and fails the same way until
 * the cause is fixed.
 */
async function recordFailure(client: pg.Client, migration: Migration, why: string): Promise<void> {
  await client.query("ROLLBACK");
  await client.query(
    "DELETE FROM public._prisma_migrations WHERE migration_name = $1 AND finished_at IS NULL",
    [migration.name],
  );
  await client.query(
    "INSERT INTO public._prisma_migrations (id, checksum, migration_name, logs, rolled_back_at) VALUES ($1, $2, $3, $4, now())",
    [randomUUID(), migration.checksum, migration.name, why],
  );
}

function explainMigrationError(error: unknown, sql: string): string {
  const { message, detail, hint, position } = error as {
    message: string;
    detail?: string;
    hint?: string;
    position?: string;
  };
  const line = position ? `line ${sql.slice(0, Number(position)).split("\n").length}: ` : "";
  return [`${line}${message}`, detail, hint].filter(Boolean).join(". ");
}

const MIGRATIONS_TABLE_SQL = `
  CREATE TABLE IF NOT EXISTS public._prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;
