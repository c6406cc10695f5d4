import { randomUUID } from "node:crypto";
import { constants, type Dir } from "node:fs";
import { copyFile, mkdir, open, opendir, readdir, rename, rm, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { AppError } from "#lib/operation/errors.ts";
import { toStorageReadError, toStorageWriteError, createFileNotFoundError } from "./failures.ts";
import { assertStorageKey, isStorageKey } from "./keys.ts";
import type { ByteRange, FileStorage, StorageEntry, StoredFileStream } from "./storage.ts";

/** Stores files as `<dataDir>/files/ab/cd/<uuid>`, readable only by the service's own user (0600 in 0700). */
export function createDiskStorage(dataDir: string): FileStorage {
  const root = path.join(dataDir, "files");
  const resolvePath = (key: string) => {
    assertStorageKey(key);
    return path.join(root, key.slice(0, 2), key.slice(2, 4), key);
  };
  return {
    put: async (key, source) => {
      const target = resolvePath(key);
      await moveDurably(source, target, root).catch((error: unknown) => {
        throw toStorageWriteError(error, "disk");
      });
    },
    open: (key, range) => openFile(resolvePath(key), range),
    remove: (key) => rm(resolvePath(key), { force: true }),
    list: () => listFiles(root),
    removePartialFiles: (before) => removePartialFiles(root, before),
    check: () => probeWritable(root),
    checkReading: async () => {
      await readdir(root).catch((error: unknown) => {
        throw toStorageReadError(error, "disk");
      });
    },
  };
}

/**
 * Syncs the bytes, then renames, then syncs the folder that holds the name: after a power failure the file is complete
 * or absent.
 */
async function moveDurably(source: string, target: string, root: string): Promise<void> {
  const folder = path.dirname(target);
  await makeFolder(folder, root);
  await finalizeFile(source);
  await rename(source, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EXDEV") throw error;
    return copyAcrossVolumes(source, target);
  });
  await syncPath(folder);
}

async function makeFolder(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!first) return;
  // A new folder survives a power failure only if its parent folder is synced too.
  for (let above = path.dirname(folder); above.length >= root.length; above = path.dirname(above))
    await syncPath(above);
}

const PARTIAL_ENDING = ".part";

/** The temporary folder may be on another volume: copy to a partial file next to the target, then rename it. */
async function copyAcrossVolumes(source: string, target: string): Promise<void> {
  const partial = target + PARTIAL_ENDING;
  try {
    await copyFile(source, partial, constants.COPYFILE_EXCL);
    await finalizeFile(partial);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Makes the file private, sets its time to now (the sweeper measures a file's age from when it was stored), and syncs
 * it.
 */
async function finalizeFile(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.chmod(0o600);
    await handle.utimes(new Date(), new Date());
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncPath(file: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openFile(file: string, range?: ByteRange): Promise<StoredFileStream> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const { size, ino, mtimeMs } = await handle.stat();
    const end = Math.min(range?.end ?? size - 1, size - 1);
    const start = Math.min(range?.start ?? 0, end + 1);
    // The stream owns the handle from here on and closes it at its end or when it is destroyed.
    const stream = handle.createReadStream({ start, ...(end >= start && { end }) });
    return { stream, size: end - start + 1, version: `${ino}-${size}-${mtimeMs}` };
  } catch (error) {
    await handle?.close();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw createFileNotFoundError();
    throw toStorageReadError(error, "disk");
  }
}

async function* listFiles(root: string): AsyncIterable<StorageEntry> {
  for await (const { folder, name } of listFolderEntries(root)) {
    const fileStats = isStorageKey(name) && (await stat(path.join(folder, name)).catch(() => undefined));
    if (fileStats) yield { key: name, modified: fileStats.mtime, size: fileStats.size };
  }
}

async function removePartialFiles(root: string, before: Date): Promise<number> {
  let removed = 0;
  for await (const { folder, name } of listFolderEntries(root)) {
    if (!name.endsWith(PARTIAL_ENDING) || !isStorageKey(name.slice(0, -PARTIAL_ENDING.length))) continue;
    const file = path.join(folder, name);
    const fileStats = await stat(file).catch(() => undefined);
    if (!fileStats || fileStats.mtime >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}

async function* listFolderEntries(root: string): AsyncIterable<{ folder: string; name: string }> {
  for await (const outer of listNames(root)) {
    for await (const inner of listNames(path.join(root, outer))) {
      const folder = path.join(root, outer, inner);
      for await (const name of listNames(folder)) yield { folder, name };
    }
  }
}

async function* listNames(folder: string): AsyncIterable<string> {
  let dir: Dir;
  try {
    dir = await opendir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return;
    throw error;
  }
  for await (const entry of dir) yield entry.name;
}

async function probeWritable(root: string): Promise<void> {
  const file = path.join(root, `.probe-${randomUUID()}`);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.write("heed");
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof AppError ? error : toStorageWriteError(error, "disk");
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}
