/** Exit codes of backup and drill in addition to 0 (success), 1 (failure) and 2 (wrong usage). */
export const BACKUP_EXIT_CODES = {
  /** The archive is written or can be restored, but contains damaged evidence. */
  damaged: 3,
  /** No archive is written, since files are missing. */
  missing: 4,
  /** The archive is written or can be restored, without the files that are missing or can't be read. */
  incomplete: 5,
} as const;

/** Returns the exit code for missing, unreadable or damaged files; undefined when none were found. */
export function findBackupFaultsExitCode({
  missing,
  damaged,
  unreadable,
}: {
  missing: readonly unknown[];
  damaged: readonly unknown[];
  unreadable: readonly unknown[];
}): number | undefined {
  if (missing.length + unreadable.length > 0) return BACKUP_EXIT_CODES.incomplete;
  return damaged.length > 0 ? BACKUP_EXIT_CODES.damaged : undefined;
}
