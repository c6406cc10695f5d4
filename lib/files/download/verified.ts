import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { AppError } from "#lib/operation/errors.ts";
import { toReadError, DamagedFileError } from "#lib/files/storage/failures.ts";
import { getFileStorage, type ByteRange, type StoredFileStream } from "#lib/files/storage/storage.ts";

/**
 * Reads of stored files that never give a byte which isn't what was stored (docs/decisions/038). A file is read to its
 * end and compared before its first byte leaves. It is kept in memory meanwhile where there is room, so that a storage
 * that is far away is read once; without room it is read a second time.
 */

/** `size` in bytes, `sha256` in hex: of the content, which for a sealed file is what was sealed. */
export type ExpectedContent = { size: number; sha256: string };
type OpenedStream = Pick<StoredFileStream, "stream" | "version">;

/** Bytes that all downloads of a process may keep in memory together. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
let bufferedBytes = 0;

/**
 * @param open gives the same content each time it is called
 * @returns the whole content, compared; the caller reads or destroys the stream
 * @throws DamagedFileError; what `open` throws; AppError SERVICE_UNAVAILABLE when reading fails
 */
export async function openVerified(
  open: () => Promise<OpenedStream>,
  content: ExpectedContent,
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

/** @throws DamagedFileError; AppError SERVICE_UNAVAILABLE when reading fails */
async function verifyStream(
  stream: Readable,
  { size, sha256 }: ExpectedContent,
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
    throw isOwnError(error) ? error : toReadError(error, "stream");
  }
  if (read !== size || hash.digest("hex") !== sha256) throw new DamagedFileError();
}

const isOwnError = (error: unknown): boolean =>
  error instanceof AppError || (error as Error | null)?.name === "SealBroken";

export type StoredFileReference = ExpectedContent & { key: string };

/** A whole stored file, compared anew. @throws as `openVerified`; AppError NOT_FOUND */
export async function openWholeFile({ key, ...content }: StoredFileReference): Promise<StoredFileStream> {
  const opened = await openVerified(() => getFileStorage().open(key), content);
  rememberVerified(key, opened.version);
  return opened;
}

/**
 * A part of a stored file. The whole is compared first, unless this very version of it was within ten minutes: a player
 * asks for dozens of parts.
 * @throws as `openWholeFile`
 */
export async function openFileRange(file: StoredFileReference, range?: ByteRange): Promise<StoredFileStream> {
  const opened = await getFileStorage().open(file.key, range);
  if (wasVerified(file.key, opened.version)) return opened;
  opened.stream.destroy();
  (await openWholeFile(file)).stream.destroy();
  return getFileStorage().open(file.key, range);
}

const VERIFIED_TTL_MS = 10 * 60_000;
const MAX_VERIFIED_FILES = 1000;
/** The most recent last. */
const verifiedVersions = new Map<string, { version: string; at: number }>();

function rememberVerified(key: string, version: string): void {
  verifiedVersions.delete(key);
  verifiedVersions.set(key, { version, at: Date.now() });
  if (verifiedVersions.size > MAX_VERIFIED_FILES)
    verifiedVersions.delete(verifiedVersions.keys().next().value ?? "");
}

function wasVerified(key: string, version: string): boolean {
  const last = verifiedVersions.get(key);
  return last?.version === version && Date.now() - last.at < VERIFIED_TTL_MS;
}
