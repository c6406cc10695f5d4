import fs from "node:fs";
import path from "node:path";
import { isProcessIdentityRunning, readFileOrUndefined, tryAcquireFileLock } from "#lib/process-lock.ts";

/**
 * Which processes serve the pages built in a checkout. They read the files on demand, so a build in the same place
 * would remove files that they still need.
 */

/**
 * Marks this process as serving the build, if it may write there. A service without that right, such as the unit in
 * docs/operating.md, is unknown to a build by another user, so its operator has to stop it first. Returns a function
 * that removes the mark.
 */
export function markBuildInUse(root: string): () => void {
  try {
    return tryAcquireFileLock(path.join(buildMarksFolder(root), String(process.pid))) ?? (() => {});
  } catch {
    return () => {};
  }
}

/** Returns the ids of the processes that serve the build. Removes marks left behind by processes that were killed. */
export function listBuildServingProcessIds(root: string): number[] {
  const folder = buildMarksFolder(root);
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names.filter((name) => /^\d+$/.test(name) && isServing(path.join(folder, name))).map(Number);
}

function isServing(file: string): boolean {
  const mark = readFileOrUndefined(file);
  if (mark !== undefined && isProcessIdentityRunning(mark)) return true;
  fs.rmSync(file, { force: true });
  return false;
}

/** In `.next/cache`, the only part of `.next` that a build doesn't empty. */
const buildMarksFolder = (root: string) => path.join(root, ".next", "cache", "heed-serving");
