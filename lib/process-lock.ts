import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Locks between processes of one machine that survive kill -9. The file contains the pid of its owner and the start
 * time of that process, so that a lock counts as free when its process is gone or the pid belongs to another process.
 * They hold only between processes that see each other's pids: to another container, the owner counts as gone.
 */

/** Returns a text that identifies this process. */
export function getProcessIdentity(): string {
  return `${process.pid} ${readProcessStartTime(process.pid)}`;
}

/** Returns whether the process with this identity is running. */
export function isProcessIdentityRunning(processIdentity: string): boolean {
  const [pid, started] = processIdentity.trim().split(" ");
  return isPidRunning(Number(pid)) && (!started || readProcessStartTime(Number(pid)) === started);
}

/** Returns whether a process has this pid. A zombie (ended, but not waited for) doesn't count. */
export function isPidRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return readProcessStat(pid)?.[0] !== "Z";
}

/**
 * Takes the lock and returns the function that releases it, or undefined when a running process has the lock.
 * @throws the error of the file system where the lock can be neither read nor taken
 */
export function tryAcquireFileLock(file: string): (() => void) | undefined {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  fs.writeFileSync(draft, getProcessIdentity(), { mode: 0o600 });
  try {
    for (;;) {
      if (tryLink(draft, file)) return () => fs.rmSync(file, { force: true });
      const holder = readFileIfThere(file);
      if (holder && isProcessIdentityRunning(holder)) return undefined;
      if (holder !== undefined) removeStaleLock(file, holder);
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/**
 * Waits for the lock, up to the given number of milliseconds.
 * @throws Error that names the process that has the lock
 */
export async function acquireFileLock(file: string, timeoutMs: number): Promise<() => void> {
  for (const end = Date.now() + timeoutMs; ; await sleep(50)) {
    const release = tryAcquireFileLock(file);
    if (release) return release;
    if (Date.now() > end)
      throw new Error(`Process ${readFileOrUndefined(file)?.split(" ")[0]} has held ${file} for too long.`);
  }
}

export function readFileOrUndefined(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Unlike `readFileOrUndefined`, throws where there is a file that can't be read: trying again would never end. */
const readFileIfThere = (file: string): string | undefined =>
  ignoreMissing(() => fs.readFileSync(file, "utf8"));

function ignoreMissing<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Two processes may find the same stale lock; the later one must not remove the winner's new lock. */
function removeStaleLock(file: string, stale: string): void {
  const aside = `${file}.stale.${randomBytes(4).toString("hex")}`;
  ignoreMissing(() => fs.renameSync(file, aside));
  if (!fs.existsSync(aside)) return;
  if (readFileOrUndefined(aside) !== stale) tryLink(aside, file);
  fs.rmSync(aside, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns when a process started, in clock ticks since boot; empty without /proc, so that only the pid is compared. */
function readProcessStartTime(pid: number): string {
  return readProcessStat(pid)?.[19] ?? "";
}

function readProcessStat(pid: number): string[] | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
