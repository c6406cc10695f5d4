import fs from "node:fs";
import path from "node:path";

/**
 * Lists the stored files of a service, as paths. Leaves out the empty one by which the service checks now and then that
 * it can write.
 */
export function listStoredFiles(dataDir: string): string[] {
  const root = path.join(dataDir, "files");
  if (!fs.existsSync(root)) return [];
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".probe-"))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** @returns a function that lists the files stored since, whatever a job removes meanwhile of what others deleted */
export function watchStoredFiles(dataDir: string): () => string[] {
  const before = new Set(listStoredFiles(dataDir));
  return () => listStoredFiles(dataDir).filter((file) => !before.has(file));
}
