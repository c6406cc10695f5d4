import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import sharp, { type Metadata } from "sharp";
import { AppError } from "#lib/operation/errors.ts";
import { cannotStore } from "#lib/files/storage/failures.ts";

/** Limits of logos and avatars (contract 9.4). */
export const LOGO_MAX_BYTES = 2 * 1024 * 1024;
const LOGO_MAX_SIDE = 4096;
/** The longest side that is kept. */
const KEPT_SIDE = 1024;
const SOURCES = new Set(["image/png", "image/apng", "image/jpeg", "image/webp"]);
const PNG = /^image\/a?png$/;
/** The last chunk of a PNG, with its checksum. The decoder does without it; what was cut off in transfer has none. */
const PNG_END = Buffer.from("49454e44ae426082", "hex");

type ReencodedImage = {
  path: string;
  type: "image/webp";
  width: number;
  height: number;
  size: number;
  etag: string;
};

// An uploaded image is looked at once: nothing is worth caching, and one thread an image keeps the rest
// of the machine answering requests.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Makes a logo or avatar safe to show: decoded and encoded anew, so that no byte of the upload is served.
 * Orientation is applied, metadata (places, cameras, names) is dropped, of an animation the first frame is
 * kept, and at most 1024 pixels a side. The result is WebP beside the source: every browser shows it, it
 * keeps transparency, and it is small for photographs and drawings alike, where PNG would be large for the
 * first and JPEG would lose the background of the second.
 * @throws AppError PAYLOAD_TOO_LARGE (413), UNSUPPORTED_FILE_TYPE (415), IMAGE_TOO_LARGE (400)
 */
export async function reencodeLogo(path: string): Promise<ReencodedImage> {
  if ((await stat(path)).size > LOGO_MAX_BYTES)
    throw new AppError("PAYLOAD_TOO_LARGE", "The image is larger than 2 MiB.");
  const source = (await fileTypeFromFile(path))?.mime ?? "";
  if (!SOURCES.has(source)) throw unusable();
  if (PNG.test(source) && !(await readFile(path)).includes(PNG_END)) throw unusable();
  checkSides(await header(path));
  const { data, info } = await encode(path);
  const target = `${path}.webp`;
  await writeFile(target, data, { mode: 0o600 }).catch((error: unknown) => {
    throw cannotStore(error, "temporary");
  });
  const etag = `"${createHash("sha256").update(data).digest("base64url").slice(0, 27)}"`;
  return {
    path: target,
    type: "image/webp",
    width: info.width,
    height: info.height,
    size: data.length,
    etag,
  };
}

const open = (path: string) =>
  sharp(path, {
    failOn: "error",
    sequentialRead: true,
    limitInputPixels: LOGO_MAX_SIDE * LOGO_MAX_SIDE,
    pages: 1,
  });

/** Reads the header only: a picture of a billion pixels costs nothing here. */
async function header(path: string): Promise<Metadata> {
  try {
    return await open(path).metadata();
  } catch (error) {
    throw /pixel limit|too large|exceeds/i.test((error as Error).message) ? tooLarge() : unusable();
  }
}

function checkSides({ width, height }: Metadata): void {
  if (width < 1 || height < 1) throw unusable();
  if (width > LOGO_MAX_SIDE || height > LOGO_MAX_SIDE) throw tooLarge();
}

async function encode(path: string) {
  try {
    return await open(path)
      .autoOrient()
      .resize({ width: KEPT_SIDE, height: KEPT_SIDE, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .webp({ quality: 88, alphaQuality: 100, smartSubsample: true })
      .timeout({ seconds: 20 })
      .toBuffer({ resolveWithObject: true });
  } catch {
    throw unusable();
  }
}

const unusable = (): AppError =>
  new AppError("UNSUPPORTED_FILE_TYPE", "This image can't be used.", "Send a whole PNG, JPEG or WebP image.");

const tooLarge = (): AppError =>
  new AppError(
    "IMAGE_TOO_LARGE",
    "This image has too many pixels.",
    `An image can have at most ${LOGO_MAX_SIDE} pixels a side.`,
  );
