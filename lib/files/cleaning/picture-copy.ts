import { readFile } from "node:fs/promises";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { isTruncatedHeif, cleanCopyTypeFor } from "./containers.ts";

/** More pixels than any camera of today takes are not decoded: such an image is kept as it came. */
const MAX_PIXELS = 64_000_000;
/** What decodes HEVC and what encodes AV1 hold each pixel several times, up to 16 bytes of it. */
const MAX_HEIF_PIXELS = 32_000_000;
const MAX_ENCODE_SECONDS = 20;

// Each image is looked at once, and images come one after the other.
sharp.cache(false);
sharp.concurrency(1);

/** Lossless where the format is, and else so good that nobody sees a difference. */
const ENCODERS: Record<string, ((image: Sharp) => Sharp) | undefined> = {
  // Tables made for the picture would save four bytes in a hundred, and hold all of it in memory.
  "image/jpeg": (image) => image.jpeg({ quality: 92, chromaSubsampling: "4:4:4", optimizeCoding: false }),
  "image/png": (image) => image.png({ compressionLevel: 6 }),
  "image/webp": (image) => image.webp({ quality: 90, alphaQuality: 100, effort: 2 }),
  "image/gif": (image) => image.gif({ effort: 3 }),
  "image/tiff": (image) => image.tiff({ compression: "lzw" }),
  "image/avif": (image) => image.avif({ quality: 75, effort: 2 }),
};

/**
 * Decodes a picture and encodes it anew into `target`: upright, in sRGB, with all its frames, and without a word
 * about it. Its type is that of `cleanCopyTypeFor`.
 * @returns whether it did; not for what it can't write, for too large ones, and for those of several pages
 * @throws Error when the picture can't be decoded to its end
 */
export async function reencodePicture(
  path: string,
  { mimetype, target }: { mimetype: string; target: string },
): Promise<boolean> {
  const encoder = ENCODERS[cleanCopyTypeFor(mimetype)];
  if (!encoder) return false;
  const { width, height, pages = 1, compression, icc } = await readHeader(path);
  const animated = mimetype === "image/gif" || mimetype === "image/webp";
  if (width * height * pages > MAX_PIXELS || (pages > 1 && !animated)) return false;
  if (compression && width * height > MAX_HEIF_PIXELS) return false;
  const image = compression === "hevc" ? await decodeHevc(path, icc) : openPicture(path, { animated });
  await encoder(image.autoOrient().toColourspace("srgb"))
    .timeout({ seconds: MAX_ENCODE_SECONDS })
    .toFile(target);
  return true;
}

/** Reads the header only, which has no limit of pixels: what is too large is told from what is broken. */
const readHeader = (path: string) => sharp(path, { failOn: "error", limitInputPixels: false }).metadata();

const openPicture = (path: string, more: SharpOptions): Sharp =>
  sharp(path, { failOn: "error", sequentialRead: true, limitInputPixels: MAX_PIXELS, ...more });

/** The picture of a HEIC, upright: sharp comes without what decodes it. @throws Error when it can't be read */
async function decodeHevc(path: string, profile: Buffer | undefined): Promise<Sharp> {
  const { default: libheif } = await import("libheif-js/libheif-wasm/libheif-bundle.mjs");
  const { HeifDecoder } = await libheif();
  const bytes = await readFile(path);
  // Its decoder would leave what is missing grey, and say nothing.
  if (isTruncatedHeif(bytes)) throw new Error("This file breaks off.");
  const [image, ...others] = new HeifDecoder().decode(bytes);
  if (!image || others.length > 0) throw new Error("This file holds no picture, or several.");
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

/** Bytes of a PNG up to the end of its header. */
const PNG_HEADER_BYTES = 33;

/** A PNG with a colour profile. Pixels have none: phones mean theirs in wider colours, which would turn pale. */
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
