/** Reads bytes of a file; fewer at its end. */
export type ReadBytes = (position: number, length: number) => Promise<Buffer>;

/** A file of which parts can be read, and its size in bytes. */
export type FileReader = { read: ReadBytes; size: number };

/** Creates a reader of a file whose bytes are all in memory. */
export const createBufferReader = (bytes: Buffer): FileReader => ({
  size: bytes.length,
  read: async (position, length) => bytes.subarray(position, position + length),
});

/** More parts than this are read in no file. Tracks come early, or after one large part. */
const MAX_PARTS = 4000;

/**
 * Lists the kinds of the tracks in an ISO media file (MP4, QuickTime, 3GP, HEIF), as its handlers name them: `vide`,
 * `soun`, `pict`, `meta` and others. Empty if there are none, or they aren't where they belong.
 */
export async function listIsoTrackHandlers({ read, size }: FileReader): Promise<string[]> {
  const list = createBoxLister(read);
  const handlers: string[] = [];
  for await (const { start } of findNested(list, ["moov", "trak", "mdia", "hdlr"], { start: 0, end: size }))
    handlers.push((await read(start + 8, 4)).toString("latin1"));
  return handlers;
}

/** Lists the brands of an ISO media file, the major one first; empty if the file doesn't begin with them. */
export async function listIsoBrands({ read }: FileReader): Promise<string[]> {
  const head = await read(0, 512);
  if (head.length < 16 || head.toString("latin1", 4, 8) !== "ftyp") return [];
  const end = Math.min(head.readUInt32BE(0), head.length);
  const brands = [head.toString("latin1", 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString("latin1", at, at + 4));
  return brands;
}

/** The ids of a Matroska segment, its tracks, one of them, and its type. */
const TRACK_TYPE_PATH = ["18538067", "1654ae6b", "ae", "83"];

/** Lists the kinds of the tracks in a Matroska or WebM file: 1 is picture, 2 is sound. */
export async function listMatroskaTrackTypes({ read, size }: FileReader): Promise<number[]> {
  const types: number[] = [];
  for await (const { start, end } of findNested(createElementLister(read), TRACK_TYPE_PATH, {
    start: 0,
    end: size,
  }))
    types.push((await read(start, Math.min(end - start, 8))).reduce((sum, byte) => sum * 256 + byte, 0));
  return types;
}

const FILE_BOXES = new Set("ftyp moov mdat free skip wide moof mfra sidx styp pdin prft".split(" "));
/** Boxes of metadata that MediaInfo reads. */
const USER_DATA_BOXES =
  /^(\xa9...|meta|name|auth|titl|cprt|dscp|perf|gnre|yrrc|loci|albm|date|hnti|hinf|chpl)$/s;

/**
 * Checks for boxes in an ISO media file that hold neither picture nor sound and that MediaInfo doesn't read, such as
 * those of cameras. False for other files.
 */
export async function hasUnknownIsoBoxes({ read, size }: FileReader): Promise<boolean> {
  const file = { start: 0, end: size };
  const list = createBoxLister(read);
  let lastEnd = 0;
  for await (const { name, end } of list(file)) {
    if (!FILE_BOXES.has(name)) return lastEnd > 0;
    lastEnd = end;
  }
  for await (const userData of findNested(list, ["moov", "udta"], file))
    for await (const { name } of list(userData)) if (!USER_DATA_BOXES.test(name)) return true;
  return false;
}

type ByteRange = { start: number; end: number };
/** The type or id of a part, and where its content is. */
type Part = ByteRange & { name: string };
type ListParts = (range: ByteRange) => AsyncGenerator<Part>;

/** Finds the parts at the end of a path of names. */
async function* findNested(
  list: ListParts,
  [name, ...inner]: string[],
  range: ByteRange,
): AsyncGenerator<Part> {
  for await (const part of list(range)) {
    if (part.name !== name) continue;
    if (inner.length === 0) yield part;
    else yield* findNested(list, inner, part);
  }
}

/** Creates a function that lists boxes; it lists at most `MAX_PARTS` in all. */
function createBoxLister(read: ReadBytes): ListParts {
  let partsLeft = MAX_PARTS;
  return async function* ({ start, end }) {
    for (let at = start; at + 8 <= end && partsLeft > 0; partsLeft -= 1) {
      const head = await read(at, 16);
      if (head.length < 8) return;
      const isLong = head.readUInt32BE(0) === 1 && head.length === 16;
      const length = isLong ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0) || end - at;
      const content = at + (isLong ? 16 : 8);
      if (at + length < content) return;
      at += length;
      yield { name: head.toString("latin1", 4, 8), start: content, end: Math.min(at, end) };
    }
  };
}

/** Like `createBoxLister`, for the elements of Matroska, which it names by their id in hexadecimal digits. */
function createElementLister(read: ReadBytes): ListParts {
  let partsLeft = MAX_PARTS;
  return async function* ({ start, end }) {
    for (let at = start; at < end && partsLeft > 0; partsLeft -= 1) {
      const head = await read(at, 12);
      const idLength = countVintBytes(head[0]);
      const headLength = idLength + countVintBytes(head[idLength]);
      if (idLength > 4 || headLength > head.length) return;
      const name = head.toString("hex", 0, idLength);
      // What is recorded live has no length: it lasts until the end.
      const length = readVint(head.subarray(idLength, headLength)) ?? Infinity;
      const content = at + headLength;
      at = content + length;
      yield { name, start: content, end: Math.min(at, end) };
    }
  };
}

/** The length of a number is in the leading zeros of its first byte. */
const countVintBytes = (first = 0): number => Math.clz32(first) - 23;

/** Returns null where all bits are set: the length isn't known. */
function readVint(bytes: Buffer): number | null {
  const [first = 0, ...others] = bytes;
  const mask = 0xff >> bytes.length;
  const isUnknown = (first & mask) === mask && others.every((byte) => byte === 0xff);
  return isUnknown ? null : others.reduce((sum, byte) => sum * 256 + byte, first & mask);
}
