import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { env } from "#lib/env.ts";
import { createDiskStorage } from "./disk.ts";
import { createS3Storage } from "./s3.ts";

/** `version` changes whenever the content stored under the key is replaced. */
export type StoredFileStream = { stream: Readable; size: number; version: string };
export type StorageEntry = { key: string; modified: Date; size: number };
/** A byte range of a file: both ends inclusive, counted from 0. */
export type ByteRange = { start: number; end: number };

/**
 * The storage of file bytes. Keys come from `createStorageKey`, never from a person, so that no typed name becomes part
 * of a path. Database rows decide which files exist: a row is committed after `put`, and the sweeper removes a file
 * without a row.
 */
export interface FileStorage {
  /**
   * Stores a finished temporary file. When the promise resolves, the bytes are on the disk or in the object storage.
   * May move `source` away. @throws AppError STORAGE_UNAVAILABLE (507)
   */
  put(key: string, source: string, type: string): Promise<void>;
  /**
   * Opens a file; `size` is the number of bytes in the stream. The caller reads or destroys the stream.
   * @throws AppError NOT_FOUND, or SERVICE_UNAVAILABLE when the storage can't be reached
   */
  open(key: string, range?: ByteRange): Promise<StoredFileStream>;
  /** Removes a file. Removing a missing file is not an error. */
  remove(key: string): Promise<void>;
  /** Lists every stored file, in no particular order. */
  list(): AsyncIterable<StorageEntry>;
  /** Removes what a killed process left of files that it was storing before this time. Returns how many. */
  removePartialFiles(before: Date): Promise<number>;
  /** Checks that files can be written. @throws AppError STORAGE_UNAVAILABLE */
  check(): Promise<void>;
  /** Checks that the storage responds to reads, also where it can't be written. @throws AppError SERVICE_UNAVAILABLE */
  checkReading(): Promise<void>;
}

let currentStorage: FileStorage | undefined;

/** Returns the storage of this process: S3-compatible if S3_URL is set, else the data folder. */
export function getFileStorage(): FileStorage {
  const { S3_URL, dataDir } = env();
  currentStorage ??= S3_URL ? createS3Storage(S3_URL) : createDiskStorage(dataDir);
  return currentStorage;
}

/** Creates a key for a new file. */
export const createStorageKey = (): string => randomUUID();
