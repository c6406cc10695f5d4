import { randomUUID } from "node:crypto";
import { env } from "#lib/env.ts";
import { AppError } from "#lib/operation/errors.ts";
import { inspectAndCleanUpload, type UploadCleaningResult } from "#lib/files/cleaning/clean.ts";
import { toStorageWriteError } from "#lib/files/storage/failures.ts";
import { createWaitBudget } from "#lib/files/cleaning/inspection-queue.ts";
import type { Lane } from "#lib/fair-queue.ts";
import type { ErrorTerm } from "#lib/i18n/error-text.ts";
import { createFileNotCleanedError } from "#lib/files/file-not-cleaned-error.ts";
import type { UploadedFile } from "#lib/files/upload/multipart.ts";
import { buildNumberedAnonymousFilename, readAnonymousFileNumber } from "#lib/files/upload/neutral-names.ts";
import { replaceExtension, toDownloadFilename } from "#lib/files/upload/names.ts";
import { rollBackStoredFiles } from "#lib/files/storage/removal.ts";
import type { LostPart } from "#lib/files/cleaning/lost-parts.ts";
import type { FileCleaningState, RevealedCategory } from "#lib/files/cleaning/reveals.ts";
import { sealFile, computeSealKeyId } from "#lib/crypto/sealed-file.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";
import {
  listExtensionsOfType,
  getDefaultExtension,
  requireAcceptedFileType,
} from "#lib/files/upload/types.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import { EVIDENCE_QUOTA_LOCK } from "#lib/database/advisory-locks.ts";
import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { findUploadQuotaUsage } from "#lib/files/queries.ts";

/** A file that is in the storage but has no row yet. Sizes in bytes. */
export type StoredUpload = {
  storageKey: string;
  /** The name, type and size are those of the team's working copy, or of the upload itself if there is no copy. */
  filename: string;
  mimetype: string;
  size: number;
  /** The hash of the upload; if the report is anonymous and the file has a cleaned copy, the hash of that copy. */
  sha256: string;
  copySha256: string | null;
  /** The sealed original, if the working copy is a different file. */
  originalKey: string | null;
  originalSize: number | null;
  /** Identifies the master key that opens the original. */
  originalKeyId: string | null;
  cleanState: FileCleaningState;
  reveals: RevealedCategory[];
  /** What the working copy leaves out beside metadata. */
  lost: LostPart[];
};

/** The sender of files, and whether their report is anonymous. */
type UploadSender = {
  /** Identifies the sender in the inspection queue, which takes turns between senders. */
  lane: Lane;
  anonymous: boolean;
  /** The report or conversation to which an anonymous sender adds files; their numbers continue from its last one. */
  addsTo?: AnonymousFileOwner;
};

type AnonymousFileOwner = { incidentId: string; conversationId: string | null };

/**
 * Checks each file by its content, inspects and cleans it, and then stores all of the files or none. Files of an
 * anonymous report are accepted only if nothing but their content is left; they lose their names, and their originals
 * aren't sealed, since either may reveal the sender (contract 7.3).
 * @throws AppError UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE when too many files are waiting for
 *   inspection
 */
export async function cleanAndStoreUploads(
  uploads: readonly UploadedFile[],
  sender: UploadSender,
): Promise<StoredUpload[]> {
  const fileLabel = (index: number): ErrorTerm =>
    uploads.length > 1 ? { term: "file.numbered", values: { number: index + 1 } } : { term: "file.only" };
  const types = await Promise.all(
    uploads.map(({ path, filename }, index) => requireAcceptedFileType(path, filename, fileLabel(index))),
  );
  const { lane, anonymous } = sender;
  const waitBudget = createWaitBudget();
  const prepared: PreparedUpload[] = [];
  const lastNumber = sender.addsTo ? await findLastAnonymousNumber(sender.addsTo) : 0;
  for (const [index, upload] of uploads.entries()) {
    const type = types[index]?.mimetype ?? "";
    const place = { lane, waitBudget, weight: upload.size };
    const cleaning = await inspectAndCleanUpload(upload.path, type, { ...place, anonymous });
    if (anonymous) assertNoHiddenData(cleaning.state, fileLabel(index));
    const name = anonymous ? buildNumberedAnonymousFilename(type, lastNumber + index + 1) : upload.filename;
    prepared.push(await prepareUpload({ ...upload, filename: name }, { type, cleaning, sealed: !anonymous }));
  }
  return storeAllOrNone(prepared);
}

/**
 * Finds the last number in the neutral names of a sender's files. The sender sees it, so it counts only their own
 * files: it must not reveal conversations with others or the team's files.
 */
async function findLastAnonymousNumber({ incidentId, conversationId }: AnonymousFileOwner): Promise<number> {
  const files = await prisma.relatedFile.findMany({
    where: { incidentId, conversationId, uploadedById: null },
    select: { filename: true },
  });
  return Math.max(0, ...files.map(({ filename }) => readAnonymousFileNumber(filename)));
}

async function storeAllOrNone(prepared: readonly PreparedUpload[]): Promise<StoredUpload[]> {
  const storedUploads: StoredUpload[] = [];
  try {
    for (const { file, places: writes } of prepared) {
      // Listed before the write, so that a rollback also removes what a failed write left in the storage.
      storedUploads.push(file);
      await writeAll(writes);
    }
    return storedUploads;
  } catch (error) {
    await rollBackUploads(storedUploads);
    throw error;
  }
}

/**
 * Rejects a file of an anonymous report that may hold more than its content: the team would get the place, the device
 * or the name (contract 7.3).
 */
function assertNoHiddenData(state: FileCleaningState, fileLabel: ErrorTerm): void {
  if (state === "clean" || state === "cleaned") return;
  throw createFileNotCleanedError(state, fileLabel);
}

type StorageWrite = { key: string; source: string; type: string };
type PreparedUpload = { file: StoredUpload; places: StorageWrite[] };

async function prepareUpload(
  { path, filename, size, sha256 }: UploadedFile,
  {
    type: mimetype,
    cleaning,
    sealed: isSealed,
  }: { type: string; cleaning: UploadCleaningResult; sealed: boolean },
): Promise<PreparedUpload> {
  const { state, reveals, lost, copy } = cleaning;
  const sealed = copy && isSealed ? await sealOriginal(path) : null;
  const type = copy?.mimetype ?? mimetype;
  // If no original is stored, its hash isn't stored either: whoever has the same file could tell who sent it.
  const hashes =
    copy && !isSealed
      ? { sha256: copy.sha256, copySha256: null }
      : { sha256, copySha256: copy?.sha256 ?? null };
  const file: StoredUpload = {
    storageKey: createStorageKey(),
    filename: toDownloadFilename(
      type === mimetype ? filename : replaceExtension(filename, getDefaultExtension(type)),
      listExtensionsOfType(type),
    ),
    mimetype: type,
    size: copy?.size ?? size,
    ...hashes,
    originalKey: sealed?.key ?? null,
    originalSize: sealed ? size : null,
    originalKeyId: sealed?.keyId ?? null,
    cleanState: state,
    reveals,
    lost,
  };
  const workingCopy = { key: file.storageKey, source: copy?.path ?? path, type };
  return { file, places: sealed ? [workingCopy, sealed] : [workingCopy] };
}

async function sealOriginal(path: string): Promise<StorageWrite & { keyId: string }> {
  const [key] = loadEvidenceMasterKeys(env());
  const place = {
    key: createStorageKey(),
    source: `${path}.sealed`,
    type: "application/octet-stream",
    keyId: computeSealKeyId(key),
  };
  await sealFile(path, place.source, { name: place.key, key }).catch((error: unknown) => {
    throw toStorageWriteError(error, "temporary");
  });
  return place;
}

/** Waits for both writes, so that no write finishes after the rollback. */
async function writeAll(writes: readonly StorageWrite[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    writes.map(({ key, source, type }) => getFileStorage().put(key, source, type)),
  );
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}

export const sumFileSizes = (files: readonly Pick<UploadedFile, "size">[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/** Returns the storage keys of files, originals included. */
export const listUploadStorageKeys = (
  files: readonly Pick<StoredUpload, "storageKey" | "originalKey">[],
): string[] =>
  files.flatMap(({ storageKey, originalKey }) => (originalKey ? [storageKey, originalKey] : [storageKey]));

/** Removes stored files whose rows weren't written. @param cause why they weren't */
export const rollBackUploads = (files: readonly StoredUpload[], cause?: unknown): Promise<void> =>
  rollBackStoredFiles(listUploadStorageKeys(files), cause);

export type EvidenceFilesToInsert = {
  incidentId: string;
  eventId: string;
  uploadedById: string | null;
  /** The sender is on the event's team, whose files have no per-person quota. */
  onTeam?: boolean;
  files: readonly StoredUpload[];
  /** A description of each file, in the order of `files`. */
  descriptions?: readonly (string | null)[];
  /** The team's files are visible to the reporter only when they are shared. */
  visibleToReporter?: boolean;
  /** The conversation with somebody other than the reporter from which the files come. The reporter never sees those. */
  conversationId?: string;
  /** SQL of the time at which the files count as added. */
  createdAt: Prisma.Sql;
};

/**
 * Inserts the rows of stored files, in the transaction of the record they belong to. Uploads to an event go one after
 * the other from here to the commit, so concurrent ones can't exceed the quota together.
 * @returns the ids of the rows, in the order of the files
 * @throws AppError QUOTA_EXCEEDED
 */
export async function insertEvidence(
  tx: SqlClient,
  { files, ...shared }: EvidenceFilesToInsert,
): Promise<string[]> {
  if (files.length === 0) return [];
  const { incidentId, eventId, uploadedById, createdAt } = shared;
  const { descriptions = [], visibleToReporter = true, conversationId = null } = shared;
  const rows = files.map((file, at) => ({
    id: randomUUID(),
    ...file,
    description: descriptions[at] ?? null,
  }));
  // Sent together: a caller may send more statements without waiting for these.
  const locking = tx.$executeRaw`select pg_advisory_xact_lock(${EVIDENCE_QUOTA_LOCK}::int, hashtext(${eventId}))`;
  // Timestamps one millisecond apart keep the files in the order in which they were sent.
  const inserting = tx.$executeRaw`
    insert into related_files (id, incident_id, event_id, filename, mimetype, size, sha256, copy_sha256, storage_key,
      original_key, original_size, original_key_id, clean_state, reveals, lost, description, visible_to_reporter, conversation_id, uploaded_by_id, created_at)
    select f.id, ${incidentId}::uuid, ${eventId}::uuid, f.filename, f.mimetype, f.size, f.sha256, f."copySha256",
      f."storageKey", f."originalKey", f."originalSize", f."originalKeyId", f."cleanState"::clean_state, f.reveals, f.lost, f.description,
      ${visibleToReporter}::boolean, ${conversationId}::uuid, ${uploadedById}::uuid, ${createdAt} + f.place * interval '1 millisecond'
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (id uuid, filename text, mimetype text,
      size int, sha256 text, "copySha256" text, "storageKey" text, "originalKey" text, "originalSize" int,
      "originalKeyId" text, "cleanState" text, reveals text[], lost text[], description text)) with ordinality as f(id, filename, mimetype, size, sha256, "copySha256",
      "storageKey", "originalKey", "originalSize", "originalKeyId", "cleanState", reveals, lost, description, place)`;
  await Promise.all([locking, inserting]);
  await assertWithinQuota(tx, shared);
  return rows.map(({ id }) => id);
}

/**
 * Shares of an event's quota: for everybody outside its team together, each person of them, all anonymous reports
 * together, each conversation with somebody else and all of those together. One kind of sender can't use up what another needs.
 */
const QUOTA_SHARES = {
  outside: 3 / 4,
  person: 1 / 4,
  anonymous: 1 / 2,
  conversation: 1 / 8,
  conversations: 1 / 4,
};

type QuotaSender = Pick<EvidenceFilesToInsert, "eventId" | "uploadedById" | "onTeam" | "conversationId">;

async function assertWithinQuota(tx: SqlClient, sender: QuotaSender): Promise<void> {
  const { uploadedById, onTeam, conversationId } = sender;
  const quota = env().EVENT_EVIDENCE_BYTES;
  const usage = await findUploadQuotaUsage(tx, sender);
  const own = Number(usage?.own ?? 0);
  const isOver = (bytes: number, share: keyof typeof QUOTA_SHARES) => bytes > quota * QUOTA_SHARES[share];
  if (Number(usage?.all ?? 0) > quota) throw new AppError("QUOTA_EXCEEDED", "eventQuotaExceeded");
  if (onTeam) return;
  if (conversationId) {
    if (isOver(own, "conversations") || isOver(Number(usage?.conversation ?? 0), "conversation"))
      throw new AppError("QUOTA_EXCEEDED", "conversationQuotaExceeded");
  } else if (!uploadedById) {
    if (isOver(own, "anonymous")) throw new AppError("QUOTA_EXCEEDED", "anonymousQuotaExceeded");
  } else if (isOver(own, "person")) throw new AppError("QUOTA_EXCEEDED", "personQuotaExceeded");
  if (isOver(Number(usage?.outside ?? 0), "outside"))
    throw new AppError("QUOTA_EXCEEDED", "eventQuotaExceeded");
}
