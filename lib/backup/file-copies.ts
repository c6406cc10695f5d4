import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { SealedFileOpenError, unsealStream } from "#lib/crypto/sealed-file.ts";
import type { FileStorage } from "#lib/files/storage/storage.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { digestStream, type ArchiveWriter, type ContentDigest } from "./archive.ts";
import type { BackupManifest } from "./manifest.ts";
import { isDamagedOriginal, type ReferencedFile } from "./referenced-files.ts";
import { assertStorageResponds, describeStorageError, isFileNotFoundError } from "./storage.ts";

/** How a backup copies stored files into its archive, and what it does with those that it can't read. */

/** A file that can't be read although the storage responds. `code` is that of the error, such as `EIO`. */
export type UnreadableFile = ReferencedFile & { code: string };

type CopiedFiles = {
  files: BackupManifest["files"];
  damaged: ReferencedFile[];
  unopened: ReferencedFile[];
  unreadable: UnreadableFile[];
};

type CopySource = { storage: FileStorage; keys: readonly Buffer[] };

/**
 * When so many files in a row can't be read, the cause is the storage. Keys are random, and so is the order of files.
 */
const MAX_UNREADABLE_FILES_IN_A_ROW = 20;

/** Uploads are smaller. A larger file, which isn't what was uploaded, is read twice instead of kept in memory. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;

/**
 * Copies stored files into the archive, and compares each with its row. Leaves out files that can't be read, in two
 * attempts, while the storage responds.
 * @param source its `keys` open originals
 * @throws Error in plain words when the storage doesn't respond, a file is gone, or no file or too many in a row can be read
 */
export async function addStoredFiles(
  archive: ArchiveWriter,
  referencedFiles: readonly ReferencedFile[],
  { storage, keys }: CopySource,
): Promise<CopiedFiles> {
  const copied: CopiedFiles = { files: [], damaged: [], unopened: [], unreadable: [] };
  const limit = Math.min(referencedFiles.length, MAX_UNREADABLE_FILES_IN_A_ROW);
  let unreadableInARow = 0;
  for (const file of referencedFiles) {
    const content = await readInTwoAttempts(storage, file.key).catch((error: unknown) => {
      if (!(error instanceof UnreadableFileError)) throw error;
      copied.unreadable.push({ ...file, code: error.code });
      unreadableInARow += 1;
      if (unreadableInARow >= limit) throw createUnreadableStorageError(error, copied.files.length);
    });
    if (!content) continue;
    unreadableInARow = 0;
    const { digest, condition } = await addFile(archive, { file, content }, keys);
    copied.files.push({ key: file.key, ...digest });
    if (condition !== "intact") copied[condition].push(file);
  }
  return copied;
}

/** Thrown when a file can't be read, in two attempts, while the storage responds. */
class UnreadableFileError extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super("The file can't be read.", { cause });
    const { reason = describeErrorForLog(cause) } = cause as { reason?: string };
    this.code = reason;
  }
}

const createUnreadableStorageError = ({ cause }: UnreadableFileError, copiedCount: number): Error =>
  new Error(
    `${copiedCount === 0 ? "No stored file can" : "One stored file after the other can't"} be read, although the storage responds: ${describeStorageError(cause)}. No backup was written.`,
    { cause },
  );

/**
 * Reads a file before its member of the archive is begun, since a member can't be removed again.
 * @throws UnreadableFileError; Error in plain words when the storage doesn't respond, or the file is gone
 */
async function readInTwoAttempts(storage: FileStorage, key: string): Promise<FileContent> {
  try {
    return await readContent(storage, key);
  } catch {
    await assertStorageResponds(storage);
  }
  return readContent(storage, key).catch((error: unknown) => {
    throw isFileNotFoundError(error)
      ? createIncompleteBackupError(key, error)
      : new UnreadableFileError(error);
  });
}

type FileContent = { stream: Readable; size: number };

/** Reads a file to its end, and returns it from its beginning. @throws the error of the storage */
async function readContent(storage: FileStorage, key: string): Promise<FileContent> {
  const { stream, size } = await storage.open(key);
  const isBuffered = size <= MAX_BUFFERED_BYTES;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (isBuffered) chunks.push(chunk);
  }
  if (bytes !== size) throw createWrongSizeError();
  return { stream: isBuffered ? Readable.from(chunks) : (await storage.open(key)).stream, size };
}

const createWrongSizeError = (): Error =>
  Object.assign(new Error("The storage sent another number of bytes than it announced."), {
    code: "WRONG_SIZE",
  });

/**
 * `unopened`: this machine lacks the key of an original. It doesn't count as damaged: the service may have the key, and
 * checks its originals itself.
 */
type FileCondition = "intact" | "damaged" | "unopened";
type AddedFile = { digest: ContentDigest; condition: FileCondition };

/** Adds a file to the archive, and compares it with its row on the way. */
async function addFile(
  archive: ArchiveWriter,
  { file, content: { stream, size } }: { file: ReferencedFile; content: FileContent },
  keys: readonly Buffer[],
): Promise<AddedFile> {
  const { key } = file;
  const broken = new Promise<never>((_, reject) =>
    stream.once("error", (error) => reject(createIncompleteBackupError(key, error))),
  );
  const sealed = file.part === "original" ? new PassThrough() : undefined;
  const opening = sealed && checkSealed(sealed, file, keys);
  const content = sealed ? Readable.from(copyChunks(stream, sealed), { objectMode: false }) : stream;
  const digest = await Promise.race([broken, archive.add(`files/${key}`, content, false)]);
  if (digest.bytes !== size) throw createIncompleteBackupError(key, createWrongSizeError());
  return { digest, condition: opening ? await opening : compareDigest(digest, file) };
}

const createIncompleteBackupError = (key: string, cause: unknown): Error =>
  new Error(
    `The file ${key}, which a row names, can't be read: ${describeStorageError(cause)}. It could be read, or was listed, when the backup began. Try again.`,
    { cause },
  );

const compareDigest = (digest: ContentDigest, { sha256 }: ReferencedFile): FileCondition =>
  sha256 === null || digest.sha256 === sha256 ? "intact" : "damaged";

/** Opens a sealed original and compares its content with its row. */
async function checkSealed(
  sealed: Readable,
  file: ReferencedFile,
  keys: readonly Buffer[],
): Promise<FileCondition> {
  try {
    const digest = await digestStream(await unsealStream(sealed, { name: file.key, keys }));
    return compareDigest(digest, file);
  } catch (error) {
    sealed.destroy();
    if (!(error instanceof SealedFileOpenError)) throw error;
    return isDamagedOriginal(file, error) ? "damaged" : "unopened";
  }
}

/** Yields the chunks of a stream and also writes them to another stream, as long as that one accepts them. */
async function* copyChunks(stream: Readable, other: PassThrough): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (!other.destroyed && !other.write(chunk))
      await Promise.race([once(other, "drain"), once(other, "close")]);
    yield chunk;
  }
  other.end();
}
