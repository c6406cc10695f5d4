import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";

/**
 * Format of originals at rest (docs/decisions/014): AES-256-GCM in chunks. Each file has a key of its own, the file
 * key, which a master key wraps. Sizes in bytes, in order:
 *
 *     magic 8 · version 1 · id of the master key 8 · chunk size 4 · nonce 12 · wrapped file key 32 · its tag 16
 *     then chunks: as many sealed bytes as the chunk size (the last may have fewer), and a tag of 16
 *
 * The nonce of a chunk is its number and whether it is the last, so that chunks can't be omitted, repeated,
 * reordered or cut off at the end. The wrapping is bound to the name under which the file is stored.
 */

const MAGIC = Buffer.from("HEEDSEAL");
const FORMAT_VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const PREFIX_BYTES = MAGIC.length + 1 + 8 + 4;
const HEADER_BYTES = PREFIX_BYTES + NONCE_BYTES + KEY_BYTES + TAG_BYTES;
const CHUNK_BYTES = 256 * 1024;
/** Headers with larger chunks are refused as damaged, before memory is reserved for them. */
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;

/** A sealed file can't be opened: none of the given keys sealed it, or its bytes are damaged. */
export class SealedFileOpenError extends Error {
  readonly code: "SEAL_KEY_UNKNOWN" | "SEAL_DAMAGED";
  /** The id of the unknown key, as the header has it. */
  readonly keyId: string | undefined;

  constructor(code: SealedFileOpenError["code"], keyId?: string) {
    super(code);
    this.name = "SealedFileOpenError";
    this.code = code;
    this.keyId = keyId;
  }
}

/**
 * Seals a complete file into a new one, chunk by chunk.
 * @param sealing `name`: the name under which the sealed file will be stored; `key`: 32 bytes
 */
export async function sealFile(
  source: string,
  target: string,
  { name, key }: { name: string; key: Buffer },
): Promise<void> {
  const from = await open(source, "r");
  try {
    const to = await open(target, "wx", 0o600);
    try {
      await sealChunks(from, to, createHeader(name, key));
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/**
 * Opens a sealed stream. When the promise resolves, key, header and first chunk are verified; each further chunk is
 * verified before its bytes are emitted. A caller that stops reading destroys the returned stream.
 * @param opening `name`: the name under which the sealed file is stored; `keys`: 32 bytes each, in any order
 * @throws SealedFileOpenError, here or from the stream
 */
export async function unsealStream(
  sealed: Readable,
  { name, keys }: { name: string; keys: readonly Buffer[] },
): Promise<Readable> {
  const chunks = unsealChunks(sealed, name, keys);
  try {
    const first = await chunks.next();
    const opened = Readable.from(prependChunk(first, chunks), { objectMode: false });
    return opened.once("close", () => sealed.destroy());
  } catch (error) {
    sealed.destroy();
    throw error;
  }
}

/** Computes the id of a master key as in the header of a sealed file, in hex; it reveals nothing about the key. */
export const computeSealKeyId = (key: Buffer): string => hashKeyId(key).toString("hex");

const hashKeyId = (key: Buffer): Buffer =>
  createHash("sha256").update("heed:seal:").update(key).digest().subarray(0, 8);

type Header = { bytes: Buffer; fileKey: Buffer };

function createHeader(name: string, key: Buffer): Header {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(CHUNK_BYTES);
  const prefix = Buffer.concat([MAGIC, Buffer.from([FORMAT_VERSION]), hashKeyId(key), size]);
  const [nonce, fileKey] = [randomBytes(NONCE_BYTES), randomBytes(KEY_BYTES)];
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(buildAdditionalData(prefix, name));
  const wrapped = Buffer.concat([cipher.update(fileKey), cipher.final()]);
  return { bytes: Buffer.concat([prefix, nonce, wrapped, cipher.getAuthTag()]), fileKey };
}

const buildAdditionalData = (prefix: Buffer, name: string): Buffer =>
  Buffer.concat([prefix, Buffer.from(name)]);

async function sealChunks(from: FileHandle, to: FileHandle, { bytes, fileKey }: Header): Promise<void> {
  await to.writeFile(bytes);
  const { size } = await from.stat();
  const count = Math.max(1, Math.ceil(size / CHUNK_BYTES));
  const plain = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  for (let index = 0; index < count; index += 1) {
    const length = await readFully(from, plain.subarray(0, size - index * CHUNK_BYTES));
    const cipher = createCipheriv("aes-256-gcm", fileKey, buildChunkNonce(index, index === count - 1));
    const sealed = cipher.update(plain.subarray(0, length));
    await to.writeFile(Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]));
  }
}

/** Reads until the buffer is full or the file ends; a single read may return less. */
async function readFully(from: FileHandle, buffer: Buffer): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await from.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) throw new Error("a file became shorter while it was sealed");
    length += bytesRead;
  }
  return length;
}

function buildChunkNonce(index: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(index, 4);
  nonce[NONCE_BYTES - 1] = last ? 1 : 0;
  return nonce;
}

async function* unsealChunks(
  sealed: Readable,
  name: string,
  keys: readonly Buffer[],
): AsyncGenerator<Buffer, void> {
  const bytes = new ChunkReader(sealed);
  try {
    const { fileKey, chunk } = readHeader(await bytes.take(HEADER_BYTES), name, keys);
    let current = await bytes.take(chunk + TAG_BYTES);
    for (let index = 0; ; index += 1) {
      const next = await bytes.take(chunk + TAG_BYTES);
      yield decryptChunk(current, fileKey, buildChunkNonce(index, next.length === 0));
      if (next.length === 0) return;
      current = next;
    }
  } finally {
    sealed.destroy();
  }
}

function readHeader(
  bytes: Buffer,
  name: string,
  keys: readonly Buffer[],
): { fileKey: Buffer; chunk: number } {
  const chunk = bytes.length === HEADER_BYTES ? bytes.readUInt32BE(PREFIX_BYTES - 4) : 0;
  const isKnownFormat =
    bytes.subarray(0, MAGIC.length).equals(MAGIC) && bytes[MAGIC.length] === FORMAT_VERSION;
  if (!isKnownFormat || chunk < 1 || chunk > MAX_CHUNK_BYTES) throw new SealedFileOpenError("SEAL_DAMAGED");
  const id = bytes.subarray(MAGIC.length + 1, PREFIX_BYTES - 4);
  const key = keys.find((one) => hashKeyId(one).equals(id));
  if (!key) throw new SealedFileOpenError("SEAL_KEY_UNKNOWN", id.toString("hex"));
  const [nonce, wrapped] = [
    bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + NONCE_BYTES),
    bytes.subarray(PREFIX_BYTES + NONCE_BYTES),
  ];
  return {
    fileKey: decrypt(wrapped, {
      key,
      nonce,
      bound: buildAdditionalData(bytes.subarray(0, PREFIX_BYTES), name),
    }),
    chunk,
  };
}

const decryptChunk = (sealed: Buffer, key: Buffer, nonce: Buffer): Buffer => decrypt(sealed, { key, nonce });

function decrypt(
  sealed: Buffer,
  { key, nonce, bound }: { key: Buffer; nonce: Buffer; bound?: Buffer },
): Buffer {
  if (sealed.length < TAG_BYTES) throw new SealedFileOpenError("SEAL_DAMAGED");
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  if (bound) decipher.setAAD(bound);
  const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch {
    throw new SealedFileOpenError("SEAL_DAMAGED");
  }
}

/** Returns a stream's bytes in the requested amounts; fewer only at the end. */
class ChunkReader {
  readonly #source: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  async take(amount: number): Promise<Buffer> {
    const parts = [this.#buffered];
    let length = this.#buffered.length;
    while (length < amount) {
      const { done, value } = await this.#source.next();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
    const all = parts.length === 1 ? this.#buffered : Buffer.concat(parts);
    this.#buffered = all.subarray(amount);
    return all.subarray(0, amount);
  }
}

async function* prependChunk(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  if (!first.done) yield first.value;
  yield* rest;
}
