import { createReadStream } from "node:fs";

/** The encodings in which plain text is accepted. Latin-1 is read as its superset, windows-1252. */
type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** In the order in which they are preferred: nearly every text is valid in the last one. */
const ENCODINGS: readonly TextEncoding[] = ["utf-8", "utf-16le", "utf-16be", "windows-1252"];

const CONTROL_CHARACTERS = /[^\P{Cc}\t\n\f\r\u0080-\u009f]|[\ufffe\uffff]/u;
/** windows-1252 leaves these bytes open; they are decoded to C1 control characters. */
const UNASSIGNED_IN_1252 = /[\u0081\u008d\u008f\u0090\u009d]/;
const ACTIVE_CONTENT =
  /^\s*(#!|<(!doctype|!--|\?|html|head|body|script|style|svg|iframe|object|embed|form|img|xml|meta|link|base)\b|<(!--|\?))/i;
/** A GPS track is the only XML that is accepted. */
const GPX_START = /^\s*(<\?xml\s[^<>]*\?>\s*)?(<!--[^<>]*-->\s*)?<gpx\b/i;
/** What lets a browser that opens XML run scripts or load other files. */
const ACTIVE_MARKUP = /<!(doctype|entity)|<\?xml-stylesheet|<script|1999\/xhtml|2000\/svg/i;
/** Letters and digits as numbers, under which the name of a namespace could hide. No program writes them so. */
const DISGUISED_LETTER =
  /&#(x0*(3\d|[46][1-9a-f]|[57][\da])|0*(4[89]|5[0-7]|6[5-9]|[78]\d|90|9[7-9]|1[01]\d|12[0-2]));/i;
/** Longer than what either needs. */
const MARKUP_LENGTH = 64;
/**
 * The share of zero bytes, among the bytes at even or at odd positions, from which text without a byte order mark may
 * be UTF-16: in it, most letters of an alphabet have a zero byte.
 */
const MIN_ZERO_BYTES = 0.2;

/**
 * Detects the encoding of plain text: one in which it has no control characters other than tab, line and page breaks.
 * Null for anything else, and for content that starts like a web page, an SVG image or a script, since it could run
 * where somebody opens it.
 */
export async function detectSafePlainTextEncoding(
  chunks: AsyncIterable<Buffer>,
): Promise<TextEncoding | null> {
  const found = await findTextCandidate(chunks);
  return found?.state === "text" ? found.encoding : null;
}

/** Like `detectSafePlainTextEncoding`, for a file. */
export const detectSafePlainTextFileEncoding = (path: string): Promise<TextEncoding | null> =>
  detectSafePlainTextEncoding(createReadStream(path, { highWaterMark: CHUNK_BYTES }));

/** Checks for a text that starts like a web page, an SVG image or a script. */
export const isActiveTextFile = async (path: string): Promise<boolean> =>
  (await findTextCandidate(createReadStream(path, { highWaterMark: CHUNK_BYTES })))?.state === "active";

/**
 * Checks for a text that isn't accepted because of its encoding or its control characters. Judges by the start of the
 * file; binary formats have zero bytes or many control characters there.
 */
export async function isUnsupportedText(path: string): Promise<boolean> {
  const read = (end?: number) => createReadStream(path, { highWaterMark: CHUNK_BYTES, end });
  if (await findTextCandidate(read())) return false;
  for await (const bytes of read(CHUNK_BYTES - 1) as AsyncIterable<Buffer>) {
    if (UNICODE_MARKS.some((mark) => bytes.subarray(0, mark.length).equals(mark))) return true;
    const controls = bytes.filter((byte) => byte < 0x20 && !TEXT_CONTROL_BYTES.has(byte)).length;
    return !bytes.includes(0) && controls <= bytes.length * MAX_CONTROL_CHARACTERS;
  }
  return false;
}

const CHUNK_BYTES = 64 * 1024;
/** The byte order marks of UTF-16 and UTF-32. */
const UNICODE_MARKS = ["fffe", "feff", "0000feff"].map((mark) => Buffer.from(mark, "hex"));
/** Tab, line feed, page break, carriage return, and the escape that Japanese encodings and terminals use. */
const TEXT_CONTROL_BYTES = new Set([9, 10, 12, 13, 27]);
/** The largest share of other control characters in a text, such as a log of a chat with colors. */
const MAX_CONTROL_CHARACTERS = 0.05;

async function findTextCandidate(chunks: AsyncIterable<Buffer>): Promise<TextCandidate | null> {
  let candidates: TextCandidate[] | undefined;
  for await (const bytes of chunks) {
    candidates ??= listCandidates(bytes);
    for (const candidate of candidates) candidate.read(bytes);
    candidates = candidates.filter(({ state }) => state !== "other");
    if (candidates.length === 0) return null;
  }
  for (const candidate of candidates ?? []) candidate.end();
  return (candidates ?? []).find(({ state }) => state !== "other") ?? null;
}

/** A byte order mark decides; without one, UTF-16 is recognized by its zero bytes. */
function listCandidates(start: Buffer): TextCandidate[] {
  const create = (encodings: readonly TextEncoding[]) => encodings.map((one) => new TextCandidate(one));
  if (start[0] === 0xff && start[1] === 0xfe) return create(["utf-16le"]);
  if (start[0] === 0xfe && start[1] === 0xff) return create(["utf-16be"]);
  const zeros = [0, 0];
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const isFrequent = (count: number) => count > (start.length / 2) * MIN_ZERO_BYTES;
  return create(
    ENCODINGS.filter(
      (encoding) =>
        (encoding !== "utf-16le" || (isFrequent(odd) && even === 0)) &&
        (encoding !== "utf-16be" || (isFrequent(even) && odd === 0)),
    ),
  );
}

/** A text read in one encoding; `active` once it turns out to start like something that runs. */
class TextCandidate {
  readonly encoding: TextEncoding;
  readonly #decoder: TextDecoder;
  state: "empty" | "text" | "active" | "other" = "empty";
  #isGpx = false;
  /** The end of what was read before, since markup may lie on a boundary. */
  #tail = "";

  constructor(encoding: TextEncoding) {
    this.encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  read(bytes: Buffer): void {
    this.#accept(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): void {
    this.#accept(() => this.#decoder.decode());
  }

  #accept(decode: () => string): void {
    if (this.state === "other") return;
    try {
      const text = decode();
      const isText =
        !CONTROL_CHARACTERS.test(text) &&
        (this.encoding !== "windows-1252" || !UNASSIGNED_IN_1252.test(text));
      if (!isText) this.state = "other";
      else if (text !== "") this.#judge(text);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.state = "other";
    }
  }

  #judge(text: string): void {
    if (this.state === "empty") {
      this.#isGpx = GPX_START.test(text);
      this.state = !this.#isGpx && ACTIVE_CONTENT.test(text) ? "active" : "text";
    }
    if (!this.#isGpx) return;
    const read = this.#tail + text;
    if (ACTIVE_MARKUP.test(read) || DISGUISED_LETTER.test(read)) this.state = "active";
    this.#tail = read.slice(-MARKUP_LENGTH);
  }
}
