import fs from "node:fs";
import path from "node:path";
import { isProcessAlive, readFileIfExists, tryLock } from "#lib/process-lock.ts";

/**
 * Which processes serve the pages that are built in a checkout. They read them as they need them, so a build in the
 * same place would take the files from under them.
 */

/** Says that this process serves them. The function returned takes it back. */
export function markServing(root: string): () => void {
  try {
    return tryLock(path.join(marksFolder(root), String(process.pid))) ?? (() => {});
  } catch {
    // Where nothing can be written, nobody builds.
    return () => {};
  }
}

/** The ids of the processes that do. What one left behind that was killed is removed. */
export function listServingProcesses(root: string): number[] {
  const folder = marksFolder(root);
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names.filter((name) => /^\d+$/.test(name) && isServing(path.join(folder, name))).map(Number);
}

function isServing(file: string): boolean {
  const mark = readFileIfExists(file);
  if (mark !== undefined && isProcessAlive(mark)) return true;
  fs.rmSync(file, { force: true });
  return false;
}

/** A build empties its folder, but for the cache. */
const marksFolder = (root: string) => path.join(root, ".next", "cache", "heed-serving");
