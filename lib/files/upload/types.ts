import { once } from "node:events";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { fileTypeFromBuffer, fileTypeFromFile } from "file-type";
import type { ErrorTerm } from "#lib/i18n/error-text.ts";
import { AppError } from "#lib/operation/errors.ts";
import { detectSafePlainTextFileEncoding } from "./text-encoding.ts";

type DetectedType = { mimetype: string; extension: string };

/**
 * The accepted file types (contract 9.1): the name that `file-type` gives them, and the type that the service sends.
 */
const ALLOWED_TYPES: Record<string, DetectedType> = Object.fromEntries(
  (
    [
      ["image/png", "png"],
      ["image/apng", "png", "image/png"],
      ["image/jpeg", "jpg"],
      ["image/webp", "webp"],
      ["image/gif", "gif"],
      ["image/heic", "heic"],
      ["image/heic-sequence", "heic", "image/heic"],
      ["image/heif", "heif"],
      ["image/heif-sequence", "heif", "image/heif"],
      ["image/avif", "avif"],
      ["image/tiff", "tiff"],
      ["image/bmp", "bmp"],
      ["application/pdf", "pdf"],
      ["audio/mpeg", "mp3"],
      ["audio/mp4", "m4a"],
      ["audio/x-m4a", "m4a", "audio/mp4"],
      ["audio/aac", "aac"],
      ["audio/amr", "amr"],
      ["audio/ogg", "ogg"],
      ["audio/ogg; codecs=opus", "opus", "audio/ogg"],
      ["audio/wav", "wav"],
      ["audio/flac", "flac"],
      ["video/mp4", "mp4"],
      ["video/x-m4v", "m4v", "video/mp4"],
      ["video/quicktime", "mov"],
      ["video/webm", "webm"],
      ["video/matroska", "mkv", "video/x-matroska"],
      ["video/ogg", "ogv"],
      ["video/3gpp", "3gp"],
      ["video/3gpp2", "3g2"],
      ["application/rtf", "rtf"],
      ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
      ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
      ["application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"],
      ["application/vnd.oasis.opendocument.text", "odt"],
      ["application/vnd.oasis.opendocument.spreadsheet", "ods"],
      ["application/vnd.oasis.opendocument.presentation", "odp"],
    ] as [string, string, string?][]
  ).map(([found, extension, served]) => [found, { mimetype: served ?? found, extension }]),
);

/** The main stream of an old Office file. Other compound files (installers, emails) have none of these. */
const COMPOUND_STREAMS: [string, DetectedType][] = [
  ["WordDocument", { mimetype: "application/msword", extension: "doc" }],
  ["Workbook", { mimetype: "application/vnd.ms-excel", extension: "xls" }],
  ["Book", { mimetype: "application/vnd.ms-excel", extension: "xls" }],
  ["PowerPoint Document", { mimetype: "application/vnd.ms-powerpoint", extension: "ppt" }],
];

const PLAIN_TEXT_TYPE: DetectedType = { mimetype: "text/plain", extension: "txt" };
/** Other extensions of a type. */
const ALTERNATIVE_EXTENSIONS: Record<string, string[]> = {
  "image/jpeg": ["jpeg", "jpe", "jfif", "pjpeg"],
  "image/png": ["apng"],
  "image/tiff": ["tif"],
  "image/heic": ["heics", "heif"],
  "image/heif": ["heifs", "heic", "hif"],
  "audio/mp4": ["mp4", "m4b", "aac"],
  "audio/ogg": ["oga", "spx"],
  "audio/wav": ["wave"],
  "audio/mpeg": ["mpga", "mp2"],
  "video/mp4": ["mp4v", "m4v", "mov"],
  "video/quicktime": ["qt", "mp4"],
  "video/3gpp": ["3gpp", "mp4"],
  "video/3gpp2": ["3gpp2", "mp4"],
  "text/plain": [
    "text",
    "md",
    "markdown",
    "csv",
    "tsv",
    "log",
    "json",
    "eml",
    "ics",
    "vcf",
    "srt",
    "vtt",
    "tex",
  ],
};

/**
 * Returns the extensions that a file of this type may have, the usual one first; empty for a type that isn't accepted.
 */
export function listExtensionsOfType(mimetype: string): string[] {
  const usual = [
    ...Object.values(ALLOWED_TYPES),
    ...COMPOUND_STREAMS.map(([, type]) => type),
    PLAIN_TEXT_TYPE,
  ]
    .filter((type) => type.mimetype === mimetype)
    .map(({ extension }) => extension);
  return [...new Set([...usual, ...(usual.length > 0 ? (ALTERNATIVE_EXTENSIONS[mimetype] ?? []) : [])])];
}

/** Text under a name with one of these extensions isn't what the name claims. */
const NON_TEXT_EXTENSIONS = new Set(
  [...Object.values(ALLOWED_TYPES), ...COMPOUND_STREAMS.map(([, type]) => type)].map(
    (type) => type.extension,
  ),
);
for (const extension of ["jpeg", "tif", "exe", "dll", "com", "bat", "cmd", "svg", "svgz", "zip", "jar"])
  NON_TEXT_EXTENSIONS.add(extension);

/**
 * Returns the type of a file by its content, or null if the type isn't accepted. The name matters only for text: text
 * under the name of an image, a document or a program is rejected.
 */
export async function findAcceptedFileType(path: string, filename = ""): Promise<DetectedType | null> {
  const found = await fileTypeFromFile(path);
  if (!found)
    return (await detectSafePlainTextFileEncoding(path)) && !NON_TEXT_EXTENSIONS.has(parseExtension(filename))
      ? PLAIN_TEXT_TYPE
      : null;
  if (found.mime === "application/x-cfb") return detectCompoundType(path);
  return ALLOWED_TYPES[found.mime] ?? null;
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
  throw new AppError("UNSUPPORTED_FILE_TYPE", "fileTypeNotSupported", { file: fileLabel });
}

/**
 * Returns the type of a stream by its first bytes, as `findAcceptedFileType` does, and leaves the stream complete. Null for
 * text and for old office files, which can't be recognized by their first bytes.
 */
export async function detectStreamFileType(stream: Readable): Promise<DetectedType | null> {
  await once(stream, "readable");
  const firstBytes: Buffer | null = stream.read();
  if (!firstBytes) return null;
  stream.unshift(firstBytes);
  return ALLOWED_TYPES[(await fileTypeFromBuffer(firstBytes))?.mime ?? ""] ?? null;
}

/**
 * Returns the usual extension of a type, without the dot.
 * @throws Error for a type that isn't in `ALLOWED_TYPES`, such as plain text or an old Office type
 */
export function getDefaultExtension(mimetype: string): string {
  const found = Object.values(ALLOWED_TYPES).find((type) => type.mimetype === mimetype);
  if (!found) throw new Error("This type has no default extension.");
  return found.extension;
}

const parseExtension = (filename: string): string => /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";

/**
 * Searches for the directory entry of an Office stream. Entries are 128 bytes and aligned; each begins with the name in
 * UTF-16, followed by its length in bytes (at 64) and the object type (at 66; 2 is a stream).
 */
async function detectCompoundType(path: string): Promise<DetectedType | null> {
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
  return null;
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
