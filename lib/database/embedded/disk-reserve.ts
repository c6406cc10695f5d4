import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/**
 * Reserves disk space for a start on a full disk (docs/architecture.md). PostgreSQL needs up to two WAL segments of 16
 * MiB each before it accepts connections, and can then serve reads. A file reserves that space in the data folder, and
 * another one next to the embedded database's folder if that lies elsewhere.
 */

type Log = (line: string) => void;

const RESERVE_BYTES = 40 * 1024 * 1024;
/** With less free space than this, PostgreSQL may fail to start. */
const MIN_FREE_BYTES = RESERVE_BYTES;
/** The reserve is only created with this much free space, so that it doesn't fill the disk itself. */
const MIN_FREE_BYTES_FOR_RESERVE = 512 * 1024 * 1024;
const BLOCK_BYTES = 1024 * 1024;

/** Creates missing reserve files where there is ample space. Failures are ignored. */
export function createDiskReserveFiles(dataDir: string): void {
  for (const file of listReserveFiles(dataDir)) {
    if (fs.existsSync(file) || countFreeBytes(path.dirname(file)) < MIN_FREE_BYTES_FOR_RESERVE) continue;
    try {
      writeReserveFile(file);
    } catch {
      fs.rmSync(file, { force: true });
    }
  }
}

/**
 * Deletes the reserve where the disk is nearly full, and logs that.
 * @returns whether space was freed
 */
export function releaseDiskReserveIfNearlyFull(dataDir: string, log: Log): boolean {
  let released = false;
  for (const file of listReserveFiles(dataDir)) {
    const free = countFreeBytes(path.dirname(file));
    if (free >= MIN_FREE_BYTES || !fs.existsSync(file)) continue;
    fs.rmSync(file, { force: true });
    released = true;
    log(
      `The disk of ${path.dirname(file)} is full (${formatMegabytes(free)} MB are free). Heed starts with the ${formatMegabytes(RESERVE_BYTES)} MB that it kept in reserve, and can't store much more. Make room.`,
    );
  }
  return released;
}

/** Describes a disk with too little space for a start; undefined when all have enough. */
export function describeFullDisk(dataDir: string): string | undefined {
  const folders = listReserveFiles(dataDir).map((file) => path.dirname(file));
  const fullFolder = folders.find((folder) => countFreeBytes(folder) < MIN_FREE_BYTES);
  return (
    fullFolder &&
    `There is no room left on the disk of ${fullFolder}: ${formatMegabytes(countFreeBytes(fullFolder))} MB are free, and a start needs ${formatMegabytes(MIN_FREE_BYTES)} MB.\nMake room there, and start Heed again.`
  );
}

function listReserveFiles(dataDir: string): string[] {
  const dataDirReserve = path.join(dataDir, "reserve");
  const database = findDatabaseFolder(dataDir);
  return !database || database.startsWith(dataDir + path.sep)
    ? [dataDirReserve]
    : [dataDirReserve, `${database}.reserve`];
}

function countFreeBytes(folder: string): number {
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize;
  } catch {
    // The free space is unknown, so nothing is done.
    return Infinity;
  }
}

/** Writes random bytes, since some file systems store zeros or duplicate blocks without using space. */
function writeReserveFile(file: string): void {
  const handle = fs.openSync(file, "wx", 0o600);
  try {
    for (let written = 0; written < RESERVE_BYTES; written += BLOCK_BYTES)
      fs.writeSync(handle, randomBytes(BLOCK_BYTES));
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

const formatMegabytes = (bytes: number): number => Math.round(bytes / 1e6);
