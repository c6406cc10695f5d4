/** With which backup and drill end, beside 0 (all is well), 1 (it failed) and 2 (it was called in a wrong way). */
export const BACKUP_EXIT_CODES = {
  /** The archive is written, or can be restored; evidence in it is damaged. */
  damaged: 3,
  /** No archive is written, since files are missing. */
  missing: 4,
  /** The archive is written, or can be restored, without files that are missing. */
  incomplete: 5,
} as const;

/** @returns undefined when all is well */
export function backupExitCode({
  missing,
  damaged,
}: {
  missing: readonly unknown[];
  damaged: readonly unknown[];
}): number | undefined {
  if (missing.length > 0) return BACKUP_EXIT_CODES.incomplete;
  return damaged.length > 0 ? BACKUP_EXIT_CODES.damaged : undefined;
}
