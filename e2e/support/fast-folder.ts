import fs from "node:fs";
import os from "node:os";

const MEMORY_FOLDER = "/dev/shm";
const NEEDED_MEMORY_BYTES = 6 * 1024 ** 3;

/**
 * Returns a folder in memory where there is plenty of it, else that for temporary files: on a disk, creating and dropping
 * dozens of databases of more than a thousand files each takes a fifth more processor time.
 */
export function findFastFolder(): string {
  try {
    fs.accessSync(MEMORY_FOLDER, fs.constants.W_OK | fs.constants.X_OK);
    const { bavail, bsize } = fs.statfsSync(MEMORY_FOLDER);
    const freeBytes = Math.min(bavail * bsize, process.availableMemory());
    return freeBytes >= NEEDED_MEMORY_BYTES ? MEMORY_FOLDER : os.tmpdir();
  } catch {
    return os.tmpdir();
  }
}
