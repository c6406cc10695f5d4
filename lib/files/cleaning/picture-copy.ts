import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { isTruncatedHeif, chooseCleanCopyType } from "./containers.ts";
import type { LostPart } from "./lost-parts.ts";

/** Pictures with more pixels than this are not decoded, but kept as uploaded. */
const MAX_PIXELS = 64_000_000;
/** The HEVC decoder and the AV1 encoder hold up to 16 bytes for each pixel. */
const MAX_HEIF_PIXELS = 32_000_000;
const MAX_ENCODE_SECONDS = 20;

// Each image is processed once, and one after another.
sharp.cache(false);
sharp.concurrency(1);

/** Lossless where the format is; otherwise at a quality without visible loss. */
const ENCODERS: Record<string, ((image: Sharp) => Sharp) | undefined> = {
  // Optimized Huffman tables would save 4 % and need the whole picture in memory.
  "image/jpeg": (image) => image.jpeg({ quality: 92, chromaSubsampling: "4:4:4", optimizeCoding: false }),
  "image/png": (image) => image.png({ compressionLevel: 6 }),
  "image/webp": (image) => image.webp({ quality: 90, alphaQuality: 100, effort: 2 }),
  "image/gif": (image) => image.gif({ effort: 3 }),
  "image/tiff": (image) => image.tiff({ compression: "lzw" }),
  "image/avif": (image) => image.avif({ quality: 75, effort: 2 }),
};

/**
 * Decodes a picture and re-encodes it into `target`: upright, in sRGB, with all its frames and no metadata. The output
 * type is that of `chooseCleanCopyType`. Of a HEIC file with several pictures it takes the main one.
 * @param onSize called with the number of pixels before they are decoded
 * @returns what the copy lacks; null where none was made: for formats that can't be written, for pictures that are too
 *   large, and for those with several pages
 * @throws Error when the picture can't be decoded to its end
 */
export async function reencodePicture(
  bytes: Buffer,
  { mimetype, target, onSize }: { mimetype: string; target: string; onSize: (pixels: number) => void },
): Promise<{ lost: LostPart[] } | null> {
  const encoder = ENCODERS[chooseCleanCopyType(mimetype)];
  if (!encoder) return null;
  const { width, height, pages = 1, compression, icc } = await readHeader(bytes);
  const isHevc = compression === "hevc";
  const animated = mimetype === "image/gif" || mimetype === "image/webp";
  if (width * height * (isHevc ? 1 : pages) > MAX_PIXELS || (pages > 1 && !animated && !isHevc)) return null;
  if (compression && width * height > MAX_HEIF_PIXELS) return null;
  onSize(width * height * (isHevc ? 1 : pages));
  const image = isHevc ? await decodeHevc(bytes, icc) : openPicture(bytes, { animated });
  await encoder(image.autoOrient().toColourspace("srgb"))
    .timeout({ seconds: MAX_ENCODE_SECONDS })
    .toFile(target);
  return { lost: isHevc && pages > 1 ? ["pictures"] : [] };
}

/** Reads only the header, without a pixel limit, to distinguish too large files from broken ones. */
const readHeader = (bytes: Buffer) => sharp(bytes, { failOn: "error", limitInputPixels: false }).metadata();

const openPicture = (bytes: Buffer, more: SharpOptions): Sharp =>
  sharp(bytes, { failOn: "error", sequentialRead: true, limitInputPixels: MAX_PIXELS, ...more });

/**
 * Decodes the main picture of a HEIC file, upright; sharp comes without an HEVC decoder. @throws Error when it can't be read
 */
async function decodeHevc(bytes: Buffer, profile: Buffer | undefined): Promise<Sharp> {
  const { default: libheif } = await import("libheif-js/libheif-wasm/libheif-bundle.mjs");
  const { HeifDecoder } = await libheif();
  // The decoder fills missing data with gray and reports no error.
  if (isTruncatedHeif(bytes)) throw new Error("This file breaks off.");
  const image = new HeifDecoder().decode(bytes).find((one) => one.is_primary());
  if (!image) throw new Error("This file holds no picture.");
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > MAX_HEIF_PIXELS) throw new Error("This picture is too large.");
  const data = new Uint8ClampedArray(width * height * 4);
  await new Promise<void>((resolve, reject) => {
    image.display({ data, width, height }, (shown) =>
      shown ? resolve() : reject(new Error("This picture is broken.")),
    );
  });
  image.free();
  const pixels = sharp(data, { raw: { width, height, channels: 4 } }).flatten({ background: "#fff" });
  return profile
    ? sharp(addColorProfile(await pixels.png({ compressionLevel: 0 }).toBuffer(), profile))
    : pixels;
}

/** The number of bytes up to the end of a PNG's header. */
const PNG_HEADER_BYTES = 33;

/**
 * Adds a color profile to a PNG: raw pixels carry none. Phones use wider color spaces; without a profile, their colors
 * would look pale.
 */
function addColorProfile(png: Buffer, profile: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from("iCCPcolours\0\0"), deflateSync(profile)]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(named.length - 4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([
    png.subarray(0, PNG_HEADER_BYTES),
    length,
    named,
    sum,
    png.subarray(PNG_HEADER_BYTES),
  ]);
}
