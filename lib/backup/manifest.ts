import { z } from "zod";
import type { ArchiveReader } from "./archive.ts";

/** What a backup says about itself: the last member of the archive, `manifest.json`. */

/** The only format there is so far; another number is refused. */
export const MANIFEST_FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.int().min(0);

/** A file that was not what its row said; see named-files.ts. */
const FaultyFileSchema = z.object({
  key: z.string(),
  part: z.string(),
  id: z.uuid(),
  incidentId: z.uuid().nullable(),
});
export type FaultyFile = z.infer<typeof FaultyFileSchema>;

export const Manifest = z.object({
  format: z.literal(MANIFEST_FORMAT),
  /** The moment of the snapshot: what was committed by then is in it, database and files alike. */
  takenAt: z.iso.datetime(),
  /** Of Heed. */
  version: z.string(),
  /** The migrations that the database had, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: sha256 })),
  tables: z.array(z.object({ name: z.string(), rows: z.int().min(0), bytes, sha256 })),
  /** The last number that each sequence has given. */
  sequences: z.array(z.object({ name: z.string(), last: z.string().regex(/^\d+$/) })),
  files: z.array(z.object({ key: z.uuid(), bytes, sha256 })),
  /** Files that rows name and that were not there: the archive lacks them. */
  missing: z.array(FaultyFileSchema).default([]),
  /** Evidence that was not what had been uploaded: the archive holds it as it was. */
  damaged: z.array(FaultyFileSchema).default([]),
  keys: z.object({
    /** By which the right keys are known without telling them; see keys.ts. */
    data: z.string(),
    evidence: z.array(z.string()),
    /** Is the data key in the archive, sealed with a passphrase? */
    sealed: z.boolean(),
  }),
});

export type Manifest = z.infer<typeof Manifest>;
export type ManifestTable = Manifest["tables"][number];

export const tableMemberName = ({ name }: { name: string }): string => `tables/${name}.jsonl`;

/** @throws Error in plain words when the archive isn't a backup, or one of another format */
export async function readManifest(archive: ArchiveReader): Promise<Manifest> {
  const parsed = Manifest.safeParse(parseJson(await archive.text("manifest.json")));
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

/** Reads every member to its end. @throws Error naming the first that isn't what was written */
export async function checkArchive(archive: ArchiveReader, manifest: Manifest): Promise<void> {
  for (const table of manifest.tables) await archive.check(tableMemberName(table), table);
  for (const file of manifest.files) await archive.check(`files/${file.key}`, file);
}
