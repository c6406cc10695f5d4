import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import yauzl from "yauzl";
import yazl from "yazl";

/** Limits on an archive, so that a small file can't unpack to a huge one. Legitimate documents stay far below. */
const MAX_ENTRIES = 5_000;
const MAX_UNPACKED_BYTES = 48 * 1024 * 1024;

/** The earliest time that the format can express, which programs write to hide the real one. */
const EARLIEST_TIME = new Date(1980, 0, 1);

/** The parts of an archive: bytes by name. */
export type ZipPartBytesByName = Map<string, Buffer>;

/** A zip archive whose parts are unpacked on demand, up to a total limit. */
export class ZipArchive {
  /** Names in the order of the central directory, without folders. */
  readonly names: readonly string[];
  /** Whether any entry has a modification time. */
  readonly hasDates: boolean;
  readonly #zip: yauzl.ZipFile;
  readonly #entries: Map<string, yauzl.Entry>;
  #bytesLeft = MAX_UNPACKED_BYTES;

  private constructor(zip: yauzl.ZipFile, entries: Map<string, yauzl.Entry>) {
    this.#zip = zip;
    this.#entries = entries;
    this.names = [...entries.keys()].filter((name) => !name.endsWith("/"));
    this.hasDates = [...entries.values()].some((entry) => entry.lastModFileDate > EARLIEST_DOS_DATE);
  }

  /** Opens an archive. @throws Error when it is incomplete, or has too many parts or two with the same name */
  static async open(bytes: Buffer): Promise<ZipArchive> {
    const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: true });
    if (zip.entryCount > MAX_ENTRIES) throw new Error("This archive has too many parts.");
    const entries = new Map<string, yauzl.Entry>();
    const seen = new Set<string>();
    for await (const entry of zip.eachEntry()) {
      // Programs disagree about which of two parts with the same name counts.
      if (seen.has(entry.fileName.toLowerCase())) throw new Error("This archive has a part twice.");
      seen.add(entry.fileName.toLowerCase());
      entries.set(entry.fileName, entry);
    }
    return new ZipArchive(zip, entries);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Reads a part. @throws Error when the part is missing, damaged or encrypted, or the archive unpacks to too much */
  async read(name: string): Promise<Buffer> {
    const entry = this.#entries.get(name);
    if (!entry) throw new Error("This archive lacks a part.");
    this.#bytesLeft -= entry.uncompressedSize;
    if (this.#bytesLeft < 0) throw new Error("This archive unpacks to too much.");
    const bytes = await buffer(await this.#zip.openReadStreamPromise(entry));
    if (crc32(bytes) !== entry.crc32) throw new Error("A part of this archive is damaged.");
    return bytes;
  }
}

/** 1 January 1980 in the DOS date format. */
const EARLIEST_DOS_DATE = (1 << 5) | 1;

/** Parts that are stored uncompressed: pictures gain nothing, and the `mimetype` of an OpenDocument must be. */
const UNCOMPRESSED_NAMES = /^mimetype$|\.(png|jpe?g|gif|webp)$/i;

/** Creates an archive of these parts in this order, with no trace of when and where it was made. */
export async function buildZipWithoutMetadata(parts: ZipPartBytesByName): Promise<Buffer> {
  const archive = new yazl.ZipFile();
  for (const [name, bytes] of parts)
    archive.addBuffer(bytes, name, {
      mtime: EARLIEST_TIME,
      mode: 0o100_644,
      compress: !UNCOMPRESSED_NAMES.test(name),
      forceDosTimestamp: true,
    });
  archive.end();
  return buffer(archive.outputStream);
}
