import type { Tx } from "#lib/db.ts";
import { log } from "#lib/log.ts";
import type { UploadedFile } from "#lib/files/multipart.ts";
import { newKey, storage } from "#lib/files/storage.ts";
import { requireType } from "#lib/files/types.ts";

/** A file that is in place in the storage; its row comes next. Size in bytes. */
export type KeptFile = {
  storageKey: string;
  filename: string;
  mimetype: string;
  size: number;
  sha256: string;
};

/**
 * Checks each file by content and puts it into the storage: all of them or none.
 * @throws AppError UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE
 */
export async function keepFiles(uploads: readonly UploadedFile[]): Promise<KeptFile[]> {
  const types = await Promise.all(uploads.map((upload) => requireType(upload.path, upload.filename)));
  const kept: KeptFile[] = [];
  try {
    for (const [index, { path, filename, size, sha256 }] of uploads.entries()) {
      const mimetype = types[index]?.mimetype ?? "application/octet-stream";
      const storageKey = newKey();
      await storage().put(storageKey, path, mimetype);
      kept.push({ storageKey, filename, mimetype, size, sha256 });
    }
    return kept;
  } catch (error) {
    await dropFiles(kept);
    throw error;
  }
}

/** Takes files back whose rows never came. What can't be removed now is left to the sweeper. */
export async function dropFiles(files: readonly KeptFile[]): Promise<void> {
  for (const { storageKey } of files) {
    await storage()
      .remove(storageKey)
      .catch(() => log.warn("a file without a row is left to the sweeper"));
  }
}

type Evidence = { incidentId: string; eventId: string; uploadedById: string | null; files: KeptFile[] };

/** The rows of files that are in place, in the transaction of what they belong to. */
export async function insertEvidence(tx: Tx, { files, ...owner }: Evidence): Promise<void> {
  if (files.length === 0) return;
  // A millisecond apart, so that they stay in the order in which they were sent.
  const now = Date.now();
  await tx.relatedFile.createMany({
    data: files.map((file, index) => ({ ...file, ...owner, createdAt: new Date(now + index) })),
  });
}
