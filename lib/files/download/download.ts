import { Readable } from "node:stream";
import type { ApiRequestWithAbortSignal } from "#lib/operation/request.ts";
import { matchesIfNoneMatch } from "#lib/operation/etag.ts";
import { RESPONSE_LENGTH_HEADER } from "#lib/operation/headers.ts";
import { stripDiacritics } from "#lib/design/unicode.ts";
import { MAX_FILENAME_LENGTH, toDownloadFilename } from "#lib/files/upload/names.ts";
import { parseRangeHeader } from "./ranges.ts";
import { toStorageReadError } from "#lib/files/storage/failures.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { detectSafePlainTextEncoding } from "#lib/files/upload/text-encoding.ts";
import { listExtensionsOfType } from "#lib/files/upload/types.ts";
import { openVerifiedFileRange, openVerifiedFile } from "./verified.ts";

/**
 * Builds the headers of a download (contract 9.3): always an attachment; never sniffed, executed, framed, cached or
 * read by another site; saved under a name that fits its type. `size` in bytes.
 */
export function buildAttachmentHeaders(filename: string, type: string, size: number): Headers {
  return new Headers({
    "Content-Type": type,
    "Content-Length": String(size),
    [RESPONSE_LENGTH_HEADER]: String(size),
    "Content-Disposition": formatContentDisposition(toDownloadFilename(filename, listExtensionsOfType(type))),
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
}

/**
 * Builds the Content-Disposition header (RFC 6266): the full name in `filename*`, and a version that every client can
 * read in `filename`. Characters that could end the header or the quotes are percent-encoded or replaced.
 */
export function formatContentDisposition(filename: string): string {
  const ascii = stripDiacritics(filename.slice(0, 2 * MAX_FILENAME_LENGTH)).replace(
    /[^\x20-\x7e]|["\\%]/gu,
    "_",
  );
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** `size` in bytes; `sha256` of the stored content. */
type DownloadableFile = { key: string; filename: string; type: string; size: number; sha256: string };

/**
 * Streams a stored file as an attachment, or the part that a Range header names (206). Answers If-None-Match (304).
 * Sends no byte of a file that doesn't match its row. Closes the file at its end, and when the client disconnects.
 * @throws DamagedFileError, AppError NOT_FOUND, SERVICE_UNAVAILABLE, RANGE_NOT_SATISFIABLE
 */
export async function createFileDownloadResponse(
  request: ApiRequestWithAbortSignal,
  file: DownloadableFile,
): Promise<Response> {
  const etag = `"${file.sha256}"`;
  if (matchesIfNoneMatch(request.headers.get("if-none-match"), etag)) return createNotModifiedResponse(etag);
  const range = parseRangeHeader(request, { size: file.size, etag });
  const isWhole = !range && request.method !== "HEAD";
  // Before the file is opened, so that nothing stays open if its encoding can't be read.
  const contentType = file.type === "text/plain" ? await describeTextType(file.key) : file.type;
  const { stream, size } = await (isWhole
    ? openVerifiedFile(file)
    : openVerifiedFileRange(file, range ?? undefined));
  const headers = buildAttachmentHeaders(file.filename, file.type, size);
  headers.set("Content-Type", contentType);
  headers.set("Accept-Ranges", "bytes");
  headers.set("ETag", etag);
  if (range) headers.set("Content-Range", `bytes ${range.start}-${range.end}/${file.size}`);
  return new Response(toResponseBody(request, stream), { status: range ? 206 : 200, headers });
}

/** Returns the content type of a stored text with its encoding: texts are stored in the encoding of the upload. */
async function describeTextType(key: string): Promise<string> {
  const { stream } = await getFileStorage().open(key);
  try {
    return `text/plain; charset=${(await detectSafePlainTextEncoding(stream)) ?? "utf-8"}`;
  } catch (error) {
    throw toStorageReadError(error, "stream");
  } finally {
    stream.destroy();
  }
}

/** The client has the file already: nothing is sent, and nothing is recorded as a download. */
const createNotModifiedResponse = (etag: string): Response =>
  new Response(null, { status: 304, headers: { ETag: etag, "Cache-Control": "private, no-store" } });

/** Streams content that isn't a stored file, such as an opened original, as an attachment. `size` in bytes. */
export function createStreamDownloadResponse(
  request: ApiRequestWithAbortSignal,
  { stream, filename, type, size }: { stream: Readable; filename: string; type: string; size: number },
): Response {
  return new Response(toResponseBody(request, stream), {
    headers: buildAttachmentHeaders(filename, type, size),
  });
}

/** A logo or avatar as `reencodeLogoOrAvatarAsWebp` made it; `etag` includes its quotes. */
type StoredImage = { key: string; type: string; etag: string };

/**
 * Returns a public image. Clients cache it for five minutes and then revalidate it by its ETag (304 if unchanged).
 * @throws AppError NOT_FOUND, SERVICE_UNAVAILABLE
 */
export async function createPublicImageResponse(
  request: ApiRequestWithAbortSignal,
  { key, type, etag }: StoredImage,
): Promise<Response> {
  const headers = new Headers({
    "Cache-Control": "public, max-age=300",
    ETag: etag,
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
  if (matchesIfNoneMatch(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  const { stream, size } = await getFileStorage().open(key);
  headers.set("Content-Type", type);
  headers.set("Content-Length", String(size));
  headers.set(RESPONSE_LENGTH_HEADER, String(size));
  return new Response(toResponseBody(request, stream), { headers });
}

function toResponseBody(request: ApiRequestWithAbortSignal, stream: Readable): ReadableStream | null {
  if (request.method === "HEAD") {
    stream.destroy();
    return null;
  }
  // A cancelled body destroys the stream. This listener covers a client that disconnects before the first read.
  request.signal.addEventListener("abort", () => stream.destroy(), { once: true });
  return Readable.toWeb(stream) as ReadableStream;
}
