import { lockRows } from "#lib/database/row-lock.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Readable } from "node:stream";
import { appendAuditEntry, appendAuditEntries, buildAuditEntry } from "#lib/audit/audit.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { runSqlTransaction, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import {
  AppError,
  createForbiddenError,
  InvalidInputError,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import {
  findEvidenceFaultFromError,
  recordIntegrityResult,
  type EvidenceCopyKind,
} from "#lib/evidence/integrity.ts";
import { listVisibleFiles } from "#lib/evidence/queries.ts";
import type { EvidenceFileChangeInput, NewEvidenceFilesInput } from "#lib/evidence/schema.ts";
import {
  rollBackUploads,
  insertEvidence,
  cleanAndStoreUploads,
  sumFileSizes,
  type StoredUpload,
} from "#lib/files/evidence.ts";
import { replaceExtension } from "#lib/files/upload/names.ts";
import { SealedFileOpenError, unsealStream } from "#lib/crypto/sealed-file.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { createFileDownloadResponse } from "#lib/files/download/download.ts";
import { openVerifiedContent } from "#lib/files/download/verified.ts";
import { detectStreamFileType } from "#lib/files/upload/types.ts";
import { recordAccessOfIncidents } from "#lib/incidents/access.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type {
  IncidentFilePermissionSubject,
  IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { log } from "#lib/observability/log.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import {
  isStillEventAdminSql,
  isStillOnEventTeamSql,
  mayStillReportAtEventSql,
} from "#lib/events/held-roles-sql.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { requireRequestWithAbortSignal, type OperationCall } from "#lib/operation/operation.ts";

type IncidentActorContext = EventActorContext & IncidentWithoutContentPermissionSubject;
export type IncidentFileActorContext = EventActorContext & IncidentFilePermissionSubject;

/**
 * Adds files to an incident, in one transaction: cleaned files with their sealed originals, rows, history and audit
 * entries. The team's files are internal unless they are shared.
 * @throws InvalidInputError without a file; AppError UNSUPPORTED_FILE_TYPE, QUOTA_EXCEEDED, STORAGE_UNAVAILABLE,
 *   SERVICE_UNAVAILABLE, FORBIDDEN when the role has been lost since
 */
export async function addEvidenceFiles(
  context: IncidentActorContext,
  input: NewEvidenceFilesInput,
): Promise<RelatedFile[]> {
  const { actor, call } = context;
  if (call.files.length === 0) throw new InvalidInputError({ relatedFiles: createFieldProblem("missing") });
  await consumeLimit("files", actor.id, sumFileSizes(call.files));
  const files = await cleanAndStoreUploads(call.files, {
    lane: createLaneForUser(actor.id),
    anonymous: false,
  });
  const addedIds = await insertFiles(context, files, input).catch(async (error: unknown) => {
    await rollBackUploads(files, error);
    throw error;
  });
  return (await listVisibleFiles(actor, context)).filter(({ id }) => addedIds.includes(id));
}

const insertFiles = (
  context: IncidentActorContext,
  files: StoredUpload[],
  input: NewEvidenceFilesInput,
): Promise<string[]> =>
  runSqlTransaction(async (tx) => {
    const { eventId, incidentId, actor } = context;
    const { onTeam } = await lockIncidentPermissions(tx, context);
    const ids = await insertEvidence(tx, {
      incidentId,
      eventId,
      uploadedById: actor.id,
      createdAt: Prisma.sql`clock_timestamp()`,
      onTeam,
      files,
      descriptions: files.map(() => input.description),
      visibleToReporter: onTeam ? (input.visibleToReporter ?? false) : true,
    });
    await recordHistory(tx, context, {
      action: "file.added",
      ids,
      names: files.map(({ filename }) => filename),
    });
    await appendOutboxEvent(tx, buildOutboxEvent(context, "file.added"));
    await appendAuditEntries(tx, buildAuditEntry(context, "file.add", { type: "file", ids }, { incidentId }));
    return ids;
  });

/**
 * Describes a file or shares it with the reporter. The team may change any file, the reporter only the description of
 * their own.
 * @throws AppError NOT_FOUND when the file is gone, FORBIDDEN
 */
export async function changeEvidenceFile(
  context: IncidentFileActorContext,
  change: EvidenceFileChangeInput,
): Promise<RelatedFile> {
  const { actor, file } = context;
  const { description, visibleToReporter } = change;
  await runTransaction(async (tx) => {
    const { onTeam } = await lockIncidentPermissions(tx, context);
    if (!onTeam && visibleToReporter !== undefined) throw new AppError("FORBIDDEN", "sharingByTeamOnly");
    const before = await lockFile(tx, context);
    if (!onTeam && before.uploadedById !== actor.id) throw createForbiddenError();
    await tx.relatedFile.update({
      where: { id: file.id },
      data: { description, visibleToReporter },
      select: { id: true },
    });
    await appendChangeEvent(tx, context, before.visibleToReporter || visibleToReporter === true);
    await recordHistory(tx, context, { action: "file.changed", ids: [file.id], names: [file.filename] });
    const fields = Object.keys(change).filter(
      (name) => change[name as keyof EvidenceFileChangeInput] !== undefined,
    );
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "file.change",
        { type: "file", id: file.id },
        { incidentId: context.incidentId, fields },
      ),
    );
  });
  const changedFile = (await listVisibleFiles(actor, context)).find(({ id }) => id === file.id);
  if (!changedFile) throw createNotFoundError("file");
  return changedFile;
}

/**
 * Removes a file with its original. The team may remove any file, the reporter their own until the first response. The
 * history keeps that it existed.
 * @throws AppError NOT_FOUND when the file is gone, FORBIDDEN, CONFLICT after the first response
 */
export async function deleteEvidenceFile(context: IncidentFileActorContext): Promise<void> {
  const { actor, file } = context;
  await runTransaction(async (tx) => {
    const { onTeam, state } = await lockIncidentPermissions(tx, context);
    const { uploadedById, visibleToReporter } = await lockFile(tx, context);
    if (!onTeam && uploadedById !== actor.id) throw createForbiddenError();
    if (!onTeam && state !== "submitted") throw reportAlreadyAnswered();
    await tx.relatedFile.delete({ where: { id: file.id }, select: { id: true } });
    await appendChangeEvent(tx, context, visibleToReporter);
    await recordHistory(tx, context, { action: "file.deleted", ids: [file.id], names: [file.filename] });
    const keys = file.originalKey ? [file.storageKey, file.originalKey] : [file.storageKey];
    await enqueueJob(tx, "files.remove", { keys });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "file.delete",
        { type: "file", id: file.id },
        { incidentId: context.incidentId },
      ),
    );
  });
}

const reportAlreadyAnswered = () => new AppError("CONFLICT", "reportAlreadyAnswered");

type OpenedOriginal = { stream: Readable; filename: string; type: string; size: number };

/**
 * Opens the sealed original of a file. First verifies all of it against the upload's hash, then records the reason and
 * who asked; only then may its bytes be sent. The caller reads or destroys the stream.
 * @throws AppError NOT_FOUND without an original, SERVICE_UNAVAILABLE when it can't be opened, FORBIDDEN when the role
 *   has been lost since
 */
export async function openOriginal(
  context: IncidentFileActorContext,
  reason: string,
): Promise<OpenedOriginal> {
  const { file } = context;
  if (!file.originalKey) throw createOriginalNotFoundError();
  const stream = await openSealedOriginal(file).catch((error: unknown) =>
    recordFaultAndThrow(context, "original", error),
  );
  try {
    const nameAndType = await detectUploadedType(file, stream);
    await recordOriginalAccess(context, reason);
    return { stream, ...nameAndType, size: file.originalSize ?? 0 };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/**
 * Finds the name and type of the upload itself. The row has the type of the cleaned copy, which differs only for an
 * upload in HEIC or HEIF: its copy is a JPEG.
 */
async function detectUploadedType(
  { filename, mimetype }: IncidentFileActorContext["file"],
  stream: Readable,
): Promise<{ filename: string; type: string }> {
  const uploadedType = mimetype === "image/jpeg" ? await detectStreamFileType(stream) : null;
  if (!uploadedType || uploadedType.mimetype === mimetype) return { filename, type: mimetype };
  return { filename: replaceExtension(filename, uploadedType.extension), type: uploadedType.mimetype };
}

const createOriginalNotFoundError = () => new AppError("NOT_FOUND", "noSealedOriginal");

async function openSealedOriginal({
  originalKey,
  originalSize,
  sha256,
}: IncidentFileActorContext["file"]): Promise<Readable> {
  const key = originalKey ?? "";
  const open = async () => {
    const { stream, version } = await getFileStorage().open(key);
    return {
      stream: await unsealStream(stream, { name: key, keys: loadEvidenceMasterKeys(env()) }),
      version,
    };
  };
  return (await openVerifiedContent(open, { size: originalSize ?? 0, sha256 })).stream;
}

/**
 * Records that a file is missing or damaged and refuses it. A plain NOT_FOUND would be wrong while its row exists.
 * @throws the error, or AppError SERVICE_UNAVAILABLE in its place
 */
async function recordFaultAndThrow(
  { file, incidentId }: { file: { id: string }; incidentId: string },
  part: EvidenceCopyKind,
  error: unknown,
): Promise<never> {
  const fault = findEvidenceFaultFromError(error);
  if (!fault || !(await recordIntegrityResult({ id: file.id, incidentId }, part, fault))) throw error;
  log.warn(
    { incidentId, fileId: file.id, part, fault, code: sealErrorCode(error) },
    "a faulty file was not sent",
  );
  if (error instanceof SealedFileOpenError) throw new AppError("SERVICE_UNAVAILABLE", "originalUnreadable");
  throw fault === "missing" ? fileMissing() : error;
}

type FileToSend = {
  file: { id: string; storageKey: string; filename: string; mimetype: string; size: number; sha256: string };
  incidentId: string;
  call: OperationCall;
};

/**
 * Creates the response that sends a file of an incident, or a part of it, as an attachment. If the stored file is
 * missing or damaged, records that and fails.
 * @throws AppError SERVICE_UNAVAILABLE, NOT_FOUND, RANGE_NOT_SATISFIABLE
 */
export function createEvidenceFileDownloadResponse({
  file,
  incidentId,
  call,
}: FileToSend): Promise<Response> {
  const { storageKey: key, filename, mimetype: type, size, sha256 } = file;
  const storedFile = { key, filename, type, size, sha256 };
  return createFileDownloadResponse(requireRequestWithAbortSignal(call), storedFile).catch((error: unknown) =>
    recordFaultAndThrow({ file, incidentId }, "file", error),
  );
}

/**
 * Records a download in the audit log and, unless it is the reporter's own, in the access log. Both in one transaction:
 * an audit entry alone would count as the record of the ranges that a player fetches next.
 */
export const recordFileDownload = (context: IncidentFileActorContext): Promise<void> =>
  runSqlTransaction(async (tx) => {
    const { actor, file, incidentId, right } = context;
    const access = { actorId: actor.id, right, kind: "file", objectId: file.id } as const;
    await recordAccessOfIncidents(tx, [incidentId], access);
    const object = { type: "file", id: file.id };
    await appendAuditEntry(tx, buildAuditEntry(context, "file.download", object, { incidentId }));
  });

const sealErrorCode = (error: unknown): string | undefined =>
  error instanceof SealedFileOpenError ? error.code : undefined;

const fileMissing = () => new AppError("SERVICE_UNAVAILABLE", "fileMissing");

async function recordOriginalAccess(context: IncidentFileActorContext, reason: string): Promise<void> {
  const { actor, eventId, file, incidentId, right } = context;
  await runTransaction(async (tx) => {
    const { isAdmin } = await lockIncidentPermissions(tx, context);
    if (!isAdmin) throw createForbiddenError();
    await lockFile(tx, context);
    await recordHistory(tx, context, { action: "file.original", ids: [file.id], names: [file.filename] });
    // The reason is for the event's team, which reads the access log; organization admins read the audit log.
    const access = { incidentId, eventId, actorId: actor.id, byRight: right };
    await tx.incidentAccess.create({
      data: { ...access, kind: "original", objectId: file.id, reason },
      select: { id: true },
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "file.original", { type: "file", id: file.id }, { incidentId }),
    );
  });
}

type IncidentPermissions = { state: string; onTeam: boolean; isAdmin: boolean };

/**
 * Reads the incident's state and the actor's current permissions: roles may have been lost during a long upload. Locks
 * the incident's row, so that its state stays the same until the transaction ends.
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
async function lockIncidentPermissions(
  tx: SqlClient,
  { actor, eventId, incidentId }: IncidentActorContext,
): Promise<IncidentPermissions> {
  const [row] = await tx.$queryRaw<(IncidentPermissions & { reports: boolean })[]>`
    select i.state::text as state, ${isStillEventAdminSql(actor, eventId)} as "isAdmin",
      ${isStillOnEventTeamSql(actor, eventId)} as "onTeam",
      i.reporter_id is not distinct from ${actor.id}::uuid and ${mayStillReportAtEventSql(actor, eventId)} as reports
    from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid for share of i`;
  if (!row) throw createNotFoundError("incident");
  if (!row.onTeam && !row.reports) throw createForbiddenError();
  return row;
}

type LockedFile = { uploadedById: string | null; visibleToReporter: boolean };

/** Locks the file's row, so that changes and removals run one at a time. @throws AppError NOT_FOUND */
async function lockFile(tx: SqlClient, { file, incidentId }: IncidentFileActorContext): Promise<LockedFile> {
  const lock = { table: "related_files", where: { id: file.id, incidentId }, strength: "update" } as const;
  const [row] = await lockRows(tx, lock, ["uploadedById", "visibleToReporter"]);
  if (!row) throw createNotFoundError("file");
  return row;
}

/** Only the team learns of changes to a file that isn't shared. */
const appendChangeEvent = (
  tx: SqlClient,
  context: IncidentFileActorContext,
  isShared: boolean,
): Promise<void> =>
  appendOutboxEvent(tx, buildOutboxEvent(context, isShared ? "incident.changed" : TEAM_ONLY_CHANGE_KIND));

type FileHistoryEvent = { action: string; ids: string[]; names: string[] };

/** Appends an entry for each file, with its name. */
async function recordHistory(
  tx: SqlClient,
  context: IncidentActorContext,
  { action, ids, names }: FileHistoryEvent,
): Promise<void> {
  await tx.$executeRaw`
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, to_value, created_at)
    select ${context.incidentId}::uuid, ${context.eventId}::uuid, ${context.actor.id}::uuid, ${action}, f.id, f.name,
      clock_timestamp() + f.place * interval '1 millisecond'
    from unnest(${ids}::uuid[], ${names}::text[]) with ordinality as f(id, name, place) order by f.place`;
}
