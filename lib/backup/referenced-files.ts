import type pg from "pg";
import type { SealedFileOpenError } from "#lib/crypto/sealed-file.ts";
import { STORAGE_KEY_COLUMNS } from "#lib/files/storage/key-columns.ts";

/** The stored files that rows refer to, and what these rows say about their content. */

export type ReferencedFile = {
  key: string;
  /** `file` and `original` are evidence; otherwise the table of the row that refers to it, such as `users`. */
  part: string;
  /** The id of the row that refers to the file. */
  id: string;
  incidentId: string | null;
  /** Hash of the stored bytes or, for an original, of its unsealed content; null where no row records one. */
  sha256: string | null;
  /** Id of the key that sealed an original; null where the row doesn't record one. */
  keyId: string | null;
};

/** Lists every stored file that a row refers to, in the order of their keys. */
export async function listReferencedFiles(client: pg.ClientBase): Promise<ReferencedFile[]> {
  const otherTables = STORAGE_KEY_COLUMNS.filter(([table]) => table !== "related_files").map(
    ([table, column]) =>
      `union all select ${column}, '${table}', id, null, null, null from public.${table} where ${column} is not null`,
  );
  const { rows } = await client.query<ReferencedFile>(
    `select storage_key as key, 'file' as part, id, incident_id as "incidentId", coalesce(copy_sha256, sha256) as sha256,
         null as "keyId" from public.related_files
     union all select original_key, 'original', id, incident_id, sha256, original_key_id from public.related_files
       where original_key is not null
     ${otherTables.join(" ")} order by 1`,
  );
  return rows;
}

/**
 * Checks whether an original that can't be opened is damaged. If its header names another key than its row, the header
 * is damaged; otherwise the key may just be missing on this machine.
 */
export const isDamagedOriginal = ({ keyId }: ReferencedFile, error: SealedFileOpenError): boolean =>
  error.code === "SEAL_DAMAGED" || (keyId !== null && keyId !== error.keyId);

export const isEvidenceFile = ({ part }: Pick<ReferencedFile, "part">): boolean =>
  part === "file" || part === "original";

const OWNER_LABELS: Record<string, string> = {
  organizations: "the logo of organization",
  events: "the logo of event",
  users: "the picture of account",
};

/** Describes a file by its ids, for whoever runs the service: `file … of incident …`. */
export function describeReferencedFile({
  part,
  id,
  incidentId,
}: Pick<ReferencedFile, "part" | "id" | "incidentId">): string {
  if (!isEvidenceFile({ part })) return `${OWNER_LABELS[part] ?? part} ${id}`;
  return `${part === "original" ? "the sealed original of file" : "file"} ${id} of incident ${incidentId}`;
}
