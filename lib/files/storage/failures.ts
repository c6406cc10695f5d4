import { reasonOf } from "#lib/observability/error-reason.ts";
import { AppError } from "#lib/operation/errors.ts";
import { log } from "#lib/observability/log.ts";

/**
 * What a failed write becomes: 507 STORAGE_UNAVAILABLE, whatever the reason (full disk, missing permission,
 * read-only volume, object storage out of reach). The reason goes to the log as a code, and stays with the error for the
 * operator's commands; the caller never gets it.
 */
export function toStorageError(thrown: unknown, where: "disk" | "s3" | "temporary"): AppError {
  if (thrown instanceof AppError) return thrown;
  log.error({ where, code: reasonOf(thrown) }, "a file can't be stored");
  const error = new AppError(
    "STORAGE_UNAVAILABLE",
    "Files can't be stored at the moment.",
    "Nothing was kept of this request. Try again later, or send it without files.",
  );
  return Object.assign(error, { reason: reasonOf(thrown) });
}

/** What a failed read becomes: 503, with the reason. A file that isn't there is not this, it is 404. */
export function toReadError(thrown: unknown, where: "disk" | "s3" | "stream"): AppError {
  if (thrown instanceof AppError) return thrown;
  log.error({ where, code: reasonOf(thrown) }, "a file can't be read");
  const error = new AppError(
    "SERVICE_UNAVAILABLE",
    "This file can't be read at the moment.",
    "Try again in a few seconds.",
    {
      "Retry-After": "5",
    },
  );
  return Object.assign(error, { reason: reasonOf(thrown) });
}

/**
 * What is stored is not what its row says: nothing of it is sent. Whoever knows the row of the file logs and records it
 * (lib/evidence/integrity.ts).
 */
export class DamagedFileError extends AppError {
  constructor() {
    super(
      "SERVICE_UNAVAILABLE",
      "This file is damaged.",
      "It is not what was uploaded, so we did not send it. Tell whoever runs this service; a backup may hold it whole.",
    );
  }
}

export const fileNotFound = () =>
  new AppError("NOT_FOUND", "Not found.", "This file doesn't exist any more.");

/** Did this come from the file system? Its errors carry an errno such as ENOSPC. */
export const isFileSystemError = (thrown: unknown): boolean =>
  thrown instanceof Error && typeof (thrown as NodeJS.ErrnoException).syscall === "string";
