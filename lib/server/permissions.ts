import fs from "node:fs";
import path from "node:path";

/** Folders of the data folder that hold keys, reports or copies of them. */
const PRIVATE_FOLDERS = ["secrets", "files", "tmp", "outbox", "backups", "run"];

/**
 * Returns one line with a remedy for each key or folder of the data folder that users other than its owner can
 * access. The group may pass through the data folder itself, as the embedded database's group has to. Empty on
 * Windows.
 */
export function listInsecureDataFolderPermissions(dataDir: string): string[] {
  if (process.platform === "win32") return [];
  const secrets = path.join(dataDir, "secrets");
  const keys = fs.existsSync(secrets) ? fs.readdirSync(secrets).map((name) => path.join(secrets, name)) : [];
  const folders = PRIVATE_FOLDERS.map((name) => path.join(dataDir, name));
  return [
    ...checkPermissions(dataDir, 0o067),
    ...folders.flatMap((folder) => checkPermissions(folder, 0o077)),
    ...keys.flatMap((key) => checkPermissions(key, 0o077)),
  ];
}

function checkPermissions(place: string, forbidden: number): string[] {
  const stat = fs.statSync(place, { throwIfNoEntry: false });
  if (!stat || (stat.mode & forbidden) === 0) return [];
  const mode = (stat.mode & 0o777).toString(8);
  const expectedMode = stat.isDirectory() ? "700" : "600";
  return [
    `Other users of this machine may use ${place} (its permissions are ${mode}). Run: chmod ${expectedMode} ${place}`,
  ];
}
