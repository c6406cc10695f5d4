import fs from "node:fs";
import path from "node:path";
import { isPidRunning, readFileOrUndefined } from "#lib/process-lock.ts";
import { findDatabaseFolder } from "./installation.ts";
import { assertNoServerListens } from "./socket.ts";

/** The files in which PostgreSQL records the process that runs on a database folder. */

export type ServerAddress = { folder: string } | { port: number };

type Postmaster = { pid: number; address: ServerAddress | undefined };

/** Returns the recorded server of a database folder, if it runs among the processes seen here. */
export function findRunningPostmaster(databaseFolder: string): Postmaster | undefined {
  const postmaster = readPostmasterFile(databaseFolder);
  if (!postmaster || !isPidRunning(postmaster.pid)) return undefined;
  return isServerProcess(postmaster.pid, databaseFolder) ? postmaster : undefined;
}

/**
 * Checks that no other container runs the database of a data folder, before a command changes something else in it.
 * @throws Error that says what to do
 */
export async function assertNoServerOfAnotherContainer(dataDir: string): Promise<void> {
  const databaseFolder = findDatabaseFolder(dataDir);
  if (databaseFolder && !findRunningPostmaster(databaseFolder)) await assertNoServerListens(databaseFolder);
}

/** Reads postmaster.pid: pid, folder, start time, port, socket folder, listen address. */
function readPostmasterFile(databaseFolder: string): Postmaster | undefined {
  const text = readFileOrUndefined(path.join(databaseFolder, "postmaster.pid"));
  if (text === undefined) return undefined;
  const [pid, , , port, folder] = text.split("\n").map((line) => line.trim());
  const address = folder ? { folder } : Number(port) > 0 ? { port: Number(port) } : undefined;
  return { pid: Math.abs(Number(pid)), address };
}

/** After a reboot the recorded pid may belong to any program. Without /proc, the recorded pid is believed. */
function isServerProcess(pid: number, databaseFolder: string): boolean {
  const command = readFileOrUndefined(`/proc/${pid}/cmdline`);
  return command === undefined || command.split("\0").includes(databaseFolder);
}

/**
 * Keeps a stale pid, now unused or another program's, from blocking PostgreSQL's start. The files stay in place with
 * a pid that can't exist: from them PostgreSQL learns whether backends of the dead server are still running.
 */
export function invalidatePidFiles(databaseFolder: string): void {
  for (const name of ["postmaster.pid", ".s.PGSQL.5432.lock"]) {
    const file = path.join(databaseFolder, name);
    const text = readFileOrUndefined(file);
    if (text !== undefined) fs.writeFileSync(file, text.replace(/^-?\d+/, "999999999"), { flush: true });
  }
}
