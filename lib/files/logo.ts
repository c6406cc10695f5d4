import type { UploadRule } from "#lib/operation/operation.ts";
import { InvalidInput } from "#lib/operation/errors.ts";
import { LOGO_MAX_BYTES, reencodeLogo } from "#lib/files/cleaning/images.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { takeBack } from "#lib/files/storage/removal.ts";
import { newKey, storage } from "#lib/files/storage/storage.ts";

/** One file in the field `logo`, up to 2 MiB (contract 9.4). */
export const LOGO_UPLOAD: UploadRule = {
  fields: ["logo"],
  maxFiles: 1,
  maxBytesEach: LOGO_MAX_BYTES,
  maxBytesTotal: LOGO_MAX_BYTES,
};

/** A logo in the storage, as its row names it; size in bytes. */
export type StoredLogo = { key: string; type: string; size: number };

/**
 * Makes the uploaded image safe to show, stores it, and then has `save` write the row that names it. When
 * that fails, the file is taken back. `field` is what the upload calls it.
 * @throws InvalidInput without a file; AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_FILE_TYPE, IMAGE_TOO_LARGE,
 *   STORAGE_UNAVAILABLE; what `save` throws
 */
export async function withStoredLogo<T>(
  files: readonly UploadedFile[],
  save: (logo: StoredLogo) => Promise<T>,
  field = "logo",
): Promise<T> {
  const [file] = files;
  if (!file) throw new InvalidInput({ [field]: "is missing" });
  const { path, type, size } = await reencodeLogo(file.path);
  const key = newKey();
  await storage().put(key, path, type);
  try {
    return await save({ key, type, size });
  } catch (error) {
    await takeBack([key], error);
    throw error;
  }
}
