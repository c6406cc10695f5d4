import { createHash, randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { env } from "#lib/env.ts";

/**
 * A new empty folder of one request, `<dataDir>/tmp/<host>-<process>-<started>-<uuid>`. Its name says who
 * made it, so that the sweeper knows what a killed process left behind.
 */
export async function makeTemporaryFolder(): Promise<string> {
  const folder = path.join(temporaryRoot(), `${hostId}-${process.pid}-${processStart}-${randomUUID()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export const temporaryRoot = (): string => path.join(env().dataDir, "tmp");

/** Was this folder made by a process of this machine that has ended? Of other machines we can't know. */
export function isAbandonedFolder(name: string): boolean {
  const [madeOn, pid, madeStart] = name.split("-");
  if (madeOn !== hostId || !pid || !/^\d{1,10}$/.test(pid)) return false;
  // A container's first process has the same number in each of its lives; the start time tells them apart.
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
