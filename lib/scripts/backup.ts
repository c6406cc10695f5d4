import fs from "node:fs";
import path from "node:path";
import { parseEnv, type Env } from "#lib/env.ts";
import { findBackupFaultsExitCode } from "#lib/backup/exit-codes.ts";
import { DATA_KEY_USES } from "#lib/backup/key-fingerprints.ts";
import type { BackupManifest } from "#lib/backup/manifest.ts";
import { describeReferencedFile } from "#lib/backup/referenced-files.ts";
import { parseArgumentsOrExit } from "#lib/command-arguments.ts";
import { startOrAwaitDatabase } from "#lib/server/open-database.ts";
import { describeCommandFailure } from "#lib/failure-messages.ts";
import { findUnmountedMountPointAbove } from "#lib/backup/mounts.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/** `npm run backup`: writes a consistent copy of database and files into one archive, while the service runs. */

const USAGE = `npm run backup [-- --to FILE-OR-FOLDER] [--allow-missing]
Writes database and files of one moment into one archive, while the service runs.
  --to             a file that ends in .zip, or a folder that is there; backups/ of the data folder without it
  --allow-missing  back up everything else where files are missing
Ends with 0, or 1 when it failed, 3 when evidence in the archive is damaged, 4 when files are missing and nothing was
written, 5 when the archive lacks files: they are missing and --allow-missing is set, or they can't be read.`;

const options = parseArgumentsOrExit(
  { to: { type: "string" }, "allow-missing": { type: "boolean", default: false } },
  USAGE,
);

try {
  await runBackup(parseEnv(process.env), options.to);
} catch (error) {
  console.error(describeCommandFailure(error, process.env.HEED_DATA_DIR ?? "the data folder"));
  process.exitCode = (error as { exitCode?: number }).exitCode ?? 1;
}

async function runBackup(env: Env, target: string | undefined): Promise<void> {
  if (!env.DATABASE_URL && !findDatabaseFolder(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const file = chooseBackupFile(env, target);
  const draft = `${file}.part`;
  const { url, close } = await startOrAwaitDatabase(env);
  try {
    // Modules loaded from here on read the environment themselves.
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
    const [{ takeBackup }, { getFileStorage }] = await Promise.all([
      import("#lib/backup/take.ts"),
      import("#lib/files/storage/storage.ts"),
    ]);
    const source = { url, storage: getFileStorage(), env, allowMissing: options["allow-missing"] };
    const manifest = await takeBackup(source, draft);
    fs.renameSync(draft, file);
    printSummary(file, manifest);
    process.exitCode = findBackupFaultsExitCode(manifest);
  } finally {
    fs.rmSync(draft, { force: true });
    await close();
  }
}

/** Returns the archive's path; in a folder, its name is the time. An existing file is never overwritten. */
function chooseBackupFile(env: Env, target: string | undefined): string {
  const own = path.join(env.dataDir, "backups");
  const isFile = target?.endsWith(".zip") ?? false;
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const file = path.resolve(isFile ? (target ?? "") : path.join(target ?? own, `heed-${time}.zip`));
  const folder = path.dirname(file);
  if (isInside(folder, env.dataDir)) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  else refuseMissingFolder(folder);
  if (fs.existsSync(file)) throw new Error(`${file} is there already.`);
  return file;
}

function isInside(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent + path.sep);
}

/** Refuses a missing folder: if it belongs on another disk, the backup would fill this one, and be lost with it. */
function refuseMissingFolder(folder: string): void {
  if (!fs.existsSync(folder))
    throw new Error(`The folder ${folder} is not there. Mount its disk, or make the folder first.`);
  const unmounted = findUnmountedMountPointAbove(folder);
  if (unmounted)
    throw new Error(
      `Nothing is mounted at ${unmounted}, which /etc/fstab names. Mount it first, or choose another folder with --to.`,
    );
}

function printSummary(
  file: string,
  { takenAt, tables, files, keys, missing, damaged, unreadable }: BackupManifest,
): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${file}: ${rows} rows of ${tables.length} tables and ${files.length} files, as of ${takenAt}.`,
  );
  console.log(
    keys.sealed
      ? "The data key is in it, sealed with BACKUP_PASSPHRASE. Keep the passphrase elsewhere."
      : `The keys are not in it. Keep secrets/data.key apart from it, or set BACKUP_PASSPHRASE. That key is needed for ${DATA_KEY_USES}.`,
  );
  if (keys.evidence.length > 0) console.log("Keep EVIDENCE_KEYS, too: they are never in a backup.");
  for (const one of missing) console.error(`Missing, and not in it: ${describeReferencedFile(one)}.`);
  for (const one of unreadable)
    console.error(`Unreadable (${one.code}), and not in it: ${describeReferencedFile(one)}.`);
  for (const one of damaged) console.error(`Damaged, and in it as it is: ${describeReferencedFile(one)}.`);
  if (missing.length + damaged.length + unreadable.length > 0)
    console.error("Keep the backups from before: they may hold these files whole.");
}
