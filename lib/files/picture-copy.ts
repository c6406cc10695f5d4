import sharp, { type Sharp, type SharpOptions } from "sharp";

/** More pixels than any camera of today takes are not decoded: such an image is kept as it came. */
const MOST_PIXELS = 64_000_000;
const ENCODE_SECONDS = 20;

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
 * about it.
 * @returns whether it did; not for what it can't read, for broken and too large ones, and for those of several pages
 */
export async function copyPicture(
  path: string,
  { mimetype, target }: { mimetype: string; target: string },
): Promise<boolean> {
  const encoder = ENCODERS[mimetype];
  if (!encoder) return false;
  try {
    const { width, height, pages = 1 } = await opened(path, {}).metadata();
    const animated = mimetype === "image/gif" || mimetype === "image/webp";
    if (width * height * pages > MOST_PIXELS || (pages > 1 && !animated)) return false;
    const image = opened(path, { animated }).autoOrient().toColourspace("srgb");
    await encoder(image).timeout({ seconds: ENCODE_SECONDS }).toFile(target);
    return true;
  } catch {
    return false;
  }
}

const opened = (path: string, more: SharpOptions): Sharp =>
  sharp(path, { failOn: "error", sequentialRead: true, limitInputPixels: MOST_PIXELS, ...more });
