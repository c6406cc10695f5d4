import { deflateSync } from "node:zlib";
import {
  PDFContext,
  PDFDict,
  PDFName,
  PDFArray,
  PDFObjectParser,
  type PDFRawStream,
  type PDFObject,
} from "@cantoo/pdf-lib";
import { stripJpegMetadata } from "./containers.ts";
import { PDF_KINDS } from "./pdf-kinds.ts";
import { decodeStream, readNumber } from "./pdf-stream.ts";

/**
 * Drawing operators of a PDF (ISO 32000-2, 7.8 and 8.9.7). Beside what is drawn they may hold comments, property lists
 * of marked content, and small pictures, which can be photographs with EXIF.
 */

/** What was removed from a content stream: whether anything was, and the photographs that lost something. */
type ContentCleaning = { isChanged: boolean; pictures: Buffer[] };

/**
 * Removes from a content stream its comments, what its property lists hold beside the text of their content, and the
 * metadata of its pictures.
 * @throws Error when the stream can't be read to its end
 */
export function cleanContentStream(stream: PDFRawStream): ContentCleaning {
  const bytes = decodeStream(stream);
  const { edits, pictures } = new ContentScanner(bytes).scan();
  if (edits.length === 0) return { isChanged: false, pictures };
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, by } of edits) {
    pieces.push(bytes.subarray(from, start), by);
    from = end;
  }
  pieces.push(bytes.subarray(from));
  stream.updateContents(new Uint8Array(deflateSync(Buffer.concat(pieces))));
  stream.dict.set(PDFName.of("Filter"), PDFName.of("FlateDecode"));
  stream.dict.delete(PDFName.of("DecodeParms"));
  return { isChanged: true, pictures };
}

type Edit = { start: number; end: number; by: Buffer };

const [LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x0a, 0x0d, 0x20];
const [PERCENT, OPEN, CLOSE, BACKSLASH, LESS, GREATER, SLASH] = [0x25, 0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x2f];
const BLANKS = new Set([0, 9, LINE_FEED, 12, CARRIAGE_RETURN, SPACE]);
const DELIMITERS = new Set([...BLANKS, ...Buffer.from("()<>[]{}/%")]);

class ContentScanner {
  readonly #bytes: Buffer;
  readonly #edits: Edit[] = [];
  readonly #pictures: Buffer[] = [];
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  scan(): { edits: Edit[]; pictures: Buffer[] } {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at];
      if (byte === PERCENT) this.#removeComment();
      else if (byte === OPEN) this.#skipString();
      else if (byte === LESS && bytes[this.#at + 1] === LESS) this.#cleanPropertyList();
      else if (byte === LESS) this.#skipHexString();
      else if (DELIMITERS.has(byte ?? 0) && byte !== SLASH) this.#at += 1;
      else if (this.#readWord() === "BI") this.#cleanInlineImage();
    }
    return { edits: this.#edits, pictures: this.#pictures };
  }

  #readWord(): string {
    const start = this.#at;
    this.#at += 1;
    while (this.#at < this.#bytes.length && !DELIMITERS.has(this.#bytes[this.#at] ?? 0)) this.#at += 1;
    return this.#at - start > 2 ? "" : this.#bytes.toString("latin1", start, this.#at);
  }

  #removeComment(): void {
    const start = this.#at;
    const isInLine = (byte: number | undefined) =>
      byte !== undefined && byte !== LINE_FEED && byte !== CARRIAGE_RETURN;
    while (isInLine(this.#bytes[this.#at])) this.#at += 1;
    // A blank, since a comment separates what is beside it.
    this.#edits.push({ start, end: this.#at, by: Buffer.from(" ") });
  }

  #skipString(): void {
    let depth = 0;
    for (; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === BACKSLASH) this.#at += 1;
      else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE && (depth -= 1) === 0) {
        this.#at += 1;
        return;
      }
    }
    throw new Error("A string of this document has no end.");
  }

  #skipHexString(): void {
    const end = this.#bytes.indexOf(GREATER, this.#at);
    if (end < 0) throw new Error("A string of this document has no end.");
    this.#at = end + 1;
  }

  #cleanPropertyList(): void {
    const start = this.#at;
    this.#skipDictionary();
    const dict = parse(this.#bytes.subarray(start, this.#at));
    if (removeEntriesExcept(dict, PDF_KINDS.markedContent.entries))
      this.#edits.push({ start, end: this.#at, by: Buffer.from(String(dict), "latin1") });
  }

  #skipDictionary(): void {
    let depth = 0;
    while (this.#at < this.#bytes.length) {
      const [byte, next] = [this.#bytes[this.#at], this.#bytes[this.#at + 1]];
      if (byte === OPEN) this.#skipString();
      else if ((byte === LESS && next === LESS) || (byte === GREATER && next === GREATER)) {
        this.#at += 2;
        depth += byte === LESS ? 1 : -1;
        if (depth === 0) return;
      } else if (byte === LESS) this.#skipHexString();
      else this.#at += 1;
    }
    throw new Error("A dictionary of this document has no end.");
  }

  /** From behind `BI`: the entries of the picture, `ID`, its bytes, and `EI`. */
  #cleanInlineImage(): void {
    const start = this.#at;
    const dataStart = this.#findInlineData();
    const source = this.#bytes.subarray(start, dataStart - 3);
    const dict = parse(Buffer.concat([Buffer.from("<<"), source, Buffer.from(">>")]));
    const end = findEndOfInlineImage(this.#bytes, dataStart, dict);
    this.#at = end + 2;
    const isReduced = removeEntriesExcept(dict, INLINE_ENTRIES);
    const data = this.#cleanInlineData(dict, this.#bytes.subarray(dataStart, end));
    if (!isReduced && !data) return;
    const entries = dict.entries().map(([key, value]) => `${String(key)} ${String(value)}`);
    const head = Buffer.from(` ${entries.join(" ")} ID `, "latin1");
    const picture = data ? Buffer.concat([data, Buffer.from("\n")]) : this.#bytes.subarray(dataStart, end);
    this.#edits.push({ start, end, by: Buffer.concat([head, picture]) });
  }

  #findInlineData(): number {
    while (this.#at < this.#bytes.length) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte === OPEN) this.#skipString();
      else if (DELIMITERS.has(byte) && byte !== SLASH) this.#at += 1;
      else if (this.#readWord() === "ID") return this.#at + 1;
    }
    throw new Error("A picture of this document has no end.");
  }

  /** Returns the picture without its metadata, or null where it has none. */
  #cleanInlineData(dict: PDFDict, data: Buffer): Buffer | null {
    const filters = listFilters(dict);
    if (filters.includes("JPXDecode")) throw new Error("This document holds a picture that can't be read.");
    if (!["DCT", "DCTDecode"].includes(filters.at(-1) ?? "")) return null;
    const picture = decode(data, filters.slice(0, -1));
    const bare = stripJpegMetadata(picture);
    // The blank in front of `EI`.
    if (bare.length === picture.length || /^\s$/.test(picture.toString("latin1", bare.length))) return null;
    this.#pictures.push(picture);
    for (const key of INLINE_STREAM_KEYS) dict.delete(PDFName.of(key));
    dict.set(PDFName.of("F"), PDFName.of("DCT"));
    return bare;
  }
}

const INLINE_STREAM_KEYS = ["F", "Filter", "DP", "DecodeParms", "L", "Length"];
const INLINE_ENTRIES = new Map(
  [
    ..."BPC BitsPerComponent CS ColorSpace D Decode H Height IM ImageMask I Interpolate Intent W Width".split(
      " ",
    ),
    ...INLINE_STREAM_KEYS,
  ].map((key) => [key, "scalar"]),
);

function parse(source: Buffer): PDFDict {
  const dict = PDFObjectParser.forBytes(source, PDFContext.create()).parseObject();
  if (!(dict instanceof PDFDict)) throw new Error("A dictionary of this document can't be read.");
  return dict;
}

/** Removes entries. Of those that stay, the values of property lists may be texts, numbers, names and lists of them. */
function removeEntriesExcept(dict: PDFDict, entries: ReadonlyMap<string, string>): boolean {
  const removed = dict.keys().filter((key) => !entries.has(key.decodeText()));
  for (const key of removed) dict.delete(key);
  return removed.length > 0;
}

const FILTER_NAMES: Record<string, string> = {
  A85: "ASCII85Decode",
  AHx: "ASCIIHexDecode",
  Fl: "FlateDecode",
  LZW: "LZWDecode",
  RL: "RunLengthDecode",
};

function listFilters(dict: PDFDict): string[] {
  const filter = dict.get(PDFName.of("F")) ?? dict.get(PDFName.of("Filter"));
  const all: (PDFObject | undefined)[] = filter instanceof PDFArray ? filter.asArray() : [filter];
  return all.filter((one) => one instanceof PDFName).map((one) => one.decodeText());
}

function decode(data: Buffer, filters: readonly string[]): Buffer {
  if (filters.length === 0) return data;
  const context = PDFContext.create();
  const stream = context.stream(new Uint8Array(data), {
    Filter: filters.map((name) => FILTER_NAMES[name] ?? name),
  });
  return decodeStream(stream);
}

/**
 * Finds the `EI` behind the data of a picture. Data may contain these letters, so that its length is used where it is
 * known; elsewhere, what follows has to look like operators.
 */
function findEndOfInlineImage(bytes: Buffer, from: number, dict: PDFDict): number {
  for (
    let at = bytes.indexOf("EI", from + measureInlineData(dict));
    at >= 0;
    at = bytes.indexOf("EI", at + 2)
  ) {
    const isWord =
      BLANKS.has(bytes[at - 1] ?? 0) && (at + 2 >= bytes.length || DELIMITERS.has(bytes[at + 2] ?? 0));
    if (isWord && !bytes.subarray(at + 2, at + 2 + OPERATOR_BYTES).some(isBinary)) return at;
  }
  throw new Error("A picture of this document has no end.");
}

const OPERATOR_BYTES = 16;
const isBinary = (byte: number): boolean => byte > 0x7e || (byte < SPACE && !BLANKS.has(byte));

/** Returns the number of bytes that a picture takes at least, as far as its entries tell. */
function measureInlineData(dict: PDFDict): number {
  const read = (short: string, long: string): number | null =>
    readNumber(dict, short) ?? readNumber(dict, long);
  const length = read("L", "Length");
  if (length !== null) return Math.max(0, length);
  if (listFilters(dict).length > 0) return 0;
  // One component, of any color space.
  const row = Math.ceil(((read("W", "Width") ?? 0) * (read("BPC", "BitsPerComponent") ?? 1)) / 8);
  return Math.max(0, row * (read("H", "Height") ?? 0));
}
