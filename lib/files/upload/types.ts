import { once } from "node:events";
import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileTypeFromBuffer, fileTypeFromFile } from "file-type";
import {
  type AcceptedFileType,
  findAcceptedTypeByName,
  findWayOutByName,
  hasNonTextExtension,
  type WayOut,
} from "#lib/files/file-types.ts";
import type { ErrorTerm } from "#lib/i18n/error-text.ts";
import { AppError } from "#lib/operation/errors.ts";
import { createBufferReader, type FileReader, type ReadBytes, listIsoBrands } from "./media-tracks.ts";
import { detectIsoMediaType, detectMatroskaType } from "./media-types.ts";
import { detectSafePlainTextFileEncoding, isActiveTextFile, isUnsupportedText } from "./text-encoding.ts";

type DetectedType = { mimetype: string; extension: string };

/** The main stream of an old Office file. Other compound files (installers, emails) have none of these. */
const COMPOUND_STREAMS: readonly [string, string][] = [
  ["WordDocument", "application/msword"],
  ["Workbook", "application/vnd.ms-excel"],
  ["Book", "application/vnd.ms-excel"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint"],
];

/**
 * Returns the extensions that a file of this type may have, the usual one first; empty for a type that isn't accepted.
 */
export const listExtensionsOfType = (mimetype: string): string[] => [
  ...(findAcceptedTypeByName(mimetype)?.extensions ?? []),
];

/**
 * Returns the type of a file by its content, or null if the type isn't accepted. The name matters only for text: text
 * under the name of an image, a document or a program is rejected.
 */
export async function findAcceptedFileType(path: string, filename = ""): Promise<DetectedType | null> {
  const handle = await open(path, "r");
  try {
    return toDetectedType(await detectMimetype(path, { filename, file: await createFileReader(handle) }));
  } finally {
    await handle.close();
  }
}

/**
 * Like `findAcceptedFileType`, but throws when the type isn't accepted.
 * @param fileLabel the name of the file in the error message, such as "File 2" in any language
 * @throws AppError UNSUPPORTED_FILE_TYPE (415)
 */
export async function requireAcceptedFileType(
  path: string,
  filename = "",
  fileLabel: ErrorTerm = { term: "file.any" },
): Promise<DetectedType> {
  const type = await findAcceptedFileType(path, filename);
  if (type) return type;
  if (!hasNonTextExtension(filename) && (await isUnsupportedText(path)))
    throw new AppError("UNSUPPORTED_FILE_TYPE", "textNotSupported", { file: fileLabel });
  const wayOut = { term: `wayOut.${await findWayOut(path, filename)}` } as const;
  throw new AppError("UNSUPPORTED_FILE_TYPE", "fileTypeNotSupported", { file: fileLabel, wayOut });
}

/**
 * Returns the type of a stream by its first bytes, as `findAcceptedFileType` does, and leaves the stream complete. Null
 * for text, for old office files, and for what begins with something else; these can't be recognized by their first
 * bytes.
 */
export async function detectStreamFileType(stream: Readable): Promise<DetectedType | null> {
  await once(stream, "readable");
  const firstBytes: Buffer | null = stream.read();
  if (!firstBytes) return null;
  stream.unshift(firstBytes);
  const found = (await fileTypeFromBuffer(firstBytes))?.mime;
  return toDetectedType(await refineMediaType(found, createBufferReader(firstBytes)));
}

/**
 * Returns the usual extension of a type, without the dot.
 * @throws Error for a type that isn't accepted
 */
export function getDefaultExtension(mimetype: string): string {
  const found = findAcceptedTypeByName(mimetype);
  if (!found) throw new Error("This type has no default extension.");
  return found.extensions[0];
}

function toDetectedType(mimetype: string | undefined): DetectedType | null {
  const found: AcceptedFileType | undefined = mimetype ? findAcceptedTypeByName(mimetype) : undefined;
  return found ? { mimetype: found.mimetype, extension: found.extensions[0] } : null;
}

/** Readers accept a PDF whose mark is within this many bytes. */
const MAX_BYTES_BEFORE_PDF = 1024;
const RTF_MARK = "{\\rtf";

/**
 * Text is recognized before all other types, since the marks of many of them are plain letters: a text may begin with
 * "BM", "ID3" or "GIF8".
 */
async function detectMimetype(
  path: string,
  { filename, file }: { filename: string; file: FileReader },
): Promise<string | undefined> {
  const start = await file.read(0, MAX_BYTES_BEFORE_PDF);
  const pdfMark = start.indexOf("%PDF-");
  if (pdfMark === 0) return "application/pdf";
  if (await detectSafePlainTextFileEncoding(path)) {
    if (start.indexOf(RTF_MARK) === 0) return "application/rtf";
    if (pdfMark > 0 && (await endsLikePdf(file))) return "application/pdf";
    return hasNonTextExtension(filename) ? undefined : "text/plain";
  }
  if (await isActiveTextFile(path)) return undefined;
  const found = (await fileTypeFromFile(path))?.mime;
  if (!found && pdfMark > 0) return "application/pdf";
  if (found === "application/x-cfb") return detectCompoundType(path);
  return refineMediaType(found, file);
}

/** A PDF made of text, with other text before its mark, differs from a text about PDFs by its end. */
async function endsLikePdf({ read, size }: FileReader): Promise<boolean> {
  const length = Math.min(size, 1024);
  return (await read(size - length, length)).includes("%%EOF");
}

/** Finds out what a container holds: the same container has pictures, films or sounds. */
async function refineMediaType(found: string | undefined, file: FileReader): Promise<string | undefined> {
  if (found === "video/webm" || found === "video/matroska") return detectMatroskaType(found, file);
  if (found === "video/quicktime" || (await listIsoBrands(file)).length > 0)
    return detectIsoMediaType(found, file);
  return found;
}

async function createFileReader(handle: FileHandle): Promise<FileReader> {
  const read: ReadBytes = async (position, length) => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  return { read, size: (await handle.stat()).size };
}

const WAYS_OUT_BY_TOP_LEVEL_TYPE: Record<string, WayOut> = {
  image: "picture",
  audio: "sound",
  video: "video",
};
const ARCHIVE_TYPE = /zip|tar$|rar-|7z-|bzip2|x-xz|zstd|x-lzh/;

/** Chooses how somebody can send the content of a file that isn't accepted. */
async function findWayOut(path: string, filename: string): Promise<WayOut> {
  const found = (await detectSafePlainTextFileEncoding(path))
    ? ""
    : ((await fileTypeFromFile(path))?.mime ?? "");
  const byContent = WAYS_OUT_BY_TOP_LEVEL_TYPE[found.split("/", 1)[0] ?? ""];
  return byContent ?? findWayOutByName(filename) ?? (ARCHIVE_TYPE.test(found) ? "archive" : "other");
}

/**
 * Searches for the directory entry of an Office stream. Entries are 128 bytes and aligned; each begins with the name in
 * UTF-16, followed by its length in bytes (at 64) and the object type (at 66; 2 is a stream).
 */
async function detectCompoundType(path: string): Promise<string | undefined> {
  for await (const bytes of readChunks(path)) {
    for (let at = 0; at + 128 <= bytes.length; at += 128) {
      if (bytes[at + 66] !== 2) continue;
      const length = bytes.readUInt16LE(at + 64);
      if (length < 2 || length > 64) continue;
      const name = bytes.toString("utf16le", at, at + length - 2);
      const found = COMPOUND_STREAMS.find(([stream]) => stream === name);
      if (found) return found[1];
    }
  }
  return undefined;
}

/** Reads full chunks of 64 KiB, so that aligned data in the file is aligned in a chunk. */
async function* readChunks(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    for (let position = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
