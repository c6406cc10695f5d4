import { reasonOf } from "#lib/observability/error-reason.ts";
import type { Storage } from "#lib/files/storage/storage.ts";

/** What an operator is told of the storage of files, where the service tells people only that it failed. */

/** Does the storage hold anything? @throws Error in plain words when it can't be asked */
export async function findsFiles(storage: Storage): Promise<boolean> {
  try {
    for await (const _ of storage.list()) return true;
    return false;
  } catch (error) {
    throw new Error(`The storage of files can't be used: ${storageTrouble(error)}.`, { cause: error });
  }
}

/** The keys of everything that is stored. @throws Error in plain words when it can't be asked */
export async function storedKeys(storage: Storage): Promise<Set<string>> {
  const keys = new Set<string>();
  try {
    for await (const { key } of storage.list()) keys.add(key);
  } catch (error) {
    throw new Error(`The storage of files can't be used: ${storageTrouble(error)}.`, { cause: error });
  }
  return keys;
}

/** What is said of a file that isn't there. */
export const MISSING = "not where HEED_DATA_DIR and S3_URL, with bucket and prefix, say that files lie";

/** Why a file could not be read or stored, as the end of a sentence. */
export function storageTrouble(error: unknown): string {
  const { code, reason = reasonOf(error) } = error as { code?: string; reason?: string };
  if (code === "NOT_FOUND") return `it is ${MISSING}`;
  return WORDS[reason] ?? reason;
}

const AWAY = "nobody answers at the address in S3_URL";
const REFUSED = "key and secret in S3_URL are refused, or lack rights to the bucket";
const CLOSED = "this user may not use that folder";

const WORDS: Record<string, string> = {
  ECONNREFUSED: AWAY,
  ENOTFOUND: AWAY,
  EAI_AGAIN: AWAY,
  EHOSTUNREACH: AWAY,
  ETIMEDOUT: AWAY,
  TimeoutError: AWAY,
  ECONNRESET: "the connection to the address in S3_URL broke off",
  NoSuchBucket: "there is no such bucket as S3_URL names",
  NotFound: "there is no such bucket as S3_URL names",
  InvalidAccessKeyId: REFUSED,
  SignatureDoesNotMatch: REFUSED,
  AccessDenied: REFUSED,
  Forbidden: REFUSED,
  ENOSPC: "there is no room left on the disk",
  EDQUOT: "there is no room left on the disk",
  EACCES: CLOSED,
  EPERM: CLOSED,
  EROFS: "the disk is read-only",
};
