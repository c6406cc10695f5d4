import pg from "pg";

/**
 * Returns the message about a failure for whoever runs the service: what happened and what to do. File system errors
 * say neither, nor do those of PostgreSQL, so they are translated here; all other errors of a command already have a
 * readable message.
 * @param dataDir the likely place of a failure that names no path
 */
export function describeCommandFailure(error: unknown, dataDir: string): string {
  const { code = "", syscall, path: place } = (error ?? {}) as NodeJS.ErrnoException;
  const formatMessage = syscall
    ? (MESSAGE_FORMATTERS[`${code} ${syscall}`] ?? MESSAGE_FORMATTERS[code])
    : undefined;
  if (formatMessage) return formatMessage(place ?? dataDir);
  // What PostgreSQL itself refuses, such as a role that may not create tables.
  if (error instanceof pg.DatabaseError)
    return `The database refuses: ${error.message} (${code}). Check DATABASE_URL.`;
  return error instanceof Error ? error.message : String(error);
}

type MessageFormatter = (place: string) => string;

const formatFullDisk: MessageFormatter = (place) =>
  `There is no room left on the disk of ${place}.\nMake room there, and try again.`;
const formatDeniedAccess: MessageFormatter = (place) =>
  `This user may not use ${place}.\nRun Heed as the user who owns it, or give it to this one: chown -R $(id -u) <the data folder>`;
const formatFileAsFolder: MessageFormatter = (place) =>
  `${place} can't be used: a file is where a folder should be.\nSet HEED_DATA_DIR to a folder, or move that file away.`;

const MESSAGE_FORMATTERS: Record<string, MessageFormatter> = {
  ENOSPC: formatFullDisk,
  EDQUOT: formatFullDisk,
  EROFS: (place) =>
    `${place} is on a disk that is read-only.\nMount it so that it can be written, or set HEED_DATA_DIR to another folder.`,
  // Node's code when it creates folders below one that can't be written.
  "ENOENT mkdir": (place) =>
    `${place} can't be made: its disk is read-only, or the folder above it is gone.\nMount the disk so that it can be written, or set HEED_DATA_DIR to another folder.`,
  EACCES: formatDeniedAccess,
  EPERM: formatDeniedAccess,
  ENOTDIR: formatFileAsFolder,
  EEXIST: formatFileAsFolder,
  EISDIR: (place) =>
    `${place} is a folder, where a file should be.\nMove it away, or set HEED_DATA_DIR to another folder.`,
  EMFILE: () => "There are too many open files.\nRaise the limit (ulimit -n), and try again.",
  ENFILE: () => "There are too many open files on this machine.\nRaise its limit, and try again.",
  EIO: (place) =>
    `${place} can't be read or written: the disk reports an error.\nCheck the disk; a backup may be needed.`,
};
