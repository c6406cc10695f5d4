import { createHash, randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { env } from "#lib/env.ts";

/**
 * Creates an empty folder for one request or command, `<dataDir>/tmp/<host>-<process>-<started>-<uuid>`. The name
 * identifies the process, so that the sweeper recognizes what a killed process left behind.
 */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = path.join(
    buildTemporaryFoldersRootPath(),
    `${hostId}-${process.pid}-${processStart}-${randomUUID()}`,
  );
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export const buildTemporaryFoldersRootPath = (): string => path.join(env().dataDir, "tmp");

/**
 * Checks whether a folder was made by a process of this machine that has ended. Processes of other machines can't be
 * checked.
 */
export function isAbandonedTemporaryFolder(name: string): boolean {
  const [madeOn, pid, madeStart] = name.split("-");
  if (madeOn !== hostId || !pid || !/^\d{1,10}$/.test(pid)) return false;
  // A container's first process gets the same id after each restart; the start time distinguishes them.
  if (Number(pid) === process.pid) return madeStart !== processStart;
  return !isAlive(Number(pid));
}

const hostId = createHash("sha256").update(os.hostname()).digest("hex").slice(0, 8);
const processStart = Math.round(performance.timeOrigin).toString(36);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
