import { prisma, sql } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Returns which of these stored files a row still refers to: evidence, logos, avatars. The sweeper removes the rest.
 */
export async function listReferencedKeys(keys: string[]): Promise<Set<string>> {
  const rows = await sql.$queryRaw<{ key: string }[]>`
    select storage_key as key from related_files where storage_key = any(${keys}::text[])
    union select original_key from related_files where original_key = any(${keys}::text[])
    union select logo_key from organizations where logo_key = any(${keys}::text[])
    union select logo_key from events where logo_key = any(${keys}::text[])
    union select avatar_key from users where avatar_key = any(${keys}::text[])`;
  return new Set(rows.map(({ key }) => key));
}

/** What a download of a file's working copy needs. */
export type WorkingCopy = {
  id: string;
  filename: string;
  mimetype: string;
  size: number;
  /** Of the working copy, which may be another file than the original. */
  sha256: string;
  storageKey: string;
};

/** Finds the working copy of a file by its id and the place that it has to be in; null without a match. */
export async function findWorkingCopy(
  where: Prisma.RelatedFileWhereInput & { id: string },
): Promise<WorkingCopy | null> {
  const row = await prisma.relatedFile.findFirst({
    where,
    select: {
      id: true,
      filename: true,
      mimetype: true,
      size: true,
      sha256: true,
      copySha256: true,
      storageKey: true,
    },
  });
  if (!row) return null;
  const { copySha256, ...file } = row;
  return { ...file, sha256: copySha256 ?? file.sha256 };
}
