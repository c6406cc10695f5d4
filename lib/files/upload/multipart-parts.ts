import { MultipartParser } from "formidable";
import { AppError } from "#lib/operation/errors.ts";

/** The pieces of a multipart body, in order: the start of a part, its bytes, its end. */
export type MultipartPiece =
  | { kind: "part"; disposition: string; transferEncoding: string }
  | { kind: "data"; bytes: Buffer }
  | { kind: "partEnd" };

/** The limit for all headers of one part. Browsers send less than 1 KiB. */
const MAX_HEADER_BYTES = 8 * 1024;
/** Runs of smaller pieces are joined; otherwise a body full of partial boundaries would yield one piece per byte. */
const JOIN_BUFFER_BYTES = 64 * 1024;

/** An event that the parser pushes: its kind and, for bytes, a buffer that is only valid during the call. */
type ParserEvent = { name: string; buffer?: Buffer; start?: number; end?: number };

/**
 * formidable's multipart parser, called with each chunk of a body for the pieces that the chunk completes, so that
 * memory stays constant however slow the disk is. The parser is a stream, but `push` handles its events at once instead
 * of queueing them for a reader: the parser reuses the buffer in which it holds bytes that look like a boundary, so a
 * later reader would find other bytes there.
 */
export class MultipartPieceParser extends MultipartParser {
  #pieces: MultipartPiece[] = [];
  #headers = new Map<string, string>();
  #field: Buffer[] = [];
  #value: Buffer[] = [];
  #headerBytes = 0;
  readonly #joinBuffer = Buffer.allocUnsafe(JOIN_BUFFER_BYTES);
  #bufferedBytes = 0;
  #isComplete = false;

  constructor(boundary: string) {
    super();
    this.initWithBoundary(boundary);
    // `parseChunk` throws an error of its own. Without a listener, Node would also throw this one, as uncaught.
    this.on("error", () => {});
  }

  /** Returns the pieces that this chunk completes. Data may point into the chunk. @throws AppError VALIDATION_ERROR */
  parseChunk(chunk: Buffer): MultipartPiece[] {
    this.#pieces = [];
    // Parses the whole chunk before it returns: `push` leaves nothing in the stream that a reader would have to take.
    this.write(chunk);
    if (this.errored) throw createMalformedMultipartError("format");
    this.#flushBuffer();
    return this.#pieces;
  }

  /** Must be called after the last chunk. @throws AppError VALIDATION_ERROR when the body is incomplete */
  finish(): void {
    if (!this.#isComplete) throw createMalformedMultipartError("incomplete");
  }

  /** Called by the parser for each of its events. Returns true: the parser need not wait. */
  override push(event: ParserEvent): boolean {
    const { name, buffer, start = 0, end = 0 } = event;
    if (name === "partData" && buffer) this.#handleData(buffer, start, end);
    else if (buffer)
      this.#handleHeader(name === "headerField" ? this.#field : this.#value, buffer.subarray(start, end));
    else if (name === "headerEnd") this.#finishHeader();
    else if (name === "partBegin") this.#resetHeaders();
    else if (name === "headersEnd") this.#emit(this.#buildPart());
    else if (name === "partEnd") this.#emit({ kind: "partEnd" });
    // The end of the body's last boundary; without it, the body is incomplete.
    else if (name === "end") this.#isComplete = true;
    return true;
  }

  #handleData(buffer: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > JOIN_BUFFER_BYTES - this.#bufferedBytes) this.#flushBuffer();
    if (length > JOIN_BUFFER_BYTES / 4)
      return this.#emit({ kind: "data", bytes: buffer.subarray(start, end) });
    // Most pieces are a few bytes, for which a loop is many times faster than a native copy.
    if (length > 64) buffer.copy(this.#joinBuffer, this.#bufferedBytes, start, end);
    else
      for (let i = 0; i < length; i += 1) this.#joinBuffer[this.#bufferedBytes + i] = buffer[start + i] ?? 0;
    this.#bufferedBytes += length;
  }

  #flushBuffer(): void {
    if (this.#bufferedBytes === 0) return;
    this.#pieces.push({
      kind: "data",
      bytes: Buffer.from(this.#joinBuffer.subarray(0, this.#bufferedBytes)),
    });
    this.#bufferedBytes = 0;
  }

  #emit(piece: MultipartPiece): void {
    this.#flushBuffer();
    this.#pieces.push(piece);
  }

  #resetHeaders(): void {
    this.#headers = new Map();
    this.#headerBytes = 0;
  }

  #handleHeader(into: Buffer[], bytes: Buffer): void {
    this.#headerBytes += bytes.length;
    if (this.#headerBytes > MAX_HEADER_BYTES) throw createMalformedMultipartError("longHeaders");
    into.push(Buffer.from(bytes));
  }

  #finishHeader(): void {
    const name = Buffer.concat(this.#field).toString("latin1").toLowerCase();
    this.#headers.set(name, Buffer.concat(this.#value).toString("utf8"));
    this.#field = [];
    this.#value = [];
  }

  #buildPart(): MultipartPiece {
    return {
      kind: "part",
      disposition: this.#headers.get("content-disposition") ?? "",
      transferEncoding: (this.#headers.get("content-transfer-encoding") ?? "binary").trim().toLowerCase(),
    };
  }
}

type MultipartProblem =
  | "empty"
  | "transferEncoding"
  | "format"
  | "incomplete"
  | "longHeaders"
  | "boundary"
  | "disposition"
  | "name";

export const createMalformedMultipartError = (problem: MultipartProblem): AppError =>
  new AppError("VALIDATION_ERROR", "multipartUnreadable", { reason: { term: `multipart.${problem}` } });

/**
 * Returns the boundary of a multipart/form-data content type (RFC 2046: 1 to 70 characters). @throws AppError 415, 400
 */
export function parseMultipartBoundary(contentType: string | null): string {
  const [type = "", ...parameters] = (contentType ?? "").split(";");
  if (type.trim().toLowerCase() !== "multipart/form-data") {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "multipartRequired");
  }
  const match = /^\s*boundary=(?:"([^"]*)"|(\S*))\s*$/i;
  const boundaryMatch = parameters.map((text) => match.exec(text)).find(Boolean);
  const boundary = boundaryMatch?.[1] ?? boundaryMatch?.[2] ?? "";
  if (!/^[\x20-\x7e]{1,70}$/.test(boundary)) {
    throw createMalformedMultipartError("boundary");
  }
  return boundary;
}

/**
 * Returns the field and file name of a part. `filename` is undefined for a plain field, and empty for a file input
 * without a chosen file. Browsers send quotes as `%22`, older clients as `\"`.
 */
export function parseContentDisposition(header: string): { name: string; filename?: string } {
  if (!/^\s*form-data\s*(;|$)/i.test(header)) throw createMalformedMultipartError("disposition");
  const name = readHeaderParameter(header, "name");
  if (!name || name.length > 200) throw createMalformedMultipartError("name");
  return { name, filename: parseExtendedFilename(header) ?? readHeaderParameter(header, "filename") };
}

/** Some clients send a non-ASCII name as `filename*=UTF-8''...` along with a garbled `filename`. */
function parseExtendedFilename(header: string): string | undefined {
  try {
    return (
      decodeURIComponent(
        /^utf-8'[^']*'(.+)$/i.exec(readHeaderParameter(header, "filename*") ?? "")?.[1] ?? "",
      ) || undefined
    );
  } catch {
    return undefined;
  }
}

function readHeaderParameter(header: string, parameterName: string): string | undefined {
  for (const [, key, quoted, bare] of header.matchAll(
    /;\s*([\w*-]+)=(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^;"\s]*))/g,
  )) {
    if (key?.toLowerCase() === parameterName)
      return (quoted ?? bare ?? "").replace(/\\(["\\])/g, "$1").replaceAll("%22", '"');
  }
  return undefined;
}
