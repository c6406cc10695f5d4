import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { fileTypeFromFile } from "file-type";
import sharp, { type Metadata } from "sharp";
import { AppError } from "#lib/operation/errors.ts";
import { MAX_LOGO_OR_AVATAR_BYTES } from "#lib/files/logo-limits.ts";
import { toStorageWriteError } from "#lib/files/storage/failures.ts";

/** The longest accepted side of a logo or avatar, in pixels (contract 9.4). */
const MAX_LOGO_SIDE = 4096;
/** Longer sides are scaled down to this, in pixels. */
const MAX_OUTPUT_SIDE = 1024;
const ACCEPTED_TYPES = new Set(["image/png", "image/apng", "image/jpeg", "image/webp"]);
const PNG_TYPE = /^image\/a?png$/;
/**
 * The last chunk of a PNG, with its checksum. The decoder accepts files without it; a file cut off in transfer lacks
 * it.
 */
const PNG_END = Buffer.from("49454e44ae426082", "hex");

type ReencodedImage = {
  path: string;
  type: "image/webp";
  width: number;
  height: number;
  size: number;
  etag: string;
};

// Each image is processed once, so caching gains nothing. One thread per image leaves the other cores free to answer
// requests.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Makes a logo or avatar safe to show by decoding and re-encoding it, so that no byte of the upload is served. Applies
 * the orientation, drops metadata (places, cameras, names), keeps only the first frame of an animation, and limits each
 * side to 1024 pixels. The result is WebP: every browser shows it, it keeps transparency, and it is small for
 * photographs and drawings alike, whereas PNG is large for photographs and JPEG loses a drawing's transparent
 * background.
 * @throws AppError PAYLOAD_TOO_LARGE (413), UNSUPPORTED_FILE_TYPE (415), IMAGE_TOO_LARGE (400)
 */
export async function reencodeLogoOrAvatarAsWebp(path: string): Promise<ReencodedImage> {
  if ((await stat(path)).size > MAX_LOGO_OR_AVATAR_BYTES)
    throw new AppError("PAYLOAD_TOO_LARGE", "imageTooLarge");
  const source = (await fileTypeFromFile(path))?.mime ?? "";
  if (!ACCEPTED_TYPES.has(source)) throw createUnusableImageError();
  if (PNG_TYPE.test(source) && !(await readFile(path)).includes(PNG_END)) throw createUnusableImageError();
  checkSides(await readHeader(path));
  const { data, info } = await encodeWebp(path);
  const target = `${path}.webp`;
  await writeFile(target, data, { mode: 0o600 }).catch((error: unknown) => {
    throw toStorageWriteError(error, "temporary");
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

const openImage = (path: string) =>
  sharp(path, {
    failOn: "error",
    sequentialRead: true,
    limitInputPixels: MAX_LOGO_SIDE * MAX_LOGO_SIDE,
    pages: 1,
  });

/** Reads only the header, so a picture of a billion pixels costs nothing here. */
async function readHeader(path: string): Promise<Metadata> {
  try {
    return await openImage(path).metadata();
  } catch (error) {
    throw /pixel limit|too large|exceeds/i.test((error as Error).message)
      ? createImageTooLargeError()
      : createUnusableImageError();
  }
}

function checkSides({ width, height }: Metadata): void {
  if (width < 1 || height < 1) throw createUnusableImageError();
  if (width > MAX_LOGO_SIDE || height > MAX_LOGO_SIDE) throw createImageTooLargeError();
}

async function encodeWebp(path: string) {
  try {
    return await openImage(path)
      .autoOrient()
      .resize({ width: MAX_OUTPUT_SIDE, height: MAX_OUTPUT_SIDE, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .webp({ quality: 88, alphaQuality: 100, smartSubsample: true })
      .timeout({ seconds: 20 })
      .toBuffer({ resolveWithObject: true });
  } catch {
    throw createUnusableImageError();
  }
}

const createUnusableImageError = (): AppError => new AppError("UNSUPPORTED_FILE_TYPE", "imageUnusable");

const createImageTooLargeError = (): AppError =>
  new AppError("IMAGE_TOO_LARGE", "imageTooManyPixels", { max: MAX_LOGO_SIDE });
