/** Returns the type of a picture's cleaned copy. HEIC and HEIF can be read but not written, so they become JPEG. */
export const chooseCleanCopyType = (mimetype: string): string =>
  /^image\/hei[cf]$/.test(mimetype) ? "image/jpeg" : mimetype;

/**
 * Checks whether an image file holds its picture and nothing else: no EXIF, XMP, IPTC, comments, color profiles or
 * preview pictures, and no bytes after its end. Returns false for formats that it doesn't support and for files that
 * don't parse.
 */
export function isPictureMetadataFree(bytes: Buffer, mimetype: string): boolean {
  try {
    return METADATA_CHECKS[mimetype]?.(bytes) ?? false;
  } catch (error) {
    // A length field points past the end of the file.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const METADATA_CHECKS: Record<string, ((bytes: Buffer) => boolean) | undefined> = {
  "image/jpeg": isMetadataFreeJpeg,
  "image/png": isMetadataFreePng,
  "image/webp": isMetadataFreeWebp,
  "image/gif": isMetadataFreeGif,
};

/** JPEG markers of frames, of tables, of the start of a scan, and of the end of the image. */
const FRAME_MARKERS = new Set([
  0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf,
]);
const TABLE_MARKERS = new Set([0xdb, 0xdc, 0xdd]);
const [START_OF_SCAN, END_OF_IMAGE, COMMENT] = [0xda, 0xd9, 0xfe];

function isMetadataFreeJpeg(bytes: Buffer): boolean {
  let at = 2;
  for (;;) {
    const segment = readSegment(bytes, at);
    if (segment.marker === END_OF_IMAGE) return segment.start + 2 === bytes.length;
    if (segment.marker === START_OF_SCAN) at = findEndOfScan(bytes, segment.end);
    else if (
      FRAME_MARKERS.has(segment.marker) ||
      TABLE_MARKERS.has(segment.marker) ||
      isPlainHeader(bytes, segment)
    )
      at = segment.end;
    else return false;
  }
}

type Segment = { marker: number; start: number; end: number };

function readSegment(bytes: Buffer, at: number): Segment {
  if (bytes.readUInt8(at) !== 0xff) return { marker: 0, start: at, end: at };
  let start = at;
  while (bytes.readUInt8(start + 1) === 0xff) start += 1;
  const marker = bytes.readUInt8(start + 1);
  if (marker === END_OF_IMAGE) return { marker, start, end: start + 2 };
  return { marker, start, end: start + 2 + bytes.readUInt16BE(start + 2) };
}

/** Matches the JFIF header without its optional preview, and the Adobe color transform header. */
const isPlainHeader = (bytes: Buffer, { marker, start, end }: Segment): boolean =>
  (marker === 0xe0 && end - start === 18 && bytes.toString("latin1", start + 4, start + 8) === "JFIF") ||
  (marker === 0xee && end - start === 16 && bytes.toString("latin1", start + 4, start + 9) === "Adobe");

/** Finds the next marker that is neither a stuffed byte nor a restart marker. */
function findEndOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new RangeError("a scan without an end");
}

const PNG_CHUNKS = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT pHYs bKGD hIST cICP mDCV cLLI acTL fcTL fdAT".split(" "),
);

function isMetadataFreePng(bytes: Buffer): boolean {
  for (let at = 8; at < bytes.length;) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (!PNG_CHUNKS.has(type)) return false;
    at += 12 + bytes.readUInt32BE(at);
    if (type === "IEND") return at === bytes.length;
  }
  return false;
}

/** Checks for an animation in PNG or AVIF, which the encoders of the copies can't write. */
export function isAnimation(bytes: Buffer, mimetype: string): boolean {
  if (mimetype === "image/avif")
    return readSignature(bytes.subarray(8, 20)).includes("avis") || bytes.includes("moov");
  if (mimetype !== "image/png") return false;
  const [first, control] = [bytes.indexOf("IDAT"), bytes.indexOf("acTL")];
  return control >= 0 && control < first;
}

/** Major brands by which sharp recognizes HEIF and AVIF; it refuses files with others, such as `miaf`. */
const KNOWN_HEIF_BRANDS: Record<string, string | undefined> = {
  "image/heic": "heic",
  "image/heif": "mif1",
  "image/avif": "avif",
};

/** Returns a HEIF file with a major brand that tools recognize; any other file as it is. */
export function replaceUnknownHeifBrand(bytes: Buffer, mimetype: string): Buffer {
  const brand = KNOWN_HEIF_BRANDS[mimetype];
  if (!brand || bytes.toString("latin1", 4, 8) !== "ftyp") return bytes;
  const copy = Buffer.from(bytes);
  copy.write(brand, 8, "latin1");
  return copy;
}

/** Checks whether a HEIF file ends before the picture data that its boxes announce. */
export function isTruncatedHeif(bytes: Buffer): boolean {
  for (let at = 0; at + 16 <= bytes.length;) {
    const [short, type] = [bytes.readUInt32BE(at), bytes.toString("latin1", at + 4, at + 8)];
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short || bytes.length - at;
    if (size < 8) return false;
    if (at + size > bytes.length) return type === "mdat" || type === "meta";
    at += size;
  }
  return false;
}

const WEBP_CHUNKS = new Set(["VP8 ", "VP8L", "VP8X", "ALPH"]);

function isMetadataFreeWebp(bytes: Buffer): boolean {
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return false;
  let at = 12;
  while (at < bytes.length) {
    if (!WEBP_CHUNKS.has(bytes.toString("latin1", at, at + 4))) return false;
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return at === bytes.length;
}

function isMetadataFreeGif(bytes: Buffer): boolean {
  let at = 13 + countColorTableBytes(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return at + 1 === bytes.length;
    if (block === 0x2c) at = findEndOfBlocks(bytes, at + 11 + countColorTableBytes(bytes.readUInt8(at + 9)));
    else if (block === 0x21 && isPlainExtension(bytes, at)) at = findEndOfBlocks(bytes, at + 2);
    else return false;
  }
}

const countColorTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Matches the GIF extensions that hold only frame durations and the repeat count. */
const isPlainExtension = (bytes: Buffer, at: number): boolean =>
  bytes.readUInt8(at + 1) === 0xf9 ||
  (bytes.readUInt8(at + 1) === 0xff &&
    ["NETSCAPE2.0", "ANIMEXTS1.0"].includes(bytes.toString("latin1", at + 3, at + 14)));

/**
 * Checks for a comment in a JPEG or a GIF, where ExifReader doesn't look. True for one that can't be read to its end;
 * false for other formats.
 */
export function hasPictureComment(bytes: Buffer): boolean {
  try {
    if (bytes.subarray(0, 2).equals(JPEG_START)) return hasJpegComment(bytes);
    return SIGNATURES["image/gif"]?.test(readSignature(bytes)) === true && hasGifComment(bytes);
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

function hasJpegComment(bytes: Buffer): boolean {
  for (let at = 2; ;) {
    const { marker, end } = readSegment(bytes, at);
    if (marker === END_OF_IMAGE) return false;
    if (marker === COMMENT || marker === 0) return true;
    at = marker === START_OF_SCAN ? findEndOfScan(bytes, end) : end;
  }
}

/** A GIF has comments, and texts that are drawn over its frames. */
function hasGifComment(bytes: Buffer): boolean {
  let at = 13 + countColorTableBytes(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return false;
    if (block === 0x2c) at = findEndOfBlocks(bytes, at + 11 + countColorTableBytes(bytes.readUInt8(at + 9)));
    else if (block === 0x21 && ![0xfe, 0x01].includes(bytes.readUInt8(at + 1)))
      at = findEndOfBlocks(bytes, at + 2);
    else return true;
  }
}

function findEndOfBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
  return at + 1;
}

/**
 * Returns a JPEG or PNG without its metadata (EXIF, XMP, IPTC, comments, previews, times, and bytes after its end),
 * with the picture data untouched. Returns a GIF or WebP as it is if it holds only its picture. Returns null for a GIF
 * or WebP that holds more, for a broken file (except a JPEG that breaks off within its scan), and for any other format.
 */
export function stripPictureMetadata(bytes: Buffer): Buffer | null {
  if (bytes.subarray(0, 2).equals(JPEG_START)) {
    const { picture, whole } = keepPictureSegments(bytes);
    return whole ? picture : null;
  }
  if (bytes.subarray(0, 8).equals(PNG_START)) return stripPngMetadata(bytes);
  const known = ["image/gif", "image/webp"].find((mimetype) =>
    SIGNATURES[mimetype]?.test(readSignature(bytes)),
  );
  return known && isPictureMetadataFree(bytes, known) ? bytes : null;
}

const JPEG_START = Buffer.from("ffd8", "hex");
const PNG_START = Buffer.from("89504e470d0a1a0a", "hex");
const SIGNATURES: Record<string, RegExp> = { "image/gif": /^GIF8[79]a/, "image/webp": /^RIFF.{4}WEBP/s };
const readSignature = (bytes: Buffer): string => bytes.toString("latin1", 0, 12);

/**
 * Returns a JPEG without its metadata segments and trailing bytes. The length is unchanged if there are none.
 * @throws Error when the bytes aren't a JPEG or are broken
 */
export function stripJpegMetadata(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 2).equals(JPEG_START)) throw new Error("This is no JPEG.");
  const { picture, whole } = keepPictureSegments(bytes);
  if (!whole) throw new Error("This JPEG is broken.");
  return picture;
}

/**
 * Checks whether a JPEG 2000 file (ISO 15444-1) holds its picture and nothing else: no XMP, no unknown boxes, no
 * comments.
 */
export function isMetadataFreeJpeg2000(bytes: Buffer): boolean {
  try {
    return bytes.readUInt16BE(0) === J2K_MARKERS.start
      ? isMetadataFreeCodestream(bytes)
      : hasOnlyPictureBoxes(bytes);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const J2K_MARKERS = { start: 0xff4f, comment: 0xff64, tile: 0xff90, data: 0xff93, end: 0xffd9 };
const J2K_BOXES = new Set(["jP  ", "ftyp", "jp2h"]);

function hasOnlyPictureBoxes(bytes: Buffer): boolean {
  for (let at = 0; ;) {
    const [length, type] = [bytes.readUInt32BE(at), bytes.toString("latin1", at + 4, at + 8)];
    if (type === "jp2c") {
      if (length !== 0 && at + length !== bytes.length) return false;
      return isMetadataFreeCodestream(bytes.subarray(at + 8));
    }
    if (!J2K_BOXES.has(type) || length < 8) return false;
    at += length;
  }
}

/** Header segments have a length. A tile's header is followed by its data, up to the length that the header states. */
function isMetadataFreeCodestream(bytes: Buffer): boolean {
  let [at, tile] = [2, 0];
  for (;;) {
    const marker = bytes.readUInt16BE(at);
    if (marker === J2K_MARKERS.end) return at + 2 === bytes.length;
    if (marker === J2K_MARKERS.comment) return false;
    if (marker === J2K_MARKERS.data) {
      // The last tile may state no length.
      const length = bytes.readUInt32BE(tile + 6);
      const next = length === 0 ? bytes.length - 2 : tile + length;
      if (next <= at) return false;
      at = next;
      continue;
    }
    if (marker === J2K_MARKERS.tile) tile = at;
    if (marker >> 8 !== 0xff) return false;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
}

/**
 * Returns the JPEG segments that hold the picture, and whether the file is `whole`: it consists of segments up to the
 * end of the picture. A file that breaks off within its scan counts as whole.
 */
function keepPictureSegments(bytes: Buffer): { picture: Buffer; whole: boolean } {
  const segments = [bytes.subarray(0, 2)];
  let at = 2;
  try {
    for (;;) {
      const segment = readSegment(bytes, at);
      const { marker } = segment;
      if (marker === 0 || segment.end > bytes.length) break;
      at = marker === START_OF_SCAN ? findEndOfScanOrFile(bytes, segment.end) : segment.end;
      if (isPictureSegment(bytes, segment)) segments.push(bytes.subarray(segment.start, at));
      if (marker === END_OF_IMAGE || at === bytes.length)
        return { picture: Buffer.concat(segments), whole: true };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  // The rest can't be split into segments, so what it holds isn't known.
  return { picture: Buffer.concat([...segments, bytes.subarray(at)]), whole: false };
}

/** A truncated picture has no end of its scan, so the end of the file is used. */
function findEndOfScanOrFile(bytes: Buffer, from: number): number {
  try {
    return findEndOfScan(bytes, from);
  } catch (error) {
    if (error instanceof RangeError) return bytes.length;
    throw error;
  }
}

/** Matches frames, tables and scans. An ICC profile is none of these: it can name a screen, and so its owner. */
const isPictureSegment = (bytes: Buffer, segment: Segment): boolean =>
  FRAME_MARKERS.has(segment.marker) ||
  TABLE_MARKERS.has(segment.marker) ||
  segment.marker === START_OF_SCAN ||
  segment.marker === END_OF_IMAGE ||
  isPlainHeader(bytes, segment);

/** Returns a PNG without its metadata chunks and trailing bytes, or null if it is broken. */
function stripPngMetadata(bytes: Buffer): Buffer | null {
  const chunks = [bytes.subarray(0, 8)];
  for (let at = 8; at + 12 <= bytes.length;) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    if (PNG_CHUNKS.has(type)) chunks.push(bytes.subarray(at, end));
    if (type === "IEND") return Buffer.concat(chunks);
    at = end;
  }
  return null;
}
