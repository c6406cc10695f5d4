import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { AppError } from "#lib/operation/errors.ts";
import { cannotRead, FileDamaged } from "#lib/files/storage/failures.ts";
import { storage, type ByteRange, type StoredFile } from "#lib/files/storage/storage.ts";

/**
 * Reads of stored files that never give a byte which isn't what was stored (docs/decisions/038). A file is read to its
 * end and compared before its first byte leaves. It is kept in memory meanwhile where there is room, so that a storage
 * that is far away is read once; without room it is read a second time.
 */

/** `size` in bytes, `sha256` in hex: of the content, which for a sealed file is what was sealed. */
export type Content = { size: number; sha256: string };
type Opened = Pick<StoredFile, "stream" | "version">;

/** Bytes that all downloads of a process may keep in memory together. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
let buffered = 0;

/**
 * @param open gives the same content each time it is called
 * @returns the whole content, compared; the caller reads or destroys the stream
 * @throws FileDamaged; what `open` throws; AppError SERVICE_UNAVAILABLE when reading fails
 */
export async function openVerified(open: () => Promise<Opened>, content: Content): Promise<StoredFile> {
  const room = buffered + content.size <= MAX_BUFFERED_BYTES ? content.size : 0;
  buffered += room;
  let release = () => {
    buffered -= room;
    release = () => {};
  };
  try {
    const kept: Buffer[] | undefined = room > 0 ? [] : undefined;
    const { stream, version } = await open();
    await compare(stream, content, kept);
    if (!kept) return { ...(await open()), size: content.size };
    const copy = Readable.from(kept, { objectMode: false });
    const done = release;
    release = () => {};
    copy.once("close", done);
    return { stream: copy, size: content.size, version };
  } finally {
    release();
  }
}

/** @throws FileDamaged; AppError SERVICE_UNAVAILABLE when reading fails */
async function compare(stream: Readable, { size, sha256 }: Content, kept?: Buffer[]): Promise<void> {
  const hash = createHash("sha256");
  let read = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > size) break;
      hash.update(chunk);
      kept?.push(chunk);
    }
  } catch (error) {
    throw isOurs(error) ? error : cannotRead(error, "stream");
  }
  if (read !== size || hash.digest("hex") !== sha256) throw new FileDamaged();
}

const isOurs = (error: unknown): boolean =>
  error instanceof AppError || (error as Error | null)?.name === "SealBroken";

export type StoredContent = Content & { key: string };

/** A whole stored file, compared anew. @throws as `openVerified`; AppError NOT_FOUND */
export async function openWhole({ key, ...content }: StoredContent): Promise<StoredFile> {
  const opened = await openVerified(() => storage().open(key), content);
  remember(key, opened.version);
  return opened;
}

/**
 * A part of a stored file. The whole is compared first, unless this very version of it was within ten minutes: a player
 * asks for dozens of parts.
 * @throws as `openWhole`
 */
export async function openPart(file: StoredContent, range?: ByteRange): Promise<StoredFile> {
  const opened = await storage().open(file.key, range);
  if (wasVerified(file.key, opened.version)) return opened;
  opened.stream.destroy();
  (await openWhole(file)).stream.destroy();
  return storage().open(file.key, range);
}

const VERIFIED_MS = 10 * 60_000;
const MAX_VERIFIED = 1000;
/** The most recent last. */
const verified = new Map<string, { version: string; at: number }>();

function remember(key: string, version: string): void {
  verified.delete(key);
  verified.set(key, { version, at: Date.now() });
  if (verified.size > MAX_VERIFIED) verified.delete(verified.keys().next().value ?? "");
}

function wasVerified(key: string, version: string): boolean {
  const last = verified.get(key);
  return last?.version === version && Date.now() - last.at < VERIFIED_MS;
}
