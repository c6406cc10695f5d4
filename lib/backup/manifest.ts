import { z } from "zod";
import type { ArchiveReader } from "./archive.ts";

/** The description of a backup: `manifest.json`, the last member of the archive. */

/** The only format so far; other numbers are refused. */
export const BACKUP_MANIFEST_VERSION = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.int().min(0);

/** A file that was missing, differed from its row or could not be read; `ReferencedFile` describes the members. */
const FaultyFile = z.object({
  key: z.string(),
  part: z.string(),
  id: z.uuid(),
  incidentId: z.uuid().nullable(),
});

export const BackupManifest = z.object({
  format: z.literal(BACKUP_MANIFEST_VERSION),
  /** Time of the snapshot: the backup contains what was committed by then, in database and files alike. */
  takenAt: z.iso.datetime(),
  /** The version of Heed. */
  version: z.string(),
  /** The migrations that the database had, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: sha256 })),
  tables: z.array(z.object({ name: z.string(), rows: z.int().min(0), bytes, sha256 })),
  /** The last number that each sequence returned. */
  sequences: z.array(z.object({ name: z.string(), last: z.string().regex(/^\d+$/) })),
  files: z.array(z.object({ key: z.uuid(), bytes, sha256 })),
  /** Files that rows name but that didn't exist: the archive lacks them. */
  missing: z.array(FaultyFile).default([]),
  /** Evidence that differed from what was uploaded: the archive holds it as it was found. */
  damaged: z.array(FaultyFile).default([]),
  /** Files that could not be read, with the code of the error: the archive lacks them. */
  unreadable: z.array(FaultyFile.extend({ code: z.string() })).default([]),
  keys: z.object({
    /** Fingerprints that identify the right keys without revealing them; see keys.ts. */
    data: z.string(),
    evidence: z.array(z.string()),
    /** Whether the archive holds the data key, sealed with a passphrase. */
    sealed: z.boolean(),
  }),
});

export type BackupManifest = z.infer<typeof BackupManifest>;
export type ManifestTable = BackupManifest["tables"][number];

export const buildTableArchiveMemberName = ({ name }: { name: string }): string => `tables/${name}.jsonl`;

/**
 * Reads the manifest of a backup. @throws Error in plain words when the archive isn't a backup, or has another format
 */
export async function readManifest(archive: ArchiveReader): Promise<BackupManifest> {
  const parsed = BackupManifest.safeParse(parseJson(await archive.text("manifest.json")));
  if (!parsed.success)
    throw new Error("This is not a backup that this version of Heed can read.", { cause: parsed.error });
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads every member to its end.
 * @throws Error naming the first that differs from what was written
 */
export async function verifyBackupArchive(archive: ArchiveReader, manifest: BackupManifest): Promise<void> {
  for (const table of manifest.tables) await archive.check(buildTableArchiveMemberName(table), table);
  for (const file of manifest.files) await archive.check(`files/${file.key}`, file);
}
