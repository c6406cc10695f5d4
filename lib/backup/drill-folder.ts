import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { stopAbandonedPostgres } from "#lib/database/embedded/server.ts";
import { getProcessIdentity, isProcessIdentityRunning, readFileOrUndefined } from "#lib/process-lock.ts";

/** The temporary data folder of a drill. It holds the whole database in the open, and the data key. */

const PREFIX = "heed-restore-";
const OWNER_FILE = "owner";
/** The age from which a folder without an owner counts as left behind; a drill writes its owner at once. */
const MIN_AGE_WITHOUT_OWNER_MS = 60_000;

/** Creates the folder of a drill, for this process. */
export function createDrillFolder(): string {
  fs.mkdirSync(os.tmpdir(), { recursive: true, mode: 0o700 });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), PREFIX));
  fs.writeFileSync(path.join(folder, OWNER_FILE), getProcessIdentity(), { mode: 0o600 });
  return folder;
}

/** Removes the folder of a drill and its database, which lies elsewhere when root runs the drill. */
export function removeDrillFolder(folder: string): void {
  for (const one of [findDatabaseFolderIfPresent(folder), folder])
    if (one) fs.rmSync(one, { recursive: true, force: true });
}

function findDatabaseFolderIfPresent(folder: string): string | undefined {
  try {
    return findDatabaseFolder(folder);
  } catch {
    // It is recorded, but gone already.
    return undefined;
  }
}

/** Stops the database servers of drills that were killed, and removes their folders. */
export async function removeAbandonedDrillFolders(): Promise<void> {
  for (const name of fs.existsSync(os.tmpdir()) ? fs.readdirSync(os.tmpdir()) : []) {
    const folder = path.join(os.tmpdir(), name);
    if (!name.startsWith(PREFIX) || !isAbandoned(folder)) continue;
    if (findDatabaseFolderIfPresent(folder)) await stopAbandonedPostgres(folder);
    removeDrillFolder(folder);
  }
}

/** Others can create folders in the temporary folder, too, and name any folder as that of their database. */
function isAbandoned(folder: string): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || (process.getuid && stat.uid !== process.getuid())) return false;
  const owner = readFileOrUndefined(path.join(folder, OWNER_FILE));
  return owner ? !isProcessIdentityRunning(owner) : Date.now() - stat.mtimeMs > MIN_AGE_WITHOUT_OWNER_MS;
}
