import { connectClient } from "#lib/database/connections.ts";
import { SealedFileOpenError, unsealStream } from "#lib/crypto/sealed-file.ts";
import type { FileStorage } from "#lib/files/storage/storage.ts";
import { digestStream, assertSameDigest } from "./archive.ts";
import type { BackupManifest } from "./manifest.ts";
import { isDamagedOriginal, listReferencedFiles, type ReferencedFile } from "./referenced-files.ts";

type FileVerification = {
  files: number;
  originals: number;
  missing: ReferencedFile[];
  damaged: ReferencedFile[];
  unreadable: ReferencedFile[];
};
type VerificationSource = { url: string; storage: FileStorage; keys: readonly Buffer[] };

/**
 * Reads every restored file back from storage and compares it with the backup and with its row. Opens every sealed
 * original and compares it with what was uploaded.
 * @param source its `keys` open originals; without any, none is opened
 * @returns the numbers of files and of originals checked, and the files that were already missing, damaged or
 *   unreadable when the backup was taken
 * @throws Error naming the first that differs from the backup
 */
export async function verifyRestoredFiles(
  manifest: BackupManifest,
  source: VerificationSource,
): Promise<FileVerification> {
  for (const file of manifest.files)
    assertSameDigest(
      `files/${file.key}`,
      await digestStream((await source.storage.open(file.key)).stream),
      file,
    );
  const checksumsByKey = new Map(manifest.files.map(({ key, sha256 }) => [key, sha256]));
  const referencedFiles = await readReferencedFiles(source.url);
  const absent = referencedFiles.filter(({ key }) => !checksumsByKey.has(key));
  const unreadableKeys = new Set(manifest.unreadable.map(({ key }) => key));
  const missing = absent.filter(({ key }) => !unreadableKeys.has(key));
  const unreadable = absent.filter(({ key }) => unreadableKeys.has(key));
  const damaged: ReferencedFile[] = [];
  let originals = 0;
  for (const file of referencedFiles.filter(({ key }) => checksumsByKey.has(key))) {
    if (file.part === "original" && source.keys.length === 0) continue;
    if (file.part === "original") originals += 1;
    const found =
      file.part === "original" ? await digestOriginal(file, source) : checksumsByKey.get(file.key);
    if (file.sha256 !== null && found !== file.sha256) damaged.push(file);
  }
  return { files: manifest.files.length, originals, missing, damaged, unreadable };
}

/**
 * @returns undefined where the original was damaged
 * @throws Error when its key is missing
 */
async function digestOriginal(
  file: ReferencedFile,
  { storage, keys }: VerificationSource,
): Promise<string | undefined> {
  const { key } = file;
  try {
    return (await digestStream(await unsealStream((await storage.open(key)).stream, { name: key, keys })))
      .sha256;
  } catch (error) {
    if (!(error instanceof SealedFileOpenError)) throw error;
    if (isDamagedOriginal(file, error)) return undefined;
    throw new Error(
      `The sealed original ${key} can't be opened: its key is not here. Set EVIDENCE_KEYS as it was.`,
      { cause: error },
    );
  }
}

async function readReferencedFiles(url: string): Promise<ReferencedFile[]> {
  const client = await connectClient(url, { applicationName: "heed-restore" });
  try {
    return await listReferencedFiles(client);
  } finally {
    await client.end();
  }
}
