import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { env } from "#lib/env.ts";
import { createDiskStorage } from "./disk.ts";
import { createS3Storage } from "./s3.ts";

/** `version` changes whenever what is stored under the key is replaced. */
export type StoredFileStream = { stream: Readable; size: number; version: string };
export type StorageEntry = { key: string; modified: Date; size: number };
/** Bytes of a file, both ends included, counted from 0. */
export type ByteRange = { start: number; end: number };

/**
 * Where file bytes live. Keys are made by `newKey`, never by a person, so that no name that somebody
 * typed gets into a path. Which files exist for the service is decided by database rows: a row is
 * committed after `put`, and a file without a row is removed by the sweeper.
 */
export interface FileStorage {
  /**
   * Stores a finished temporary file; when the promise settles, the bytes have reached the disk or the
   * object storage. May move `source` away. @throws AppError STORAGE_UNAVAILABLE (507).
   */
  put(key: string, source: string, type: string): Promise<void>;
  /**
   * Opens a file; `size` counts the bytes that the stream gives. The caller reads or destroys the stream.
   * @throws AppError NOT_FOUND, or SERVICE_UNAVAILABLE when the storage can't be reached.
   */
  open(key: string, range?: ByteRange): Promise<StoredFileStream>;
  /** Removes a file; one that is gone already is no error. */
  remove(key: string): Promise<void>;
  /** Every stored file, in no order. */
  list(): AsyncIterable<StorageEntry>;
  /** Proves that files can be written. @throws AppError STORAGE_UNAVAILABLE. */
  check(): Promise<void>;
}

let currentStorage: FileStorage | undefined;

/** The storage of this process: S3-compatible when S3_URL is set, else the data folder. */
export function getFileStorage(): FileStorage {
  const { S3_URL, dataDir } = env();
  currentStorage ??= S3_URL ? createS3Storage(S3_URL) : createDiskStorage(dataDir);
  return currentStorage;
}

/** A key for a new file. */
export const newStorageKey = (): string => randomUUID();
