import fs, { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import type { FileStorage } from "#lib/files/storage/storage.ts";
import { makeTemporaryFolder } from "#lib/files/upload/temporary.ts";
import { WORKER_PRESENCE_LOCK } from "#lib/database/advisory-locks.ts";
import { reserveDatabaseForRestore } from "#lib/database/restore-lock.ts";
import { refuseUnsuitableDatabase } from "#lib/database/requirements.ts";
import {
  hasIncompatibleMigrations,
  withMigrationLock,
  migrateOnLockedConnection,
  MIGRATIONS_FOLDER,
  readMigrations,
} from "#lib/database/migrate.ts";
import { MARK_RESTORE_FINISHED_SQL, MARK_RESTORE_UNFINISHED_SQL } from "#lib/database/unfinished-restore.ts";
import { type ArchiveReader, DigestStream, assertSameDigest } from "./archive.ts";
import { buildTableArchiveMemberName, type BackupManifest, type ManifestTable } from "./manifest.ts";
import { deleteRestoredRetentionNotices } from "./retention-notices.ts";
import { hasStoredFiles, describeStorageError } from "./storage.ts";
import {
  digestTable,
  listBackupTables,
  DUMP_SESSION_SETTINGS_SQL,
  type TableDefinition,
  writeTableRowsFromJsonLines,
  restoreSequenceValues,
} from "./tables.ts";

type RestoreTarget = {
  url: string;
  storage: FileStorage;
  /** Whether existing data may be deleted. */
  replace: boolean;
};

/**
 * Restores database and files. In this order: checks that it may, and that the target is empty; stores the files;
 * deletes what is to be replaced; creates the tables as in the backup's version; and writes every row in one
 * transaction, which commits only after the rows have been read again and compared. Newer migrations are left to the
 * next start. It refuses while a service runs, on whichever machine; one that starts in the meantime waits.
 * @throws Error in plain words; the database is then unchanged if the failure came before it was cleared. If later, it
 *   is empty and marked, so that nobody uses it until another restore completes it
 */
export async function restoreBackup(
  archive: ArchiveReader,
  manifest: BackupManifest,
  target: RestoreTarget,
): Promise<void> {
  refuseUnknownMigrations(manifest);
  const work = async (client: pg.Client) => {
    await refuseUnsuitableDatabase(client, target.url);
    const releaseUseLock = await reserveDatabaseForRestore(client);
    await refuseOccupiedTarget(client, target);
    await storeFilesThen({ archive, manifest, target }, async () => {
      await clearDatabase(client);
      await createTables(client, target.url, manifest);
      await fillTables(client, archive, manifest);
    });
    // The caller then verifies the audit chains on the service's own connections, which this lock would refuse.
    await releaseUseLock();
  };
  await withMigrationLock(target.url, (line) => console.log(line), work);
}

function refuseUnknownMigrations({ migrations, version }: BackupManifest): void {
  if (hasIncompatibleMigrations(migrations))
    throw new Error(
      "The backup holds a database that was made by a version of Heed before 1.0.0, which can't be upgraded. Nothing was changed: restore it with the version that made it.",
    );
  const ours = new Map(readMigrations(MIGRATIONS_FOLDER).map(({ name, checksum }) => [name, checksum]));
  const unknown = migrations.find(({ name, checksum }) => ours.get(name) !== checksum);
  if (unknown)
    throw new Error(
      `The backup was made by Heed ${version} and has the migration ${unknown.name}, which this version does not know. Restore it with the version that made it, or a newer one.`,
    );
}

async function refuseOccupiedTarget(client: pg.Client, { storage, replace }: RestoreTarget): Promise<void> {
  const {
    rows: [found],
  } = await client.query<DatabaseState>(DATABASE_STATE_SQL, [WORKER_PRESENCE_LOCK]);
  const { tables = 0, ours = false, workers = 0, role = "", owner = false } = found ?? {};
  if (!owner)
    throw new Error(
      `The role ${role} does not own the database that DATABASE_URL names, and can't make its tables anew. Name the role that owns it.`,
    );
  if (tables > 0 && !ours)
    throw new Error("The database holds tables that are not Heed's. Name an empty one in DATABASE_URL.");
  if (workers > 0) throw new Error("A service runs on this database. Stop it first.");
  if (!replace && ours && (await hasUsers(client)))
    throw new Error(
      "The database is not empty. Restore into an empty one, or add --replace to throw this one away.",
    );
  const hasFiles = await hasStoredFiles(storage);
  if (!replace && hasFiles)
    throw new Error(
      "There are stored files already. Restore into an empty folder, or an empty bucket or prefix, or add --replace.",
    );
}

type DatabaseState = { tables: number; ours: boolean; workers: number; role: string; owner: boolean };

/** The number of tables, whether they are Heed's, how many services use them, and whether our role may replace them. */
const DATABASE_STATE_SQL = `
  select current_user as role,
    has_database_privilege(current_database(), 'create')
      and coalesce((select pg_has_role(nspowner, 'usage') from pg_namespace where nspname = 'public'), true) as owner,
    (select count(*)::int from pg_tables where schemaname = 'public') as tables,
    to_regclass('public._prisma_migrations') is not null as ours,
    (select count(*)::int from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.classid = 0 and l.objid = $1::int8::oid
      and l.database = (select oid from pg_database where datname = current_database())) as workers`;

async function hasUsers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "select 1 from pg_tables where schemaname = 'public' and tablename = 'users'",
  );
  if (rows.length === 0) return false;
  const { rowCount } = await client.query("select 1 from public.users limit 1");
  return (rowCount ?? 0) > 0;
}

async function clearDatabase(client: pg.Client): Promise<void> {
  await client.query(
    `begin; drop schema if exists graphile_worker cascade; drop schema if exists public cascade; create schema public;
     ${MARK_RESTORE_UNFINISHED_SQL}; commit`,
  );
}

type RestoreContext = { archive: ArchiveReader; manifest: BackupManifest; target: RestoreTarget };

/**
 * Stores the files, then runs `rest`. Removes the files when either fails, so that the restore can be tried again;
 * where existing files were being replaced, leaves them to the nightly sweep.
 */
async function storeFilesThen(
  { archive, manifest, target }: RestoreContext,
  rest: () => Promise<void>,
): Promise<void> {
  try {
    await storeFiles(archive, manifest, target.storage);
    await rest();
  } catch (error) {
    const keys = target.replace ? [] : manifest.files.map(({ key }) => key);
    for (const key of keys) await target.storage.remove(key).catch(() => {});
    throw error;
  }
}

/** Compares each file with the manifest before it is stored. */
async function storeFiles(
  archive: ArchiveReader,
  manifest: BackupManifest,
  storage: FileStorage,
): Promise<void> {
  const folder = await makeTemporaryFolder();
  try {
    for (const file of manifest.files) {
      const draft = path.join(folder, file.key);
      const digest = new DigestStream();
      await pipeline(
        await archive.open(`files/${file.key}`),
        digest,
        createWriteStream(draft, { mode: 0o600 }),
      );
      assertSameDigest(`files/${file.key}`, digest.result(), file);
      await storage.put(file.key, draft, "application/octet-stream").catch((error: unknown) => {
        throw new Error(`A file can't be stored: ${describeStorageError(error)}.`, { cause: error });
      });
      await rm(draft, { force: true });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Applies the backup's migrations and no newer ones, so that rows fit the tables they were read from. */
async function createTables(client: pg.Client, url: string, { migrations }: BackupManifest): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-migrations-"));
  try {
    for (const { name } of migrations)
      fs.cpSync(path.join(MIGRATIONS_FOLDER, name), path.join(folder, name), { recursive: true });
    await migrateOnLockedConnection(client, url, { log: () => {}, folder });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function fillTables(
  client: pg.Client,
  archive: ArchiveReader,
  manifest: BackupManifest,
): Promise<void> {
  await client.query(`${DUMP_SESSION_SETTINGS_SQL}; begin`);
  const tables = await listBackupTables(client);
  const tablesByName = new Map(tables.map((table) => [table.name, table]));
  const unknownTable = manifest.tables.find(({ name }) => !tablesByName.has(name));
  if (unknownTable) throw new Error(`The backup holds a table that is not there: ${unknownTable.name}.`);
  const manifestTables = new Map(manifest.tables.map((table) => [table.name, table]));
  const indexes = await dropIndexes(client);
  for (const table of tables) {
    const backup = manifestTables.get(table.name);
    if (backup) await fillTable(client, { table, backup, archive });
  }
  for (const { definition } of indexes) await client.query(definition);
  await restoreSequenceValues(client, manifest.sequences);
  await deleteRestoredRetentionNotices(client);
  await client.query(`${MARK_RESTORE_FINISHED_SQL}; commit`);
  // The planner needs statistics before the first requests.
  await client.query("analyze");
}

/**
 * Drops the indexes that belong to no constraint, and returns their definitions. Building an index from all rows at the
 * end is many times faster than adding each row to it.
 */
async function dropIndexes(client: pg.Client): Promise<{ name: string; definition: string }[]> {
  await client.query("set local maintenance_work_mem = '128MB'");
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint x where x.conindid = i.indexrelid) order by 1`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

type TableRestore = { table: TableDefinition; backup: ManifestTable; archive: ArchiveReader };

async function fillTable(client: pg.Client, { table, backup, archive }: TableRestore): Promise<void> {
  // Rows that migrations themselves insert are in the backup, too.
  await client.query(`delete from ${table.name}`);
  await writeTableRowsFromJsonLines(
    client,
    table,
    splitLines(await archive.open(buildTableArchiveMemberName(backup))),
  );
  const found = await digestTable(client, table);
  if (found.rows !== backup.rows || found.sha256 !== backup.sha256)
    throw new Error(`The table ${table.name} did not come back as it was.`);
}

/** readline would also split at other characters, such as U+2028. */
async function* splitLines(stream: Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
