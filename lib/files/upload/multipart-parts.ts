import { MultipartParser } from "formidable";
import { AppError } from "#lib/operation/errors.ts";

/** What a multipart body consists of, in order: a part, its bytes, its end. */
export type Piece =
  | { kind: "part"; disposition: string; transferEncoding: string }
  | { kind: "data"; bytes: Buffer }
  | { kind: "partEnd" };

/** All headers of one part together. Browsers send under 1 KiB. */
const MAX_HEADER_BYTES = 8 * 1024;
/** Runs of smaller pieces are joined: a body full of half boundaries would otherwise be one piece a byte. */
const JOINED_BYTES = 64 * 1024;

/**
 * formidable's multipart parser, asked for the pieces of one chunk after another. It is used without
 * formidable's form and without its stream for three reasons: part headers are bounded here, a body that
 * ends without its last boundary is refused, and nothing runs ahead of the reader, so that memory stays
 * flat however slow the disk is.
 */
export class PartParser extends MultipartParser {
  #pieces: Piece[] = [];
  #headers = new Map<string, string>();
  #field: Buffer[] = [];
  #value: Buffer[] = [];
  #headerBytes = 0;
  readonly #joined = Buffer.allocUnsafe(JOINED_BYTES);
  #joinedBytes = 0;

  constructor(boundary: string) {
    super();
    this.initWithBoundary(boundary);
  }

  /** What this chunk completes. Data may point into the chunk. @throws AppError VALIDATION_ERROR */
  pieces(chunk: Buffer): Piece[] {
    this.#pieces = [];
    // The parser works at once and reports by callback only; see formidable's parsers/Multipart.js.
    this._transform(chunk, undefined, (error?: Error | null) => {
      if (error) throw malformed("It doesn't follow the multipart format.");
    });
    this.#flushJoined();
    return this.#pieces;
  }

  /** Call it after the last chunk. @throws AppError VALIDATION_ERROR when the body was cut short. */
  finish(): void {
    const { state } = this as unknown as { state: number };
    if (state !== MultipartParser.STATES.END) throw malformed("The body ends before its last boundary.");
  }

  /** Called by the parser for each thing it finds. The buffer is only valid during the call. */
  override _handleCallback(name: string, buffer: Buffer, start?: number, end?: number): void {
    if (start !== undefined && end !== undefined) {
      if (start === end) return;
      if (name === "partData") return this.#data(buffer, start, end);
      return this.#header(name === "headerField" ? this.#field : this.#value, buffer.subarray(start, end));
    }
    if (name === "headerEnd") return this.#headerEnd();
    if (name === "partBegin") return this.#reset();
    if (name === "headersEnd") return this.#emit(this.#part());
    if (name === "partEnd") return this.#emit({ kind: "partEnd" });
  }

  #data(buffer: Buffer, start: number, end: number): void {
    const length = end - start;
    if (length > JOINED_BYTES - this.#joinedBytes) this.#flushJoined();
    if (length > JOINED_BYTES / 4) return this.#emit({ kind: "data", bytes: buffer.subarray(start, end) });
    // Mostly a few bytes, for which a loop is many times faster than a native copy.
    if (length > 64) buffer.copy(this.#joined, this.#joinedBytes, start, end);
    else for (let i = 0; i < length; i += 1) this.#joined[this.#joinedBytes + i] = buffer[start + i] ?? 0;
    this.#joinedBytes += length;
  }

  #flushJoined(): void {
    if (this.#joinedBytes === 0) return;
    this.#pieces.push({ kind: "data", bytes: Buffer.from(this.#joined.subarray(0, this.#joinedBytes)) });
    this.#joinedBytes = 0;
  }

  #emit(piece: Piece): void {
    this.#flushJoined();
    this.#pieces.push(piece);
  }

  #reset(): void {
    this.#headers = new Map();
    this.#headerBytes = 0;
  }

  #header(into: Buffer[], bytes: Buffer): void {
    this.#headerBytes += bytes.length;
    if (this.#headerBytes > MAX_HEADER_BYTES) throw malformed("The headers of a part are too long.");
    into.push(Buffer.from(bytes));
  }

  #headerEnd(): void {
    const name = Buffer.concat(this.#field).toString("latin1").toLowerCase();
    this.#headers.set(name, Buffer.concat(this.#value).toString("utf8"));
    this.#field = [];
    this.#value = [];
  }

  #part(): Piece {
    return {
      kind: "part",
      disposition: this.#headers.get("content-disposition") ?? "",
      transferEncoding: (this.#headers.get("content-transfer-encoding") ?? "binary").trim().toLowerCase(),
    };
  }
}

export const malformed = (details: string): AppError =>
  new AppError("VALIDATION_ERROR", "The multipart body can't be read.", details);

/** The boundary of a multipart/form-data content type (RFC 2046: 1 to 70 characters). @throws AppError 415, 400 */
export function boundaryOf(contentType: string | null): string {
  const [type = "", ...parameters] = (contentType ?? "").split(";");
  if (type.trim().toLowerCase() !== "multipart/form-data") {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "This takes multipart/form-data only.");
  }
  const match = /^\s*boundary=(?:"([^"]*)"|(\S*))\s*$/i;
  const found = parameters.map((text) => match.exec(text)).find(Boolean);
  const boundary = found?.[1] ?? found?.[2] ?? "";
  if (!/^[\x20-\x7e]{1,70}$/.test(boundary)) {
    throw malformed("The content type needs a boundary of 1 to 70 characters.");
  }
  return boundary;
}

/**
 * Field and file name of a part. `filename` is undefined for a plain field and empty for a file input in
 * which nothing was chosen. Quotes arrive as `%22` from browsers and as `\"` from older clients.
 */
export function dispositionOf(header: string): { name: string; filename?: string } {
  if (!/^\s*form-data\s*(;|$)/i.test(header)) throw malformed("A part isn't form-data.");
  const name = parameter(header, "name");
  if (!name || name.length > 200) throw malformed("A part needs a name of 1 to 200 characters.");
  return { name, filename: extended(header) ?? parameter(header, "filename") };
}

/** Some clients write a name outside ASCII as `filename*=UTF-8''...` beside a mangled `filename`. */
function extended(header: string): string | undefined {
  try {
    return (
      decodeURIComponent(/^utf-8'[^']*'(.+)$/i.exec(parameter(header, "filename*") ?? "")?.[1] ?? "") ||
      undefined
    );
  } catch {
    return undefined;
  }
}

function parameter(header: string, wanted: string): string | undefined {
  for (const [, key, quoted, bare] of header.matchAll(
    /;\s*([\w*-]+)=(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^;"\s]*))/g,
  )) {
    if (key?.toLowerCase() === wanted)
      return (quoted ?? bare ?? "").replace(/\\(["\\])/g, "$1").replaceAll("%22", '"');
  }
  return undefined;
}
