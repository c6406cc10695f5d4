import path from "node:path";
import type pg from "pg";
import { ArchiveReader } from "#lib/backup/archive.ts";
import {
  createDrillFolder,
  removeAbandonedDrillFolders,
  removeDrillFolder,
} from "#lib/backup/drill-folder.ts";
import { findBackupFaultsExitCode } from "#lib/backup/exit-codes.ts";
import {
  openDataKeyOfArchive,
  describeMissingBackupEncryptionKeys,
  storeDataKey,
  readDataKeyIfPresent,
} from "#lib/backup/keys.ts";
import { loadAuditKeys, type AuditKeySource } from "#lib/audit/keys.ts";
import { verifyBackupArchive, readManifest, type BackupManifest } from "#lib/backup/manifest.ts";
import { describeReferencedFile } from "#lib/backup/referenced-files.ts";
import { connectClient } from "#lib/database/connections.ts";
import { assertNoServerOfAnotherContainer } from "#lib/database/embedded/postmaster-file.ts";
import { parseEnv, type Env } from "#lib/env.ts";
import {
  checkEncryptionKeysAndCreateMissingSecretsAtUrl,
  DATA_KEY_USES,
  recordMissingEncryptionKeysAsLost,
} from "#lib/backup/key-fingerprints.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { type DatabaseHandle, startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { stopOnSignal } from "#lib/server/shutdown.ts";
import { describeCommandFailure } from "#lib/failure-messages.ts";
import { tryAcquireFileLock } from "#lib/process-lock.ts";

/**
 * `npm run restore -- --from FILE`: restores a backup into an empty database and data folder. With `--verify` it runs
 * a drill: it restores into a temporary place, compares everything, removes the copy, and leaves the installation
 * untouched.
 */

const USAGE = `npm run restore -- --from FILE [--verify | --replace] [--without-keys]
Brings a backup back into an empty database and data folder.
  --from          the archive
  --verify        a drill: restores into a place of its own, compares everything, and leaves nothing behind
  --replace       throw away what is there
  --without-keys  go on without keys of the backup: what they seal or recognize doesn't work until they are back
Ends with 0, or 1 when it failed; the drill also with 3 when evidence in the backup is damaged, and with 5 when files
are missing from it, also because they couldn't be read.`;
const options = parseArgumentsOrExit(
  {
    from: { type: "string" },
    verify: { type: "boolean", default: false },
    replace: { type: "boolean", default: false },
    "without-keys": { type: "boolean", default: false },
  },
  USAGE,
);

/** SQLSTATE disk_full. */
const DISK_FULL_SQLSTATE = "53100";

/** The database of this process while it starts and runs. */
let openedDatabase: Promise<DatabaseHandle> | undefined;

type BackupFaults = Record<
  "missing" | "damaged" | "unreadable",
  readonly Parameters<typeof describeReferencedFile>[0][]
>;
type OpenedBackup = { archive: ArchiveReader; manifest: BackupManifest };

try {
  if (!options.from || (options.verify && options.replace)) {
    console.error(USAGE);
    process.exit(2);
  }
  await (options.verify ? runDrill : runRestore)(parseEnv(process.env), path.resolve(options.from));
} catch (error) {
  const { code } = error as { code?: string };
  const message = describeCommandFailure(error, process.env.HEED_DATA_DIR ?? "the data folder");
  console.error(
    code === DISK_FULL_SQLSTATE ? `There is no room left for the database: ${message}.` : message,
  );
  process.exitCode = 1;
}

async function runRestore(env: Env, from: string): Promise<void> {
  lockDataFolder(env);
  const backup = await openBackup(from);
  if (!env.DATABASE_URL) await assertNoServerOfAnotherContainer(env.dataDir);
  await restoreKeys(env, backup);
  await restoreIntoDatabase(env, backup, { record: true });
  console.log(
    `Restored as of ${backup.manifest.takenAt}. Everybody has to sign in again. Start the service with npm start.`,
  );
}

/** Restores into a temporary database and folder, whatever the installation uses. */
async function runDrill(env: Env, from: string): Promise<void> {
  await removeAbandonedDrillFolders();
  const scratch = createDrillFolder();
  endDrillOnSignal(scratch);
  try {
    const backup = await openBackup(from);
    const keys = await prepareDrillKeys(env, backup, scratch);
    for (const name of ["DATABASE_URL", "S3_URL"]) delete process.env[name];
    const own = { ...env, dataDir: scratch, DATABASE_URL: undefined };
    const faults = await restoreIntoDatabase(own, backup, { keys });
    console.log(`The backup as of ${backup.manifest.takenAt} can be restored.`);
    process.exitCode ||= findBackupFaultsExitCode(faults);
  } finally {
    removeDrillFolder(scratch);
  }
}

/** An interrupted drill leaves no copy of the data behind either. It counts as failed. */
function endDrillOnSignal(scratch: string): void {
  // The terminal was closed.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  stopOnSignal(
    [
      async () => (await openedDatabase)?.close(),
      () => {
        removeDrillFolder(scratch);
        process.exit(1);
      },
    ],
    console.error,
  );
}

/** A service that runs on this folder would write into what is being restored. */
function lockDataFolder(env: Env): void {
  const release = tryAcquireFileLock(path.join(env.dataDir, "run", "service.lock"));
  if (!release) throw new Error(`Heed runs on ${env.dataDir}. Stop it first.`);
  process.once("exit", release);
}

async function openBackup(from: string): Promise<OpenedBackup> {
  const archive = await ArchiveReader.open(from);
  const manifest = await readManifest(archive);
  await verifyBackupArchive(archive, manifest);
  console.log(`${from}: every part is as it was written.`);
  return { archive, manifest };
}

/** Runs before the database is opened, which would create a key where there is none. */
async function restoreKeys(env: Env, { archive, manifest }: OpenedBackup): Promise<void> {
  const backupKey = await openDataKeyOfArchive(archive, manifest, env);
  const missing = describeMissingBackupEncryptionKeys(manifest, env, backupKey);
  if (missing.length > 0 && !options["without-keys"])
    throw new Error(
      `Keys that this backup needs are not here: ${missing.join(" and ")}. Put data.key into the folder secrets, set BACKUP_PASSPHRASE if the backup was made with one, and set EVIDENCE_KEYS as it was. With --without-keys it goes on, and originals that these keys sealed can't be opened. The data key is needed for ${DATA_KEY_USES}.`,
    );
  const present = readDataKeyIfPresent(env);
  if (!backupKey || backupKey === present) return;
  if (present && !options.replace)
    throw new Error("The data folder has another data key. Restore into an empty one, or add --replace.");
  storeDataKey(env, backupKey);
}

/** Returns the available keys that open originals, and puts the data key where the drill's database expects it. */
async function prepareDrillKeys(
  env: Env,
  { archive, manifest }: OpenedBackup,
  scratch: string,
): Promise<Buffer[]> {
  const backupKey = await openDataKeyOfArchive(archive, manifest, env);
  const missing = describeMissingBackupEncryptionKeys(manifest, env, backupKey);
  const dataKey = backupKey ?? readDataKeyIfPresent(env);
  if (dataKey) storeDataKey({ dataDir: scratch }, dataKey);
  if (missing.length === 0)
    return loadEvidenceMasterKeys({ dataDir: scratch, EVIDENCE_KEYS: env.EVIDENCE_KEYS });
  console.log(`Sealed originals are compared, but not opened: ${missing.join(" and ")} are not here.`);
  return [];
}

type RestoreOptions = {
  /** With these, all restored files are read from their new place and all originals opened. */
  keys?: Buffer[];
  /** Whether to record in the audit log that a backup was restored. */
  record?: boolean;
};

async function restoreIntoDatabase(
  env: Pick<Env, "DATABASE_URL" | "dataDir" | "AUDIT_KEYS" | "EVIDENCE_KEYS">,
  { archive, manifest }: OpenedBackup,
  { keys, record }: RestoreOptions,
): Promise<BackupFaults> {
  openedDatabase = startOrAwaitDatabase(env);
  const { url, close } = await openedDatabase;
  try {
    // Modules loaded from here on read the environment themselves. Reading a long log takes longer than a request
    // may.
    const patient = { DATABASE_STATEMENT_MS: "600000" };
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir, ...patient });
    const [{ restoreBackup }, { getFileStorage }] = await Promise.all([
      import("#lib/backup/restore.ts"),
      import("#lib/files/storage/storage.ts"),
    ]);
    if (record && options.replace) await withDatabase(url, addErasuresToFile);
    await restoreBackup(archive, manifest, { url, storage: getFileStorage(), replace: options.replace });
    if (options["without-keys"])
      await withDatabase(url, (client) => recordMissingEncryptionKeysAsLost(client, env));
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    console.log(`${rows} rows of ${manifest.tables.length} tables came back, and are as they were.`);
    const faults = keys ? await verifyFiles(url, manifest, keys) : manifest;
    printFaults(faults);
    if (record) await checkEncryptionKeysAndCreateMissingSecretsAtUrl(url, env);
    if (record) await recordRestore(manifest);
    await verifyChains(env);
    return faults;
  } finally {
    archive.close();
    await close();
  }
}

function printFaults({ missing, unreadable, damaged }: BackupFaults): void {
  for (const one of missing) console.error(`Missing when it was taken: ${describeReferencedFile(one)}.`);
  for (const one of unreadable)
    console.error(`Unreadable when it was taken, and missing now: ${describeReferencedFile(one)}.`);
  for (const one of damaged) console.error(`Damaged when it was taken: ${describeReferencedFile(one)}.`);
}

async function withDatabase(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connectClient(url, { applicationName: "heed-restore" });
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Adds the erasures and closings in the database to the list in the data folder, before the database is replaced: the
 * service may have ended before it added them itself (docs/decisions/061). An empty database has no such table.
 */
async function addErasuresToFile(client: pg.Client): Promise<void> {
  const table = await client.query<{ name: string | null }>(
    "select to_regclass('public.erasures')::text as name",
  );
  if (!table.rows[0]?.name) return;
  const { rows } = await client.query<{ hash: Buffer }>("select hash from public.erasures");
  const { addRowsToErasureFile } = await import("#lib/erasures/ledger.ts");
  await addRowsToErasureFile(rows);
}

async function verifyFiles(url: string, manifest: BackupManifest, keys: Buffer[]): Promise<BackupFaults> {
  const [{ verifyRestoredFiles }, { getFileStorage }] = await Promise.all([
    import("#lib/backup/restored-files.ts"),
    import("#lib/files/storage/storage.ts"),
  ]);
  const verification = await verifyRestoredFiles(manifest, { url, storage: getFileStorage(), keys });
  const openedOriginals =
    verification.originals - verification.damaged.filter(({ part }) => part === "original").length;
  console.log(
    `${verification.files} files came back, and are as they were; ${openedOriginals} sealed originals open.`,
  );
  return verification;
}

async function verifyChains(env: AuditKeySource): Promise<void> {
  if (loadAuditKeys(env).length === 0)
    return console.log("The audit log is not verified: its key is not here.");
  const [{ verifyAuditLog }, { disconnectDatabase }] = await Promise.all([
    import("#lib/audit/verify.ts"),
    import("#lib/database/client.ts"),
  ]);
  try {
    const broken = (await verifyAuditLog()).filter(({ ok }) => !ok);
    for (const { chain, brokenAt } of broken)
      console.error(
        `The audit log of ${chain} is broken at entry ${brokenAt}, as it was when the backup was taken.`,
      );
    if (broken.length > 0) process.exitCode = 1;
    else console.log("The audit log is unbroken.");
  } finally {
    await disconnectDatabase();
  }
}

/** Records the restore in the audit log: it explains why entries that were written after the backup are gone. */
async function recordRestore({ takenAt }: BackupManifest): Promise<void> {
  const [{ acceptAuditLog }, { disconnectDatabase }] = await Promise.all([
    import("#lib/audit/acceptances.ts"),
    import("#lib/database/client.ts"),
  ]);
  await acceptAuditLog(takenAt).finally(disconnectDatabase);
  console.log("The restore is on record for audit:verify.");
}
