import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import type { FileStorage } from "#lib/files/storage/storage.ts";

/** Storage errors in detail, for operators; other people only learn that the storage failed. */

/**
 * Returns whether the storage holds any file.
 * @throws Error in plain words when it can't be read
 */
export async function hasStoredFiles(storage: FileStorage): Promise<boolean> {
  try {
    for await (const _ of storage.list()) return true;
    return false;
  } catch (error) {
    throw createUnusableStorageError(error);
  }
}

/**
 * Returns the keys of all stored files.
 * @throws Error in plain words when they can't be listed
 */
export async function listStoredFileStorageKeys(storage: FileStorage): Promise<Set<string>> {
  const keys = new Set<string>();
  try {
    for await (const { key } of storage.list()) keys.add(key);
  } catch (error) {
    throw createUnusableStorageError(error);
  }
  return keys;
}

/** Checks that the storage responds to reads. @throws Error in plain words when it doesn't */
export async function assertStorageResponds(storage: FileStorage): Promise<void> {
  await storage.checkReading().catch((error: unknown) => {
    throw createUnusableStorageError(error);
  });
}

const createUnusableStorageError = (cause: unknown): Error =>
  new Error(`The storage of files can't be used: ${describeStorageError(cause)}.`, { cause });

/** Checks whether a file doesn't exist. One that can't be opened for another reason exists. */
export async function isFileMissing(storage: FileStorage, key: string): Promise<boolean> {
  try {
    (await storage.open(key)).stream.destroy();
    return false;
  } catch (error) {
    return isFileNotFoundError(error);
  }
}

/** Checks whether opening a file failed because it doesn't exist. */
export const isFileNotFoundError = (error: unknown): boolean =>
  (error as { code?: string } | null)?.code === "NOT_FOUND";

/** Says of a stored file why it is missing, as the end of a sentence. */
export const MISSING_STORED_FILE_REASON =
  "not where HEED_DATA_DIR and S3_URL, with bucket and prefix, say that files lie";

/** Returns why a file couldn't be read or stored, as the end of a sentence. */
export function describeStorageError(error: unknown): string {
  const { reason = describeErrorForLog(error) } = error as { reason?: string };
  if (isFileNotFoundError(error)) return `it is ${MISSING_STORED_FILE_REASON}`;
  return STORAGE_ERROR_TEXTS[reason] ?? reason;
}

const UNREACHABLE_TEXT = "nobody answers at the address in S3_URL";
const ACCESS_REFUSED_TEXT = "key and secret in S3_URL are refused, or lack rights to the bucket";
const FOLDER_DENIED_TEXT = "this user may not use that folder";

const STORAGE_ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: UNREACHABLE_TEXT,
  ENOTFOUND: UNREACHABLE_TEXT,
  EAI_AGAIN: UNREACHABLE_TEXT,
  EHOSTUNREACH: UNREACHABLE_TEXT,
  ETIMEDOUT: UNREACHABLE_TEXT,
  TimeoutError: UNREACHABLE_TEXT,
  ECONNRESET: "the connection to the address in S3_URL broke off",
  NoSuchBucket: "there is no such bucket as S3_URL names",
  NotFound: "there is no such bucket as S3_URL names",
  InvalidAccessKeyId: ACCESS_REFUSED_TEXT,
  SignatureDoesNotMatch: ACCESS_REFUSED_TEXT,
  AccessDenied: ACCESS_REFUSED_TEXT,
  Forbidden: ACCESS_REFUSED_TEXT,
  ENOSPC: "there is no room left on the disk",
  EDQUOT: "there is no room left on the disk",
  EACCES: FOLDER_DENIED_TEXT,
  EPERM: FOLDER_DENIED_TEXT,
  EROFS: "the disk is read-only",
  WRONG_SIZE: "the storage sent more or fewer bytes than it announced",
};
