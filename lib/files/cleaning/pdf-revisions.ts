import {
  PDFArray,
  PDFContext,
  PDFDict,
  PDFName,
  PDFNumber,
  PDFObjectParser,
  PDFRawStream,
  type PDFObject,
} from "@cantoo/pdf-lib";
import { decodeStream, readNumber } from "./pdf-stream.ts";

/**
 * Cross-references of a PDF (ISO 32000-2, 7.5.4 and 7.5.8). A file that was saved incrementally still holds objects of
 * earlier revisions, also those that a later one freed; only its cross-references tell which of them are left.
 */

/** The last revision: the generation of each object that it has, by number, and its trailer. */
type LastRevision = { generations: ReadonlyMap<number, number>; trailer: PDFDict };

/**
 * Follows the cross-references from the last revision to the first.
 * @returns null where they can't be followed, or don't lead to the objects that a reader finds last that goes through
 *   the whole file
 */
export function readLastRevision(bytes: Buffer): LastRevision | null {
  const text = bytes.toString("latin1");
  // Offsets count from the header; there may be bytes in front of it, which some programs count as well.
  for (const base of new Set([Math.max(0, text.indexOf("%PDF-")), 0]))
    try {
      return new CrossReferences(bytes, text, base).read();
    } catch {
      continue;
    }
  return null;
}

type Entry = { number: number; generation: number; state: "free" | "direct" | "packed"; offset: number };
type Section = { entries: Entry[]; trailer: PDFDict };

/** More revisions than anybody saves. */
const MAX_SECTIONS = 1_000;
const STREAM_STATES = ["free", "direct", "packed"] as const;

class CrossReferences {
  readonly #bytes: Buffer;
  readonly #text: string;
  readonly #base: number;
  readonly #entries = new Map<number, Entry>();

  constructor(bytes: Buffer, text: string, base: number) {
    this.#bytes = bytes;
    this.#text = text;
    this.#base = base;
  }

  read(): LastRevision {
    const start = this.#findStart();
    const last = this.#readSection(start);
    const seen = new Set([start]);
    for (let section = last; ;) {
      // Objects that the table hides from older readers are in a stream (7.5.8.4).
      const hidden = readNumber(section.trailer, "XRefStm");
      if (hidden !== null) this.#add(this.#readSection(hidden).entries);
      this.#add(section.entries);
      const previous = readNumber(section.trailer, "Prev");
      if (previous === null || seen.has(previous)) break;
      if (seen.add(previous).size > MAX_SECTIONS) throw new Error("This document has too many revisions.");
      section = this.#readSection(previous);
    }
    this.#assertLastDefinitions();
    const used = [...this.#entries.values()].filter(({ state }) => state !== "free");
    const generations = new Map(used.map(({ number, generation }) => [number, generation]));
    return { generations, trailer: last.trailer };
  }

  #findStart(): number {
    const at = this.#text.lastIndexOf("startxref");
    const [, offset] = /^startxref\s+(\d+)/.exec(this.#text.slice(at, at + 40)) ?? [];
    if (at < 0 || !offset) throw new Error("This document has no cross-references.");
    return Number(offset);
  }

  /** What a later revision says counts. */
  #add(entries: readonly Entry[]): void {
    for (const entry of entries) if (!this.#entries.has(entry.number)) this.#entries.set(entry.number, entry);
  }

  #readSection(offset: number): Section {
    const at = offset + this.#base;
    const [head] = /^\s*(xref|\d+\s+\d+\s+obj)\b/.exec(this.#text.slice(at, at + 60)) ?? [];
    if (!head) throw new Error("The cross-references lead nowhere.");
    return head.endsWith("xref") ? this.#readTable(at + head.length) : this.#readStream(at + head.length);
  }

  #readTable(from: number): Section {
    const entries: Entry[] = [];
    const line = /\s*(\d{1,10})\s+(\d{1,10})(?:\s*([nf]))?/y;
    line.lastIndex = from;
    let number = 0;
    let end = from;
    for (let match = line.exec(this.#text); match; match = line.exec(this.#text)) {
      const [, first, second, state] = match;
      end = line.lastIndex;
      if (!state) number = Number(first);
      else {
        const [offset, generation] = [Number(first), Number(second)];
        entries.push({ number, generation, state: state === "f" ? "free" : "direct", offset });
        number += 1;
      }
    }
    const [head] = /^\s*trailer\s*/.exec(this.#text.slice(end, end + 200)) ?? [];
    const trailer = head ? this.#parseObject(end + head.length) : null;
    if (!(trailer instanceof PDFDict)) throw new Error("This document has no trailer.");
    return { entries, trailer };
  }

  #readStream(from: number): Section {
    const stream = this.#parseObject(from);
    if (!(stream instanceof PDFRawStream)) throw new Error("This document has no cross-references.");
    return { entries: readStreamEntries(stream), trailer: stream.dict };
  }

  #parseObject(at: number): PDFObject {
    return PDFObjectParser.forBytes(this.#bytes.subarray(at), PDFContext.create()).parseObject();
  }

  /** The library takes the last definition of an object in the file. It must be the one that counts. */
  #assertLastDefinitions(): void {
    const last = new Map<number, number>();
    for (const { index, 1: number } of this.#text.matchAll(/\b(\d{1,10})\s+\d{1,5}\s+obj\b/g))
      last.set(Number(number), index);
    for (const { number, state, offset } of this.#entries.values()) {
      if (state !== "direct" || !last.has(number)) continue;
      const at = offset + this.#base;
      const blanks = /^\s*/.exec(this.#text.slice(at, at + 20))?.[0].length ?? 0;
      if (last.get(number) !== at + blanks)
        throw new Error("The cross-references lead to an earlier object.");
    }
  }
}

function readStreamEntries(stream: PDFRawStream): Entry[] {
  const { dict } = stream;
  const bytes = decodeStream(stream);
  const widths = readNumbers(dict, "W");
  const index = dict.has(PDFName.of("Index"))
    ? readNumbers(dict, "Index")
    : [0, readNumber(dict, "Size") ?? 0];
  let at = 0;
  const readField = (width = 0): number => {
    const value = width > 0 ? bytes.readUIntBE(at, Math.min(width, 6)) : 0;
    at += width;
    return value;
  };
  const entries: Entry[] = [];
  for (let pair = 0; pair + 1 < index.length; pair += 2)
    for (let count = 0; count < (index[pair + 1] ?? 0); count += 1) {
      // Without a field for it, an entry is of the first kind.
      const kind = widths[0] === 0 ? 1 : readField(widths[0]);
      const [offset, third] = [readField(widths[1]), readField(widths[2])];
      const state = STREAM_STATES[kind];
      entries.push({
        number: (index[pair] ?? 0) + count,
        generation: state === "packed" ? 0 : third,
        // Further kinds are references to nothing.
        state: state ?? "free",
        offset,
      });
    }
  return entries;
}

function readNumbers(dict: PDFDict, key: string): number[] {
  const array = dict.lookup(PDFName.of(key));
  if (!(array instanceof PDFArray)) throw new Error("The cross-references can't be read.");
  return array.asArray().map((one) => (one instanceof PDFNumber ? one.asNumber() : 0));
}
