import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { Transform } from "node:stream";
import { text } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import yauzl from "yauzl";
import yazl from "yazl";

/**
 * A backup as a file: a zip archive that is written and read as a stream, member by member. Commands load this before
 * they have settled which database and which storage it is, so nothing that reads the environment is loaded here.
 */

export type Digest = { bytes: number; sha256: string };

/** An archive that is being written. Only the list of its members is kept in memory. */
export class ArchiveWriter {
  readonly #zip = new yazl.ZipFile();
  readonly #writing: Promise<void>;
  readonly #failure = Promise.withResolvers<never>();

  /** @param file which must not be there yet; readable by this user only */
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
   * Adds a member and waits until it is read to its end.
   * @param compress false for what is packed or sealed already
   * @throws what the stream throws, or the disk
   */
  async add(name: string, content: Readable, compress = true): Promise<Digest> {
    const digest = new DigestStream();
    this.#zip.addReadStreamLazy(name, { compress: compress, mode: 0o100_600 }, (callback) =>
      callback(null, digest),
    );
    const reading = pipeline(content, digest);
    await Promise.race([reading, this.#failure.promise]);
    return digest.result();
  }

  /** Ends the archive; when the promise settles, it is on the disk. */
  async end(): Promise<void> {
    this.#zip.end();
    await this.#writing;
  }

  /** Lets go of the file, whatever is in it. */
  async abandon(): Promise<void> {
    (this.#zip.outputStream as Readable).destroy();
    await this.#writing.catch(() => {});
  }
}

/** An archive that is read. */
export class ArchiveReader {
  readonly #zip: yauzl.ZipFile;
  readonly #entries = new Map<string, yauzl.Entry>();

  private constructor(zip: yauzl.ZipFile) {
    this.#zip = zip;
  }

  /** @throws Error in plain words when it is no archive, or not a whole one */
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

  /** @throws Error when there is no such member */
  async open(name: string): Promise<Readable> {
    const entry = this.#entries.get(name);
    if (!entry) throw new Error(`The backup lacks ${name}.`);
    return this.#zip.openReadStreamPromise(entry).catch((error: unknown) => {
      throw damagedError(name, error);
    });
  }

  /** A member that is a short text. @throws Error in plain words when it can't be unpacked */
  async text(name: string): Promise<string> {
    const stream = await this.open(name);
    return text(stream).catch((error: unknown) => {
      throw damagedError(name, error);
    });
  }

  /** Reads a member to its end. @throws Error in plain words when it isn't what was written */
  async check(name: string, expected: Digest): Promise<void> {
    const stream = await this.open(name);
    const found = await digestStream(stream).catch((error: unknown) => {
      throw damagedError(name, error);
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

/** @throws Error when what was read isn't what was written */
export function assertSameDigest(name: string, found: Digest, expected: Digest): void {
  if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) throw damagedError(name);
}

/** What can't be unpacked is damaged as well; what the disk says while it is read is told as it is. */
function damagedError(name: string, cause?: unknown): Error {
  const { syscall } = (cause ?? {}) as NodeJS.ErrnoException;
  if (syscall) return cause as Error;
  return new Error(`${name} of the backup is damaged: it is not what was written.`, { cause });
}

/** Reads a stream to its end. */
export async function digestStream(stream: Readable): Promise<Digest> {
  const digest = new DigestStream();
  stream.once("error", (error) => digest.destroy(error));
  stream.pipe(digest).resume();
  await finished(digest);
  return digest.result();
}

/** Passes bytes on, and knows their number and SHA-256 at the end. */
export class DigestStream extends Transform {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  result(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}
