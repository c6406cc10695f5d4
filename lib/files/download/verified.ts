import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { LRUCache } from "lru-cache";
import { AppError } from "#lib/operation/errors.ts";
import { toStorageReadError, DamagedFileError } from "#lib/files/storage/failures.ts";
import { getFileStorage, type ByteRange, type StoredFileStream } from "#lib/files/storage/storage.ts";

/**
 * Reads stored files and never returns a byte that differs from what was stored (docs/decisions/014). A file is read to
 * its end and verified before its first byte is sent. If memory allows, it is buffered in the meantime, so that a
 * remote storage is read once; otherwise it is read a second time.
 */

/** `size` in bytes and `sha256` in hex, both of the content. For a sealed file, that is the content before sealing. */
type ExpectedSizeAndHash = { size: number; sha256: string };
type OpenedStream = Pick<StoredFileStream, "stream" | "version">;

/** The bytes that all downloads of this process may buffer together. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
let bufferedBytes = 0;

/**
 * Opens content after verifying its size and hash.
 * @param open returns the same content each time it is called
 * @returns the whole verified content; the caller reads or destroys the stream
 * @throws DamagedFileError; what `open` throws; AppError SERVICE_UNAVAILABLE when reading fails
 */
export async function openVerifiedContent(
  open: () => Promise<OpenedStream>,
  content: ExpectedSizeAndHash,
): Promise<StoredFileStream> {
  const reservedBytes = bufferedBytes + content.size <= MAX_BUFFERED_BYTES ? content.size : 0;
  bufferedBytes += reservedBytes;
  let release = () => {
    bufferedBytes -= reservedBytes;
    release = () => {};
  };
  try {
    const chunks: Buffer[] | undefined = reservedBytes > 0 ? [] : undefined;
    const { stream, version } = await open();
    await verifyStream(stream, content, chunks);
    if (!chunks) return { ...(await open()), size: content.size };
    const copy = Readable.from(chunks, { objectMode: false });
    const done = release;
    release = () => {};
    copy.once("close", done);
    return { stream: copy, size: content.size, version };
  } finally {
    release();
  }
}

/** Compares a stream with its hash. @throws DamagedFileError; AppError SERVICE_UNAVAILABLE when reading fails */
async function verifyStream(
  stream: Readable,
  { size, sha256 }: ExpectedSizeAndHash,
  chunks?: Buffer[],
): Promise<void> {
  const hash = createHash("sha256");
  let read = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > size) break;
      hash.update(chunk);
      chunks?.push(chunk);
    }
  } catch (error) {
    throw isOwnError(error) ? error : toStorageReadError(error, "stream");
  }
  if (read !== size || hash.digest("hex") !== sha256) throw new DamagedFileError();
}

const isOwnError = (error: unknown): boolean =>
  error instanceof AppError || (error as Error | null)?.name === "SealedFileOpenError";

type StoredFileReference = ExpectedSizeAndHash & { key: string };

/** Opens a whole stored file and always verifies it. @throws like `openVerifiedContent`; AppError NOT_FOUND */
export async function openVerifiedFile({ key, ...content }: StoredFileReference): Promise<StoredFileStream> {
  const opened = await openVerifiedContent(() => getFileStorage().open(key), content);
  verifiedVersions.set(key, opened.version);
  return opened;
}

/**
 * Opens a part of a stored file. Verifies the whole file first, unless the same version was verified within the last
 * ten minutes: a media player requests dozens of parts.
 * @throws like `openVerifiedFile`
 */
export async function openVerifiedFileRange(
  file: StoredFileReference,
  range?: ByteRange,
): Promise<StoredFileStream> {
  const opened = await getFileStorage().open(file.key, range);
  if (verifiedVersions.get(file.key) === opened.version) return opened;
  opened.stream.destroy();
  (await openVerifiedFile(file)).stream.destroy();
  return getFileStorage().open(file.key, range);
}

/** The versions of files that were verified recently, by storage key. */
const verifiedVersions = new LRUCache<string, string>({ max: 1000, ttl: 10 * 60_000 });
