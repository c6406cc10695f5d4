import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import yauzl from "yauzl";
import yazl from "yazl";

/**
 * The file format of a backup: a zip archive that is written and read as a stream, member by member. Commands load
 * this module before they know which database and storage to use, so nothing that reads the environment is imported
 * here.
 */

export type ContentDigest = { bytes: number; sha256: string };

/** Writes an archive. Only the list of its members is kept in memory. */
export class ArchiveWriter {
  readonly #zip = new yazl.ZipFile();
  readonly #writing: Promise<void>;
  readonly #failure = Promise.withResolvers<never>();

  /** @param file must not exist yet; it is created readable by this user only */
  constructor(file: string) {
    this.#writing = pipeline(
      this.#zip.outputStream,
      createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }),
    ).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOSPC" ? "there is no room left on the disk" : error.message;
      throw new Error(`${file} can't be written: ${why}.`, { cause: error });
    });
    this.#writing.catch(this.#failure.reject);
    this.#failure.promise.catch(() => {});
    this.#zip.on("error", this.#failure.reject);
  }

  /**
   * Adds a member and waits until its content has been read completely.
   * @param compress false for content that is already compressed or sealed
   * @throws the error of the stream or the disk
   */
  async add(name: string, content: Readable, compress = true): Promise<ContentDigest> {
    const digest = new DigestStream();
    this.#zip.addReadStreamLazy(name, { compress: compress, mode: 0o100_600 }, (callback) =>
      callback(null, digest),
    );
    const reading = pipeline(content, digest);
    await Promise.race([reading, this.#failure.promise]);
    return digest.result();
  }

  /** Completes the archive; when the promise resolves, it is on disk. */
  async end(): Promise<void> {
    this.#zip.end();
    await this.#writing;
  }

  /** Closes the file without completing the archive. */
  async abandon(): Promise<void> {
    (this.#zip.outputStream as Readable).destroy();
    await this.#writing.catch(() => {});
  }
}

/** Reads an archive. */
export class ArchiveReader {
  readonly #zip: yauzl.ZipFile;
  readonly #entries = new Map<string, yauzl.Entry>();

  private constructor(zip: yauzl.ZipFile) {
    this.#zip = zip;
  }

  /** Opens an archive. @throws Error in plain words when the file isn't an archive, or is incomplete */
  static async open(file: string): Promise<ArchiveReader> {
    try {
      const zip = await yauzl.openPromise(file, { strictFileNames: true, autoClose: false });
      const reader = new ArchiveReader(zip);
      for await (const entry of zip.eachEntry()) reader.#entries.set(entry.fileName, entry);
      return reader;
    } catch (error) {
      const why = READ_ERRORS[(error as NodeJS.ErrnoException).code ?? ""];
      throw new Error(`${file} can't be read: ${why ?? "it is no archive, or not a whole one"}.`, {
        cause: error,
      });
    }
  }

  /** Opens a member of the archive. @throws Error when there is no such member */
  async open(name: string): Promise<Readable> {
    const entry = this.#entries.get(name);
    if (!entry) throw new Error(`The backup lacks ${name}.`);
    return this.#zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw createDamagedError(name, error);
    });
  }

  /**
   * Returns a member that is a short text.
   * @throws Error in plain words when it can't be unpacked
   */
  async text(name: string): Promise<string> {
    const stream = await this.open(name);
    return text(stream).catch((error: unknown) => {
      throw createDamagedError(name, error);
    });
  }

  /**
   * Reads a member completely and compares it with its digest.
   * @throws Error in plain words when it differs from what was written
   */
  async check(name: string, expected: ContentDigest): Promise<void> {
    const stream = await this.open(name);
    const found = await digestStream(stream).catch((error: unknown) => {
      throw createDamagedError(name, error);
    });
    assertSameDigest(name, found, expected);
  }

  close(): void {
    this.#zip.close();
  }
}

const READ_ERRORS: Record<string, string> = {
  ENOENT: "it is not there",
  EACCES: "this user may not read it",
  EISDIR: "it is a folder",
};

/**
 * Compares the digest of content with the one in the manifest.
 * @throws Error when the content differs from what was written
 */
export function assertSameDigest(name: string, found: ContentDigest, expected: ContentDigest): void {
  if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) throw createDamagedError(name);
}

/** A member that can't be unpacked is damaged, too; disk errors while reading are reported unchanged. */
function createDamagedError(name: string, cause?: unknown): Error {
  const { syscall } = (cause ?? {}) as NodeJS.ErrnoException;
  if (syscall) return cause as Error;
  return new Error(`${name} of the backup is damaged: it is not what was written.`, { cause });
}

/** Reads a stream to its end and returns its digest. */
export async function digestStream(stream: Readable): Promise<ContentDigest> {
  const digest = new DigestStream();
  stream.once("error", (error) => digest.destroy(error));
  stream.pipe(digest).resume();
  await finished(digest);
  return digest.result();
}

/** Passes bytes through while it computes their number and SHA-256. */
export class DigestStream extends Transform {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  result(): ContentDigest {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}
