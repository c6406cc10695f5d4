import type { UploadRule } from "#lib/operation/operation.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { MAX_LOGO_OR_AVATAR_BYTES } from "#lib/files/logo-limits.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { rollBackStoredFiles } from "#lib/files/storage/removal.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";

/** One file in the field `logo`, up to 2 MiB (contract 9.4). */
export const LOGO_UPLOAD_RULE: UploadRule = {
  fields: ["logo"],
  maxFiles: 1,
  maxBytesEach: MAX_LOGO_OR_AVATAR_BYTES,
  maxBytesTotal: MAX_LOGO_OR_AVATAR_BYTES,
};

/** A stored logo as its row describes it; size in bytes. */
export type StoredLogo = { key: string; type: string; size: number };

/**
 * Makes the uploaded image safe to show, stores it, and then calls `save` to write the row that names it. If `save`
 * fails, removes the file. `field` is the name of the upload field.
 * @throws InvalidInputError without a file; AppError PAYLOAD_TOO_LARGE, UNSUPPORTED_FILE_TYPE, IMAGE_TOO_LARGE,
 *   STORAGE_UNAVAILABLE; what `save` throws
 */
export async function storeLogoThenSaveRow<T>(
  files: readonly UploadedFile[],
  save: (logo: StoredLogo) => Promise<T>,
  field = "logo",
): Promise<T> {
  const [file] = files;
  if (!file) throw new InvalidInputError({ [field]: createFieldProblem("missing") });
  // The image library takes 19 MB, and most processes never see a logo.
  const { reencodeLogoOrAvatarAsWebp } = await import("#lib/files/cleaning/images.ts");
  const { path, type, size } = await reencodeLogoOrAvatarAsWebp(file.path);
  const key = createStorageKey();
  await getFileStorage().put(key, path, type);
  try {
    return await save({ key, type, size });
  } catch (error) {
    await rollBackStoredFiles([key], error);
    throw error;
  }
}
