import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type pg from "pg";
import { ArchiveReader } from "#lib/backup/archive.ts";
import { exitCodeOf } from "#lib/backup/exit-codes.ts";
import { keyInBackup, missingKeys, placeDataKey, readDataKey } from "#lib/backup/keys.ts";
import { checkArchive, readManifest, type Manifest } from "#lib/backup/manifest.ts";
import { describeFile } from "#lib/backup/named-files.ts";
import { connectClient } from "#lib/database/connections.ts";
import { parseEnv, type Env } from "#lib/env.ts";
import { claimKeysOf, forgetMissingKeys } from "#lib/backup/key-marks.ts";
import { evidenceKeys } from "#lib/crypto/secrets.ts";
import { readArguments } from "#lib/command-line/arguments.ts";
import { openDatabase } from "#lib/server/open-database.ts";
import { messageForFailure } from "#lib/command-line/failure-messages.ts";
import { tryLock } from "#lib/process-lock.ts";
import { existingPlace } from "#lib/database/embedded/installation.ts";

/**
 * `npm run restore -- --from FILE`: brings a backup back into an empty database and data folder. With `--verify` it does
 * so in a place of its own, compares everything, and leaves nothing behind: a drill that touches nothing.
 */

const USAGE = `npm run restore -- --from FILE [--verify | --replace] [--without-keys]
Brings a backup back into an empty database and data folder.
  --from          the archive
  --verify        a drill: restores into a place of its own, compares everything, and leaves nothing behind
  --replace       throw away what is there
  --without-keys  go on without the keys that sealed originals, second factors and the secrets of webhooks need
Ends with 0, or 1 when it failed; the drill also with 3 when evidence in the backup is damaged, and with 5 when files
are missing from it.`;
const wishes = readArguments(
  {
    from: { type: "string" },
    verify: { type: "boolean", default: false },
    replace: { type: "boolean", default: false },
    "without-keys": { type: "boolean", default: false },
  },
  USAGE,
);

/** PostgreSQL's code for a full disk. */
const DATABASE_FULL = "53100";

type Faults = Pick<Manifest, "missing" | "damaged">;
type Backup = { archive: ArchiveReader; manifest: Manifest };

try {
  if (!wishes.from || (wishes.verify && wishes.replace)) {
    console.error(USAGE);
    process.exit(2);
  }
  await (wishes.verify ? drill : restore)(parseEnv(process.env), path.resolve(wishes.from));
} catch (error) {
  const { code } = error as { code?: string };
  const words = messageForFailure(error, process.env.HEED_DATA_DIR ?? "the data folder");
  console.error(code === DATABASE_FULL ? `There is no room left for the database: ${words}.` : words);
  process.exitCode = 1;
}

async function restore(env: Env, from: string): Promise<void> {
  holdDataFolder(env);
  const backup = await open(from);
  await takeKeys(env, backup);
  await intoDatabase(env, backup, { record: true });
  console.log(
    `Restored as of ${backup.manifest.takenAt}. Everybody has to sign in again. Start the service with npm start.`,
  );
}

/** With a database and a folder of its own, whatever the installation uses. */
async function drill(env: Env, from: string): Promise<void> {
  fs.mkdirSync(os.tmpdir(), { recursive: true, mode: 0o700 });
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "heed-restore-"));
  let outside: string | undefined;
  try {
    const backup = await open(from);
    const keys = await keysOfDrill(env, backup, scratch);
    for (const name of ["DATABASE_URL", "S3_URL"]) delete process.env[name];
    const own = { ...env, dataDir: scratch, DATABASE_URL: undefined };
    const faults = await intoDatabase(own, backup, { keys }).finally(
      () => (outside = existingPlace(scratch)),
    );
    console.log(`The backup as of ${backup.manifest.takenAt} can be restored.`);
    process.exitCode ||= exitCodeOf(faults);
  } finally {
    // Where root runs it, the database may lie outside of the folder.
    for (const folder of [outside ?? scratch, scratch]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The service that runs on this folder would write into what is being restored. */
function holdDataFolder(env: Env): void {
  const release = tryLock(path.join(env.dataDir, "run", "service.lock"));
  if (!release) throw new Error(`Heed runs on ${env.dataDir}. Stop it first.`);
  process.once("exit", release);
}

async function open(from: string): Promise<Backup> {
  const archive = await ArchiveReader.open(from);
  const manifest = await readManifest(archive);
  await checkArchive(archive, manifest);
  console.log(`${from}: every part is as it was written.`);
  return { archive, manifest };
}

/** Before the database: what is started on the data folder makes a key where there is none. */
async function takeKeys(env: Env, { archive, manifest }: Backup): Promise<void> {
  const found = await keyInBackup(archive, manifest, env);
  const missing = missingKeys(manifest, env, found);
  if (missing.length > 0 && !wishes["without-keys"])
    throw new Error(
      `Keys that this backup needs are not here: ${missing.join(" and ")}. Put data.key into the folder secrets, set BACKUP_PASSPHRASE if the backup was made with one, and set EVIDENCE_KEYS as it was. With --without-keys it goes on; sealed originals, second factors and the secrets of webhooks then can't be opened.`,
    );
  const present = readDataKey(env);
  if (!found || found === present) return;
  if (present && !wishes.replace)
    throw new Error("The data folder has another data key. Restore into an empty one, or add --replace.");
  placeDataKey(env, found);
}

/** The keys that open originals, where they are to be had; the database of the drill finds its data key in place. */
async function keysOfDrill(env: Env, { archive, manifest }: Backup, scratch: string): Promise<Buffer[]> {
  const found = await keyInBackup(archive, manifest, env);
  const missing = missingKeys(manifest, env, found);
  const dataKey = found ?? readDataKey(env);
  if (dataKey) placeDataKey({ dataDir: scratch }, dataKey);
  if (missing.length === 0) return evidenceKeys({ dataDir: scratch, EVIDENCE_KEYS: env.EVIDENCE_KEYS });
  console.log(`Sealed originals are compared, but not opened: ${missing.join(" and ")} are not here.`);
  return [];
}

type Restoring = {
  /** With which everything is read and opened once more from where it was restored to. */
  keys?: Buffer[];
  /** Whether the audit log is to say that a backup was restored. */
  record?: boolean;
};

async function intoDatabase(
  env: Pick<Env, "DATABASE_URL" | "dataDir" | "AUDIT_KEYS" | "EVIDENCE_KEYS">,
  { archive, manifest }: Backup,
  { keys, record }: Restoring,
): Promise<Faults> {
  const { url, close } = await openDatabase(env);
  try {
    // What is loaded from here on reads the environment for itself. A long log takes longer than a request may.
    const patient = { DATABASE_STATEMENT_MS: "600000" };
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir, ...patient });
    const [{ bringBack }, { storage }] = await Promise.all([
      import("#lib/backup/bring-back.ts"),
      import("#lib/files/storage/storage.ts"),
    ]);
    await bringBack(archive, manifest, { url, storage: storage(), replace: wishes.replace });
    if (wishes["without-keys"]) await withDatabase(url, (client) => forgetMissingKeys(client, env));
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    console.log(`${rows} rows of ${manifest.tables.length} tables came back, and are as they were.`);
    const faults = keys ? await prove(url, manifest, keys) : manifest;
    for (const one of faults.missing) console.error(`Missing when it was taken: ${describeFile(one)}.`);
    for (const one of faults.damaged) console.error(`Damaged when it was taken: ${describeFile(one)}.`);
    await verifyChains();
    if (record) await claimKeysOf(url, env);
    if (record) await recordRestore(env, manifest);
    return faults;
  } finally {
    archive.close();
    await close();
  }
}

async function withDatabase(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await connectClient(url, { applicationName: "heed-restore" });
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function prove(url: string, manifest: Manifest, keys: Buffer[]): Promise<Faults> {
  const [{ proveFiles }, { storage }] = await Promise.all([
    import("#lib/backup/proof.ts"),
    import("#lib/files/storage/storage.ts"),
  ]);
  const proven = await proveFiles(manifest, { url, storage: storage(), keys });
  const opened = proven.originals - proven.damaged.filter(({ part }) => part === "original").length;
  console.log(`${proven.files} files came back, and are as they were; ${opened} sealed originals open.`);
  return proven;
}

async function verifyChains(): Promise<void> {
  const [{ verifyAudit }, { disconnect }] = await Promise.all([
    import("#lib/audit/verify.ts"),
    import("#lib/database/client.ts"),
  ]);
  try {
    const broken = (await verifyAudit()).filter(({ ok }) => !ok);
    for (const { chain, brokenAt } of broken)
      console.error(
        `The audit log of ${chain} is broken at entry ${brokenAt}, as it was when the backup was taken.`,
      );
    if (broken.length > 0) process.exitCode = 1;
    else console.log("The audit log is unbroken.");
  } finally {
    await disconnect();
  }
}

/** Checkpoints that were signed after the backup name entries that are gone now: a signed record says why. */
async function recordRestore(env: Pick<Env, "dataDir" | "AUDIT_KEYS">, { takenAt }: Manifest): Promise<void> {
  const [{ recordFreshStart }, { disconnect }] = await Promise.all([
    import("#lib/audit/fresh-start.ts"),
    import("#lib/database/client.ts"),
  ]);
  await recordFreshStart(env, { kind: "restore", backupTakenAt: takenAt }).finally(disconnect);
  console.log("The restore is on record for audit:verify.");
}
