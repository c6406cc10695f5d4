import fs from "node:fs";
import path from "node:path";
import { parseEnv, type Env } from "../env.ts";
import type { Manifest } from "../backup/manifest.ts";
import { readArguments } from "./arguments.ts";
import { openDatabase } from "./database.ts";
import { existingPlace } from "./postgres-place.ts";

/** `npm run backup [-- --to FILE-OR-FOLDER]`: database and files of one moment in one archive, while the service runs. */

const { to } = readArguments({ to: { type: "string" } }, "npm run backup [-- --to FILE-OR-FOLDER]");

try {
  await backup(parseEnv(process.env), to);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function backup(env: Env, wanted: string | undefined): Promise<void> {
  if (!env.DATABASE_URL && !existingPlace(env.dataDir))
    throw new Error(
      `There is no database in ${env.dataDir}. Set HEED_DATA_DIR to the folder of the service.`,
    );
  const file = place(wanted ?? path.join(env.dataDir, "backups"));
  const draft = `${file}.part`;
  const { url, close } = await openDatabase(env);
  try {
    // What is loaded from here on reads the environment for itself.
    Object.assign(process.env, { DATABASE_URL: url, HEED_DATA_DIR: env.dataDir });
    const [{ takeBackup }, { storage }] = await Promise.all([
      import("../backup/take.ts"),
      import("../files/storage.ts"),
    ]);
    const manifest = await takeBackup({ url, storage: storage(), env }, draft);
    fs.renameSync(draft, file);
    tell(file, manifest);
  } finally {
    fs.rmSync(draft, { force: true });
    await close();
  }
}

/** A folder gets a file that is named after the time; a file that is there already is never written over. */
function place(wanted: string): string {
  const isFile = wanted.endsWith(".zip");
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const file = path.resolve(isFile ? wanted : path.join(wanted, `heed-${time}.zip`));
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (fs.existsSync(file)) throw new Error(`${file} is there already.`);
  return file;
}

function tell(file: string, { takenAt, tables, files, keys }: Manifest): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  console.log(
    `${file}: ${rows} rows of ${tables.length} tables and ${files.length} files, as of ${takenAt}.`,
  );
  console.log(
    keys.sealed
      ? "The data key is in it, sealed with BACKUP_PASSPHRASE. Keep the passphrase elsewhere."
      : "The keys are not in it. Keep secrets/data.key apart from it, or set BACKUP_PASSPHRASE: without that key nobody can open sealed originals, second factors and the secrets of webhooks.",
  );
  if (keys.evidence.length > 0) console.log("Keep EVIDENCE_KEYS, too: they are never in a backup.");
}
