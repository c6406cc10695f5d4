import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { AppError } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";

/**
 * Converts a failed write to 507 STORAGE_UNAVAILABLE, whatever the reason (full disk, missing permission, read-only
 * volume, unreachable object storage). The reason is logged as a code and kept on the error for the operator's
 * commands; the caller never gets it.
 */
export function toStorageWriteError(thrown: unknown, where: "disk" | "s3" | "temporary"): AppError {
  if (thrown instanceof AppError) return thrown;
  log.error({ where, code: describeErrorForLog(thrown) }, "a file can't be stored");
  const error = new AppError("STORAGE_UNAVAILABLE", "storageUnavailable");
  return Object.assign(error, { reason: describeErrorForLog(thrown) });
}

/** Converts a failed read to 503, with the reason. A missing file is not a failed read but a 404. */
export function toStorageReadError(thrown: unknown, where: "disk" | "s3" | "stream"): AppError {
  if (thrown instanceof AppError) return thrown;
  log.error({ where, code: describeErrorForLog(thrown) }, "a file can't be read");
  const headers = { "Retry-After": "5" };
  const error = new AppError("SERVICE_UNAVAILABLE", "fileUnreadable", {}, { headers });
  return Object.assign(error, { reason: describeErrorForLog(thrown) });
}

/**
 * The stored content doesn't match its row, so none of it is sent. The caller that knows the file's row logs and
 * records it (lib/evidence/integrity.ts).
 */
export class DamagedFileError extends AppError<"fileDamaged"> {
  constructor() {
    super("SERVICE_UNAVAILABLE", "fileDamaged");
  }
}

export const createFileNotFoundError = () => new AppError("NOT_FOUND", "fileGone");

/** Checks whether an error came from the file system. Such errors carry the system call and an errno such as ENOSPC. */
export const isFileSystemError = (thrown: unknown): boolean =>
  thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).syscall === "string";
