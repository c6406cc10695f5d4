/** A bitmap (BMP) without metadata, and the names of the fields that it lost. */
type CleanBitmap = { copy: Buffer; names: string[] };

/** How much of each kind of header describes the picture. What follows is a color profile or for printers. */
const PICTURE_HEADER_BYTES: Record<number, number | undefined> = {
  12: 12,
  40: 40,
  52: 52,
  56: 56,
  64: 40,
  108: 108,
  124: 108,
};
const FILE_HEADER_BYTES = 14;
const V4_HEADER_BYTES = 108;
const SRGB = 0x73524742;
const LINKED_PROFILE = 0x4c494e4b;
/** The bytes of the color masks that follow a header of 40 bytes, by its compression. */
const MASK_BYTES: Record<number, number | undefined> = { 3: 12, 6: 16 };

/**
 * Rewrites a bitmap with its header, colors and pixels only, without its color profile and what lies between or behind
 * these. The pixels stay as they are, so a bitmap with nothing else comes out the same.
 * @throws Error when the bitmap is broken or of an unknown kind
 */
export function stripBitmapMetadata(bytes: Buffer): CleanBitmap {
  const header = readHeader(bytes);
  const head = Buffer.from(bytes.subarray(FILE_HEADER_BYTES, FILE_HEADER_BYTES + header.remainingBytes));
  head.writeUInt32LE(header.remainingBytes);
  const hasProfile = header.remainingBytes === V4_HEADER_BYTES;
  const isLinked = hasProfile && head.readUInt32LE(56) === LINKED_PROFILE;
  if (hasProfile) head.fill(0, 60).writeUInt32LE(SRGB, 56);
  const colorsAt = FILE_HEADER_BYTES + header.bytes;
  const colors = bytes.subarray(colorsAt, colorsAt + header.colorBytes);
  const pixels = readPixels(bytes, header);
  const start = Buffer.alloc(FILE_HEADER_BYTES);
  start.write("BM");
  start.writeUInt32LE(start.length + head.length + colors.length, 10);
  start.writeUInt32LE(start.length + head.length + colors.length + pixels.length, 2);
  return { copy: Buffer.concat([start, head, colors, pixels]), names: isLinked ? ["Author"] : [] };
}

type BitmapHeader = {
  bytes: number;
  remainingBytes: number;
  /** Masks and palette. */
  colorBytes: number;
  pixelsAt: number;
  pixelBytes: number;
  /** Null where pixels are compressed, and rows have no fixed length. */
  row: { usedBytes: number; bytes: number } | null;
};

function readHeader(bytes: Buffer): BitmapHeader {
  const headerBytes = bytes.readUInt32LE(14);
  const remainingBytes = PICTURE_HEADER_BYTES[headerBytes];
  if (!remainingBytes) throw new Error("This bitmap has an unknown header.");
  const isOld = headerBytes === 12;
  const [width, height, depth] = isOld
    ? [bytes.readUInt16LE(18), bytes.readUInt16LE(20), bytes.readUInt16LE(24)]
    : [bytes.readInt32LE(18), Math.abs(bytes.readInt32LE(22)), bytes.readUInt16LE(28)];
  const compression = isOld ? 0 : bytes.readUInt32LE(30);
  const isKnown = [0, 1, 2].includes(compression) || (headerBytes !== 64 && MASK_BYTES[compression]);
  if (!isKnown || width < 1 || height < 1)
    throw new Error("This bitmap is broken, or holds another picture.");
  const colorCount = (isOld ? 0 : bytes.readUInt32LE(46)) || (depth <= 8 ? 2 ** depth : 0);
  if (colorCount > 256) throw new Error("This bitmap has too many colors.");
  const maskBytes = headerBytes === 40 ? (MASK_BYTES[compression] ?? 0) : 0;
  const isRunLength = compression === 1 || compression === 2;
  const row = { usedBytes: Math.ceil((depth * width) / 8), bytes: Math.ceil((depth * width) / 32) * 4 };
  return {
    bytes: headerBytes,
    remainingBytes,
    colorBytes: maskBytes + colorCount * (isOld ? 3 : 4),
    pixelsAt: bytes.readUInt32LE(10),
    pixelBytes: isRunLength ? bytes.readUInt32LE(34) : row.bytes * height,
    row: isRunLength ? null : row,
  };
}

/** Rows are padded to four bytes, with whatever was in the memory of the program. */
function readPixels(bytes: Buffer, { pixelsAt, pixelBytes, row }: BitmapHeader): Buffer {
  if (pixelBytes < 1 || pixelsAt + pixelBytes > bytes.length) throw new Error("This bitmap breaks off.");
  const pixels = Buffer.from(bytes.subarray(pixelsAt, pixelsAt + pixelBytes));
  if (row && row.usedBytes < row.bytes)
    for (let at = 0; at < pixels.length; at += row.bytes) pixels.fill(0, at + row.usedBytes, at + row.bytes);
  return pixels;
}
