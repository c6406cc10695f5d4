import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import type pg from "pg";
import type { Env } from "../env.ts";
import { FILE_REMOVAL_LOCK } from "#lib/database/advisory-locks.ts";
import { connectClient } from "#lib/database/connections.ts";
import { assertEncryptionKeysMatchDatabase } from "./key-fingerprints.ts";
import type { FileStorage } from "#lib/files/storage/storage.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import { VERSION } from "#lib/version.ts";
import { ArchiveWriter } from "./archive.ts";
import { BACKUP_EXIT_CODES } from "./exit-codes.ts";
import { addStoredFiles, type UnreadableFile } from "./file-copies.ts";
import {
  computeInstallationKeyFingerprints,
  readDataKeyIfPresent,
  sealDataKeyWithPassphrase,
} from "./keys.ts";
import { BACKUP_MANIFEST_VERSION, buildTableArchiveMemberName, type BackupManifest } from "./manifest.ts";
import {
  describeReferencedFile,
  isEvidenceFile,
  listReferencedFiles,
  type ReferencedFile,
} from "./referenced-files.ts";
import {
  hasStoredFiles,
  MISSING_STORED_FILE_REASON,
  isFileMissing,
  listStoredFileStorageKeys,
} from "./storage.ts";
import {
  listBackupTables,
  DUMP_SESSION_SETTINGS_SQL,
  readTableRowsAsJsonLines,
  listUsedSequences,
} from "./tables.ts";

type BackupSource = {
  url: string;
  storage: FileStorage;
  env: Pick<Env, "dataDir" | "EVIDENCE_KEYS" | "BACKUP_PASSPHRASE">;
  /** Whether the archive may lack files that rows refer to; they are then listed in the manifest. */
  allowMissing: boolean;
};

const LOCK_TIMEOUT = "5min";

/**
 * Writes a consistent copy of database and files into an archive, while the service runs. In this order: locks the
 * removal of stored files; reads all tables in one snapshot; and copies the files that their rows refer to, comparing
 * each with its row. A file is stored before its row commits and removed after the row is gone, so all of these files
 * should exist. The archive lacks files that can't be read while the storage responds; they are listed in the manifest.
 * @param file overwritten if it exists: a killed backup may have left it
 * @throws StoredFilesMissingError; Error in plain words when the storage can't be read, there is no data key, or the
 *   connection that holds the lock is lost
 */
export async function takeBackup(source: BackupSource, file: string): Promise<BackupManifest> {
  refuseWithoutKey(source.env);
  // This blocks restores: a backup of an unfinished one would look complete and be empty.
  const client = await connectClient(source.url, { applicationName: "heed-backup", keepsRestoresAway: true });
  const connectionLost = Promise.withResolvers<never>();
  connectionLost.promise.catch(() => {});
  client.on("error", () => connectionLost.reject(new Error("The connection to the database was lost.")));
  try {
    await refuseForeignDatabase(client);
    await assertEncryptionKeysMatchDatabase(client, source.env);
    await lockFileRemovals(client);
    // Throws if the storage can't be read, before an older archive is removed and the database is copied.
    await hasStoredFiles(source.storage);
    await rm(file, { force: true });
    const archive = new ArchiveWriter(file);
    try {
      const manifest = await Promise.race([writeBackup(archive, client, source), connectionLost.promise]);
      await archive.end();
      await recordBackupTime(client, manifest.takenAt);
      return manifest;
    } catch (error) {
      await archive.abandon();
      throw error;
    }
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Refuses a backup without the data key: a restore could open neither files nor sealed texts.
 * @throws Error that names the missing file
 */
function refuseWithoutKey(env: BackupSource["env"]): void {
  if (!readDataKeyIfPresent(env))
    throw new Error(
      `There is no secrets/data.key in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service, whose keys belong to the database.`,
    );
}

/** Refuses a database that isn't Heed's, or that can't be read. @throws Error in plain words */
async function refuseForeignDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ ours: boolean; shut: string | null; role: string }>(
    `select to_regclass('public._prisma_migrations') is not null as ours, current_user as role,
      (select min(format('%I.%I', n.nspname, c.relname)) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p')
          and not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))) as shut`,
  );
  const { ours, shut, role } = rows[0] ?? {};
  if (!ours)
    throw new Error("The database holds no tables of Heed. Set DATABASE_URL to the one of the service.");
  if (shut)
    throw new Error(`The role ${role} may not read ${shut}. Name the role of the service in DATABASE_URL.`);
}

/** Waits for removals in progress to end, then blocks new ones. The lock is released with the connection. */
async function lockFileRemovals(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    await client.query("select pg_advisory_lock($1)", [FILE_REMOVAL_LOCK]);
  } catch (error) {
    if ((error as { code?: string }).code !== "55P03") throw error;
    throw new Error(
      "Another backup runs on this database, or many files are being removed. Try again later.",
      {
        cause: error,
      },
    );
  }
}

async function writeBackup(
  archive: ArchiveWriter,
  client: pg.Client,
  source: BackupSource,
): Promise<BackupManifest> {
  const { named: referencedFiles, ...snapshot } = await readDatabase(archive, client);
  const missing = await listMissingFiles(source.storage, referencedFiles);
  // When every file is missing, the likely cause is that this command uses the wrong storage.
  const isWrongStorage = missing.length === referencedFiles.length;
  if (missing.length > 0 && !isWrongStorage) await recordFaults(client, { missing });
  if (missing.length > 0 && !source.allowMissing) throw new StoredFilesMissingError(missing);
  const missingFileKeys = new Set(missing.map(({ key }) => key));
  const present = referencedFiles.filter(({ key }) => !missingFileKeys.has(key));
  const keys = loadEvidenceMasterKeys(source.env);
  const { files, ...faults } = await addStoredFiles(archive, present, { storage: source.storage, keys });
  if (!isWrongStorage) await recordFaults(client, { missing, ...faults }, snapshot.takenAt);
  const sealed = await addSealedKey(archive, source.env);
  const manifest: BackupManifest = {
    format: BACKUP_MANIFEST_VERSION,
    version: VERSION,
    ...snapshot,
    files,
    missing: missing.map(toFaultyFile),
    damaged: faults.damaged.map(toFaultyFile),
    unreadable: faults.unreadable.map((file) => ({ ...toFaultyFile(file), code: file.code })),
    keys: { ...computeInstallationKeyFingerprints(source.env), sealed },
  };
  await archive.add("manifest.json", Readable.from([Buffer.from(JSON.stringify(manifest))]));
  return manifest;
}

const toFaultyFile = ({ key, part, id, incidentId }: ReferencedFile) => ({ key, part, id, incidentId });

/** Thrown when rows refer to files that are not in the storage, and `allowMissing` wasn't set. */
class StoredFilesMissingError extends Error {
  readonly exitCode = BACKUP_EXIT_CODES.missing;

  constructor(files: readonly ReferencedFile[]) {
    const list = files.map((file) => `  ${describeReferencedFile(file)}`).join("\n");
    const many = files.length === 1 ? "A file is" : `${files.length} files are`;
    super(
      `${many} missing, ${MISSING_STORED_FILE_REASON}:\n${list}\nNo backup was written. Put back what an earlier backup holds, or add --allow-missing to back up everything else.`,
    );
  }
}

/**
 * The list is reliable: nothing is removed while the backup holds its lock, and files are stored before their rows. A
 * file that the storage doesn't list, since it can't read its size, isn't missing but unreadable.
 */
async function listMissingFiles(
  storage: FileStorage,
  referencedFiles: readonly ReferencedFile[],
): Promise<ReferencedFile[]> {
  const stored = await listStoredFileStorageKeys(storage);
  const unlisted = referencedFiles.filter(({ key }) => !stored.has(key));
  if (unlisted.length === referencedFiles.length) return unlisted;
  const missing: ReferencedFile[] = [];
  for (const file of unlisted) if (await isFileMissing(storage, file.key)) missing.push(file);
  return missing;
}

type DatabaseSnapshot = Pick<BackupManifest, "takenAt" | "migrations" | "tables" | "sequences"> & {
  named: ReferencedFile[];
};

/**
 * Reads everything in one snapshot, which is released before the files are copied, so that a long copy doesn't delay
 * vacuum.
 */
async function readDatabase(archive: ArchiveWriter, client: pg.Client): Promise<DatabaseSnapshot> {
  await client.query(`${DUMP_SESSION_SETTINGS_SQL}; begin isolation level repeatable read read only`);
  const {
    rows: [moment],
  } = await client.query<{ at: Date }>("select now() as at");
  const migrations = await readAppliedMigrations(client);
  const referencedFiles = await listReferencedFiles(client);
  const tables: BackupManifest["tables"] = [];
  for (const table of await listBackupTables(client)) {
    let rows = 0;
    const countedRows = async function* () {
      for await (const line of readTableRowsAsJsonLines(client, table)) {
        rows += 1;
        yield Buffer.from(line);
      }
    };
    const digest = await archive.add(buildTableArchiveMemberName(table), Readable.from(countedRows()));
    tables.push({ name: table.name, rows, ...digest });
  }
  await client.query("commit");
  const sequences = await listUsedSequences(client);
  return {
    takenAt: (moment?.at ?? new Date()).toISOString(),
    migrations,
    tables,
    sequences,
    named: referencedFiles,
  };
}

async function readAppliedMigrations(client: pg.Client): Promise<BackupManifest["migrations"]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from public._prisma_migrations
     where finished_at is not null and rolled_back_at is null order by 1`,
  );
  return rows;
}

type FileFaults = {
  missing: readonly ReferencedFile[];
  damaged?: readonly ReferencedFile[];
  unopened?: readonly ReferencedFile[];
  unreadable?: readonly UnreadableFile[];
};

/**
 * Records the faults that the backup found; the system page and the metrics show them.
 * @param takenAt given only when every file was tried: also removes older faults of files that are now intact, but not
 *   of originals that couldn't be opened
 */
async function recordFaults(
  client: pg.Client,
  { missing, damaged = [], unopened = [], unreadable = [] }: FileFaults,
  takenAt?: string,
): Promise<void> {
  const found = [
    ...missing.filter(isEvidenceFile).map(({ id, part }) => ({ id, part, fault: "missing" })),
    ...damaged.map(({ id, part }) => ({ id, part, fault: "damaged" })),
    ...unreadable.filter(isEvidenceFile).map(({ id, part }) => ({ id, part, fault: "unreadable" })),
  ];
  const notIntact = [...found, ...unopened].map(({ id, part }) => ({ id, part }));
  try {
    await client.query(RECORD_FAULTS_SQL, [JSON.stringify(found)]);
    if (takenAt) await client.query(FORGET_FAULTS_SQL, [JSON.stringify(notIntact), takenAt]);
  } catch (error) {
    // A read-only role, or a database that this version hasn't migrated yet.
    if (!["42501", "42P01"].includes((error as { code?: string }).code ?? "")) throw error;
  }
}

const FAULTS_RECORDSET_SQL =
  "jsonb_to_recordset($1::jsonb) as x(id uuid, part public.evidence_part, fault text)";
/** A database that this version hasn't migrated yet may not know each kind of fault. */
const RECORD_FAULTS_SQL = `
  insert into public.evidence_problems as p (file_id, part, fault)
  select x.id, x.part, x.fault::public.evidence_fault
  from ${FAULTS_RECORDSET_SQL} join public.related_files f on f.id = x.id
  where x.fault = any (enum_range(null::public.evidence_fault)::text[])
  on conflict (file_id, part) do update set fault = excluded.fault, checked_at = now()`;
/** Only the service itself can tell whether it can read a file again; this command may run as another user. */
const FORGET_FAULTS_SQL = `
  delete from public.evidence_problems p
  where p.checked_at < $2 and p.fault::text <> 'unreadable' and not exists (select from ${FAULTS_RECORDSET_SQL} where x.id = p.file_id and x.part = p.part)`;

/** Adds the data key, sealed with the passphrase. @returns false when there is no passphrase or no key */
async function addSealedKey(archive: ArchiveWriter, env: BackupSource["env"]): Promise<boolean> {
  const key = readDataKeyIfPresent(env);
  if (!env.BACKUP_PASSPHRASE || !key) return false;
  await archive.add(
    "keys.json",
    Readable.from([Buffer.from(sealDataKeyWithPassphrase(key, env.BACKUP_PASSPHRASE))]),
  );
  return true;
}

/** Records the time of the last complete backup, for the health page. */
async function recordBackupTime(client: pg.Client, takenAt: string): Promise<void> {
  await client.query(
    `insert into installation_metadata (key, value) values ('last-backup', $1)
     on conflict (key) do update set value = excluded.value, created_at = now()`,
    [takenAt],
  );
}
