import { createHash, type Hash, randomUUID } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import type { ApiRequest } from "#lib/operation/request.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { env } from "#lib/env.ts";
import { AppError, InvalidInputError, getPrintableFieldNameOrPlaceholder } from "#lib/operation/errors.ts";
import { toStorageWriteError, isFileSystemError } from "#lib/files/storage/failures.ts";
import { LimitedRequestBodyReader, createBodyTooLargeError } from "./multipart-body.ts";
import {
  parseMultipartBoundary,
  parseContentDisposition,
  createMalformedMultipartError,
  MultipartPieceParser,
  type MultipartPiece,
} from "./multipart-parts.ts";
import { sanitizeFilename } from "./names.ts";
import type { RequestBytes } from "./bytes-in-flight.ts";
import { makeTemporaryFolder } from "./temporary.ts";

export type MultipartBodyLimits = {
  /** The field names that accept files, the maximum number of files in total, and their sizes in bytes. */
  files: { field: string[]; max: number; maxBytesEach: number; maxBytesTotal: number };
  /** Plain fields: their maximum number, the bytes of all their values together, and which of them are lists. */
  fields: { maxCount: number; maxBytes: number; isList?: (name: string) => boolean };
  /** Counts the bytes of files while they are stored. */
  inFlight?: RequestBytes;
  /** The longest wait for the next byte, in milliseconds; the default is 20 s. */
  stallMs?: number;
  /**
   * Called for each plain field as it is read, for callers that return the typed text after an error. If given, a body
   * whose declared length is too large is read up to the limit before it is refused: the fields come before the files.
   */
  onField?: (name: string, value: string) => void;
};

export type UploadedFile = { field: string; filename: string; path: string; size: number; sha256: string };

export type ParsedMultipartForm = {
  fields: Record<string, string>;
  files: UploadedFile[];
  /** Removes the request's temporary files. Call it in `finally`; calling it again is not an error. */
  discard(): Promise<void>;
};

/** Allowance for part headers, boundaries and empty parts. */
const MAX_OVERHEAD_BYTES = 256 * 1024;
const DEFAULT_STALL_MS = 20_000;

/**
 * Reads a multipart/form-data request (contract 3.8): fields into memory, files into a temporary folder of this
 * request. Enforces the limits while streaming. An empty file input of a browser counts as no file. On an error,
 * removes the temporary files and stops reading the body.
 * @throws AppError 415 UNSUPPORTED_MEDIA_TYPE, 400 VALIDATION_ERROR, 413 PAYLOAD_TOO_LARGE, 507 STORAGE_UNAVAILABLE
 */
export async function readMultipartForm(
  request: ApiRequest,
  limits: MultipartBodyLimits,
): Promise<ParsedMultipartForm> {
  const boundary = parseMultipartBoundary(request.headers.get("content-type"));
  const maxBytes = limits.files.maxBytesTotal + limits.fields.maxBytes + MAX_OVERHEAD_BYTES;
  if (!limits.onField && Number(request.headers.get("content-length") ?? 0) > maxBytes)
    throw createBodyTooLargeError();
  if (!request.body) throw createMalformedMultipartError("empty");

  const body = new LimitedRequestBodyReader(request.body, {
    maxBytes,
    stallMs: limits.stallMs ?? DEFAULT_STALL_MS,
    totalMs: env().UPLOAD_SECONDS * 1000,
  });
  let form: MultipartForm | undefined;
  try {
    form = new MultipartForm(await makeTemporaryFolder(), limits);
    await readParts(form, body, boundary);
    return { ...form.contents(), discard: form.discard };
  } catch (error) {
    await form?.discard();
    throw toUploadError(error);
  }
}

async function readParts(
  form: MultipartForm,
  body: LimitedRequestBodyReader,
  boundary: string,
): Promise<void> {
  const parser = new MultipartPieceParser(boundary);
  for await (const chunk of body.chunks()) {
    for (const piece of parser.parseChunk(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
      await form.addPiece(piece);
  }
  parser.finish();
}

function toUploadError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (isFileSystemError(error)) return toStorageWriteError(error, "temporary");
  return error;
}

/** The part being read: where its bytes go, and what happens at its end. */
interface PartSink {
  write(bytes: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
  abandon(): Promise<void>;
}

/** The contents read so far from one form. Limits are checked before a byte is stored. */
class MultipartForm {
  readonly #folder: string;
  readonly #limits: MultipartBodyLimits;
  readonly #fields = new Map<string, string>();
  readonly #files: UploadedFile[] = [];
  #fieldBytes = 0;
  #fileBytes = 0;
  #parts = 0;
  #sink: PartSink | undefined;

  constructor(folder: string, limits: MultipartBodyLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  contents(): Pick<ParsedMultipartForm, "fields" | "files"> {
    return { fields: Object.fromEntries(this.#fields), files: this.#files };
  }

  discard = async (): Promise<void> => {
    await this.#sink?.abandon();
    this.#sink = undefined;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 2 });
    this.#limits.inFlight?.release();
  };

  async addPiece(piece: MultipartPiece): Promise<void> {
    if (piece.kind === "part") this.#sink = this.#beginPart(piece);
    else if (piece.kind === "data") await this.#sink?.write(piece.bytes);
    else await this.#endPart();
  }

  async #endPart(): Promise<void> {
    await this.#sink?.end();
    this.#sink = undefined;
  }

  #beginPart({ disposition, transferEncoding }: Extract<MultipartPiece, { kind: "part" }>): PartSink {
    const { files, fields } = this.#limits;
    if (++this.#parts > files.max + files.field.length + fields.maxCount + 10)
      throw new AppError("PAYLOAD_TOO_LARGE", "tooManyFormParts");
    // RFC 7578 deprecated other encodings in 2015; a base64 body would be stored as its encoded text.
    if (!["binary", "8bit", "7bit"].includes(transferEncoding))
      throw createMalformedMultipartError("transferEncoding");
    const { name, filename } = parseContentDisposition(disposition);
    return filename === undefined ? this.#fieldSink(name) : this.#fileSink(name, filename);
  }

  #fieldSink(name: string): PartSink {
    const chunks: Buffer[] = [];
    return {
      write: (bytes) => {
        this.#fieldBytes += bytes.length;
        if (this.#fieldBytes > this.#limits.fields.maxBytes)
          throw new AppError("PAYLOAD_TOO_LARGE", "tooMuchFormText");
        chunks.push(bytes);
      },
      end: () => this.#addField(name, Buffer.concat(chunks)),
      abandon: async () => {},
    };
  }

  /** Adds a field. Joins the values of a list or a name that ends in `[]` by line breaks; refuses other repeated names. */
  #addField(sentName: string, bytes: Buffer): void {
    const value = decodeFieldText(sentName, bytes);
    if (this.#limits.files.field.includes(sentName)) {
      if (value !== "") throw new InvalidInputError({ [sentName]: createFieldProblem("mustBeFile") });
      return;
    }
    const hasBrackets = sentName.endsWith("[]");
    const name = hasBrackets ? sentName.slice(0, -2) : sentName;
    const isList = hasBrackets || this.#limits.fields.isList?.(name);
    const former = this.#fields.get(name);
    if (former !== undefined && !isList)
      throw new InvalidInputError({
        [getPrintableFieldNameOrPlaceholder(name)]: createFieldProblem("sentMoreThanOnce"),
      });
    if (this.#fields.size >= this.#limits.fields.maxCount)
      throw new AppError("PAYLOAD_TOO_LARGE", "tooManyFormFields");
    this.#fields.set(name, former === undefined ? value : `${former}\n${value}`);
    this.#limits.onField?.(name, value);
  }

  #fileSink(field: string, filename: string): PartSink {
    const { files } = this.#limits;
    if (!files.field.includes(field))
      throw new InvalidInputError({
        [getPrintableFieldNameOrPlaceholder(field)]: createFieldProblem("notAFileField", {
          field: String(files.field[0]),
        }),
      });
    const file = new FileWriter(path.join(this.#folder, randomUUID()));
    return {
      write: async (bytes) => {
        if (file.size === 0) this.#requireFileSlot(field);
        this.#fileBytes += bytes.length;
        if (file.size + bytes.length > files.maxBytesEach) throw createFileTooLargeError(files.maxBytesEach);
        if (this.#fileBytes > files.maxBytesTotal)
          throw new AppError("PAYLOAD_TOO_LARGE", "filesTooLargeTogether", {
            size: formatLimit(files.maxBytesTotal),
          });
        this.#limits.inFlight?.add(bytes.length);
        await file.write(bytes);
      },
      end: async () => {
        if (file.size > 0)
          this.#files.push({ field, filename: sanitizeFilename(filename), ...(await file.finish()) });
        else if (filename !== "") throw new InvalidInputError({ [field]: createFieldProblem("emptyFile") });
      },
      abandon: () => file.abandon(),
    };
  }

  #requireFileSlot(field: string): void {
    const { max } = this.#limits.files;
    if (this.#files.length < max) return;
    if (max === 1) throw new InvalidInputError({ [field]: createFieldProblem("sentMoreThanOnce") });
    throw new AppError("PAYLOAD_TOO_LARGE", "tooManyFiles", { max });
  }
}

/** Writes a file in steps of at least 256 KiB and hashes it as it goes. Callers must await each write. */
class FileWriter {
  size = 0;
  readonly #path: string;
  readonly #hash: Hash = createHash("sha256");
  #handle: FileHandle | undefined;
  #pendingChunks: Buffer[] = [];
  #pendingBytes = 0;

  constructor(file: string) {
    this.#path = file;
  }

  async write(bytes: Buffer): Promise<void> {
    this.size += bytes.length;
    this.#hash.update(bytes);
    this.#pendingChunks.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= 256 * 1024) await this.#flush();
  }

  async finish(): Promise<Pick<UploadedFile, "path" | "size" | "sha256">> {
    await this.#flush();
    await this.abandon();
    return { path: this.#path, size: this.size, sha256: this.#hash.digest("hex") };
  }

  async abandon(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #flush(): Promise<void> {
    this.#handle ??= await open(this.#path, "wx", 0o600);
    const bytes = Buffer.concat(this.#pendingChunks);
    this.#pendingChunks = [];
    this.#pendingBytes = 0;
    // writeFile continues after a short write; a plain write doesn't.
    await this.#handle.writeFile(bytes);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeFieldText(name: string, bytes: Buffer): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new InvalidInputError({
      [getPrintableFieldNameOrPlaceholder(name)]: createFieldProblem("mustBeUtf8"),
    });
  }
  if (text.includes("\0"))
    throw new InvalidInputError({
      [getPrintableFieldNameOrPlaceholder(name)]: createFieldProblem("mustNotContainNul"),
    });
  return text;
}

const formatLimit = (bytes: number): string =>
  bytes % (1024 * 1024) === 0 ? `${bytes / 1024 / 1024} MiB` : `${bytes} bytes`;

const createFileTooLargeError = (limit: number): AppError =>
  new AppError("PAYLOAD_TOO_LARGE", "fileTooLarge", { size: formatLimit(limit) });
