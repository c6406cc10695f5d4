import { randomUUID } from "node:crypto";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/errors.ts";
import { clean } from "#lib/files/clean.ts";
import { cannotStore } from "#lib/files/failures.ts";
import { log } from "#lib/log.ts";
import type { UploadedFile } from "#lib/files/multipart.ts";
import type { CleanState, Reveal } from "#lib/files/reveals.ts";
import { storedKeys } from "#lib/files/rows.ts";
import { sealFile } from "#lib/files/seal.ts";
import { newKey, storage } from "#lib/files/storage.ts";
import { requireType } from "#lib/files/types.ts";
import { evidenceKeys } from "#lib/secrets.ts";
import type { Sql } from "#lib/sql.ts";

/** A file that is in place in the storage; its row comes next. Sizes in bytes. */
export type KeptFile = {
  storageKey: string;
  filename: string;
  mimetype: string;
  /** Of the copy that the team works with; of the upload itself where there is none. */
  size: number;
  /** Of what was uploaded. */
  sha256: string;
  copySha256: string | null;
  /** The sealed original, where the copy is another file. */
  originalKey: string | null;
  originalSize: number | null;
  cleanState: CleanState;
  reveals: Reveal[];
};

/**
 * What becomes of an upload of which a cleaned copy was made: it is sealed, or it is dropped, because it may tell
 * who sent an anonymous report (rulings R4).
 */
export type Originals = "seal" | "drop";

/**
 * Checks each file by content, cleans it, and puts it into the storage with its sealed original: all of them or
 * none.
 * @throws AppError UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE
 */
export async function keepFiles(uploads: readonly UploadedFile[], originals: Originals): Promise<KeptFile[]> {
  const types = await Promise.all(
    uploads.map(({ path, filename }, index) =>
      requireType(path, filename, uploads.length > 1 ? `File ${index + 1}` : "The file"),
    ),
  );
  const kept: KeptFile[] = [];
  try {
    for (const [index, upload] of uploads.entries()) {
      const { file, places } = await prepare(upload, types[index]?.mimetype ?? "", originals);
      if (originals === "drop") refuseTelling(file);
      // Listed first: what is in the storage when a put fails is taken back as well.
      kept.push(file);
      await putAll(places);
    }
    return kept;
  } catch (error) {
    await removeAll(keysOf(kept));
    throw error;
  }
}

/**
 * What can't be cleaned and tells of its sender can't come with an anonymous report: the team would have the place, the
 * device or the name (rulings R4).
 */
function refuseTelling({ cleanState, reveals }: KeptFile): void {
  if (cleanState !== "not_cleanable" || reveals.length === 0) return;
  throw new AppError(
    "UNSUPPORTED_FILE_TYPE",
    "A file can't be sent without a name.",
    `It tells of whoever made it (${reveals.join(", ")}), and that can't be taken out of this kind of file. Send a picture as JPEG or PNG, a screenshot of it for example, or leave the file out. Nothing was kept.`,
  );
}

type Place = { key: string; source: string; type: string };

async function prepare(
  { path, filename, size, sha256 }: UploadedFile,
  mimetype: string,
  originals: Originals,
): Promise<{ file: KeptFile; places: Place[] }> {
  const { state, reveals, copy } = await clean(path, mimetype);
  const sealed = copy && originals === "seal" ? await seal(path) : null;
  const file: KeptFile = {
    storageKey: newKey(),
    filename,
    mimetype,
    size: copy?.size ?? size,
    sha256,
    copySha256: copy?.sha256 ?? null,
    originalKey: sealed?.key ?? null,
    originalSize: sealed ? size : null,
    cleanState: state,
    reveals,
  };
  const working = { key: file.storageKey, source: copy?.path ?? path, type: mimetype };
  return { file, places: sealed ? [working, sealed] : [working] };
}

async function seal(path: string): Promise<Place> {
  const place = { key: newKey(), source: `${path}.sealed`, type: "application/octet-stream" };
  const [key] = evidenceKeys(env());
  await sealFile(path, place.source, { name: place.key, key }).catch((error: unknown) => {
    throw cannotStore(error, "temporary");
  });
  return place;
}

/** Both are waited for, so that nothing arrives after it was taken back. */
async function putAll(places: readonly Place[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    places.map(({ key, source, type }) => storage().put(key, source, type)),
  );
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}

/** The keys under which files lie in the storage, originals included. */
export const keysOf = (files: readonly Pick<KeptFile, "storageKey" | "originalKey">[]): string[] =>
  files.flatMap(({ storageKey, originalKey }) => (originalKey ? [storageKey, originalKey] : [storageKey]));

/**
 * Takes files back whose rows never came; looks for the rows first, since a connection that broke during the
 * commit doesn't tell how it ended. What can't be removed now is left to the sweeper.
 */
export async function dropFiles(files: readonly KeptFile[]): Promise<void> {
  const keys = keysOf(files);
  if (keys.length === 0) return;
  const named = await storedKeys(keys).catch(() => new Set(keys));
  await removeAll(keys.filter((key) => !named.has(key)));
}

async function removeAll(keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await storage()
      .remove(key)
      .catch(() => log.warn("a file without a row is left to the sweeper"));
  }
}

export type Evidence = {
  incidentId: string;
  eventId: string;
  uploadedById: string | null;
  files: readonly KeptFile[];
  description?: string | null;
  /** Files of the team are shown to the reporter only when they are shared. */
  visibleToReporter?: boolean;
};

/**
 * The rows of files that are in place, in the transaction of what they belong to. A trigger counts their bytes and
 * holds the event's counter until the commit, so that of uploads at the same time only those fit that do.
 * @returns the ids of the rows, in the order of the files
 * @throws AppError QUOTA_EXCEEDED
 */
export async function insertEvidence(tx: Sql, { files, ...shared }: Evidence): Promise<string[]> {
  if (files.length === 0) return [];
  const rows = files.map((file) => ({ id: randomUUID(), ...file }));
  const { incidentId, eventId, uploadedById, description = null, visibleToReporter = true } = shared;
  // A millisecond apart, so that they stay in the order in which they were sent.
  await tx.$executeRaw`
    insert into related_files (id, incident_id, event_id, filename, mimetype, size, sha256, copy_sha256, storage_key,
      original_key, original_size, clean_state, reveals, description, visible_to_reporter, uploaded_by_id, created_at)
    select f.id, ${incidentId}::uuid, ${eventId}::uuid, f.filename, f.mimetype, f.size, f.sha256, f."copySha256",
      f."storageKey", f."originalKey", f."originalSize", f."cleanState"::clean_state, f.reveals, ${description},
      ${visibleToReporter}::boolean, ${uploadedById}::uuid, clock_timestamp() + f.place * interval '1 millisecond'
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (id uuid, filename text, mimetype text,
      size int, sha256 text, "copySha256" text, "storageKey" text, "originalKey" text, "originalSize" int,
      "cleanState" text, reveals text[])) with ordinality as f(id, filename, mimetype, size, sha256, "copySha256",
      "storageKey", "originalKey", "originalSize", "cleanState", reveals, place)`;
  await refuseOverQuota(tx, eventId);
  return rows.map(({ id }) => id);
}

async function refuseOverQuota(tx: Sql, eventId: string): Promise<void> {
  const quota = env().EVENT_EVIDENCE_BYTES;
  const [used] = await tx.$queryRaw<{ bytes: bigint }[]>`
    select bytes from evidence_usage where event_id = ${eventId}::uuid`;
  if (Number(used?.bytes ?? 0) <= quota) return;
  throw new AppError(
    "QUOTA_EXCEEDED",
    "There is no room left for these files.",
    "The files of this event have reached their limit, and nothing was kept of this request. Send it without files, or ask the team to make room.",
  );
}
