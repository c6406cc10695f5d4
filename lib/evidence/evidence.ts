import type { Readable } from "node:stream";
import { audit, auditEach } from "#lib/audit/audit.ts";
import { sqlTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { AppError, forbidden, InvalidInput, notFound } from "#lib/operation/errors.ts";
import { faultIn, recordState, type EvidencePart } from "#lib/evidence/integrity.ts";
import { filesShownTo } from "#lib/evidence/queries.ts";
import type { FileChange, NewFiles } from "#lib/evidence/schema.ts";
import { dropFiles, insertEvidence, keepFiles, type KeptFile } from "#lib/files/evidence.ts";
import { withExtension } from "#lib/files/upload/names.ts";
import { SealBroken, unseal } from "#lib/crypto/sealed-file.ts";
import { storage } from "#lib/files/storage/storage.ts";
import { openVerified } from "#lib/files/download/verified.ts";
import { typeOfStream } from "#lib/files/upload/types.ts";
import type { Doer } from "#lib/incidents/incidents.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type { FileSubject, IncidentRefSubject } from "#lib/incidents/scope.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { log } from "#lib/observability/log.ts";
import { INSIDE } from "#lib/outbox/events.ts";
import { tell } from "#lib/outbox/append.ts";
import { isStillAdmin, isStillOnTeam, isStillReporter } from "#lib/events/held-roles.ts";
import { evidenceKeys } from "#lib/crypto/secrets.ts";
import type { Sql } from "#lib/database/sql.ts";

type IncidentDoer = Doer & IncidentRefSubject;
export type FileDoer = Doer & FileSubject;

/**
 * Adds files to an incident: cleaned, with their sealed originals, rows, history and audit entries, together or
 * not at all. Those of the team are internal unless they are shared.
 * @throws InvalidInput without a file; AppError UNSUPPORTED_FILE_TYPE, QUOTA_EXCEEDED, STORAGE_UNAVAILABLE,
 *   SERVICE_UNAVAILABLE, FORBIDDEN when the role was lost meanwhile
 */
export async function addFiles(doer: IncidentDoer, given: NewFiles): Promise<RelatedFile[]> {
  const { actor, call, eventId } = doer;
  if (call.files.length === 0) throw new InvalidInput({ relatedFiles: "is missing" });
  const files = await keepFiles(call.files, { personId: actor.id, eventId, anonymous: false });
  const added = await insertFiles(doer, files, given).catch(async (error: unknown) => {
    await dropFiles(files, error);
    throw error;
  });
  return (await filesShownTo(actor, doer)).filter(({ id }) => added.includes(id));
}

const insertFiles = (doer: IncidentDoer, files: KeptFile[], given: NewFiles): Promise<string[]> =>
  sqlTransaction(async (tx) => {
    const { organizationId, eventId, incidentId, actor } = doer;
    const { onTeam } = await standing(tx, doer);
    const ids = await insertEvidence(tx, {
      incidentId,
      eventId,
      uploadedById: actor.id,
      onTeam,
      files,
      descriptions: files.map(() => given.description),
      visibleToReporter: onTeam ? (given.visibleToReporter ?? false) : true,
    });
    await recordHistory(tx, doer, {
      action: "file.added",
      ids,
      names: files.map(({ filename }) => filename),
    });
    await tell(tx, { kind: "file.added", actorId: actor.id, organizationId, eventId, incidentId });
    await auditEach(tx, { ...deed(doer), action: "file.add", objects: { type: "file", ids } });
    return ids;
  });

/**
 * Describes a file, or shares it with the reporter: the team any, the reporter an own one.
 * @throws AppError NOT_FOUND when it is gone, FORBIDDEN
 */
export async function changeFile(doer: FileDoer, change: FileChange): Promise<RelatedFile> {
  const { actor, file } = doer;
  const { description, visibleToReporter } = change;
  await sqlTransaction(async (tx) => {
    const { onTeam } = await standing(tx, doer);
    if (!onTeam && visibleToReporter !== undefined) throw forbidden("What is shared is up to the team.");
    const before = await lock(tx, doer);
    if (!onTeam && before.uploadedById !== actor.id) throw forbidden();
    await tx.$executeRaw`
      update related_files set
        description = case when ${description !== undefined}::boolean then ${description ?? null} else description end,
        visible_to_reporter = coalesce(${visibleToReporter ?? null}::boolean, visible_to_reporter)
      where id = ${file.id}::uuid`;
    await tellChange(tx, doer, before.visibleToReporter || visibleToReporter === true);
    await recordHistory(tx, doer, { action: "file.changed", ids: [file.id], names: [file.filename] });
    const fields = Object.keys(change).filter((name) => change[name as keyof FileChange] !== undefined);
    await audit(tx, { ...fileDeed(doer, { fields }), action: "file.change" });
  });
  const changed = (await filesShownTo(actor, doer)).find(({ id }) => id === file.id);
  if (!changed) throw notFound("This file");
  return changed;
}

/**
 * Removes a file with its original: the team any, the reporter an own one for as long as nobody has answered. That
 * it was there stays in the history.
 * @throws AppError NOT_FOUND when it is gone, FORBIDDEN, CONFLICT when the team is at work
 */
export async function deleteFile(doer: FileDoer): Promise<void> {
  const { actor, file } = doer;
  await sqlTransaction(async (tx) => {
    const { onTeam, state } = await standing(tx, doer);
    const { uploadedById, visibleToReporter } = await lock(tx, doer);
    if (!onTeam && uploadedById !== actor.id) throw forbidden();
    if (!onTeam && state !== "submitted") throw alreadySeen();
    await tx.$executeRaw`delete from related_files where id = ${file.id}::uuid`;
    await tellChange(tx, doer, visibleToReporter);
    await recordHistory(tx, doer, { action: "file.deleted", ids: [file.id], names: [file.filename] });
    const keys = file.originalKey ? [file.storageKey, file.originalKey] : [file.storageKey];
    await enqueue(tx, "files.remove", { keys });
    await audit(tx, { ...fileDeed(doer), action: "file.delete" });
  });
}

const alreadySeen = () =>
  new AppError(
    "CONFLICT",
    "This report has been answered already.",
    "Its files can't be taken back any more. Write to the team, and they will remove it.",
  );

export type Original = { stream: Readable; filename: string; type: string; size: number };

/**
 * Opens the sealed original of a file. All of it is opened and compared with what was uploaded first; then the reason and the name of who asked are
 * kept, and only then its bytes may leave. The caller reads or destroys the stream.
 * @throws AppError NOT_FOUND without an original, SERVICE_UNAVAILABLE when it can't be opened, FORBIDDEN when the
 *   role was lost meanwhile
 */
export async function openOriginal(doer: FileDoer, reason: string): Promise<Original> {
  const { file } = doer;
  if (!file.originalKey) throw noOriginal();
  const stream = await openSealed(file).catch((error: unknown) => refuseFaulty(doer, "original", error));
  try {
    const named = await asUploaded(file, stream);
    await recordOpening(doer, reason);
    return { stream, ...named, size: file.originalSize ?? 0 };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** The kind of a file is that of its copy, and what came as HEIC is a JPEG there. */
async function asUploaded(
  { filename, mimetype }: FileDoer["file"],
  stream: Readable,
): Promise<{ filename: string; type: string }> {
  const came = mimetype === "image/jpeg" ? await typeOfStream(stream) : null;
  if (!came || came.mimetype === mimetype) return { filename, type: mimetype };
  return { filename: withExtension(filename, came.extension), type: came.mimetype };
}

const noOriginal = () =>
  new AppError(
    "NOT_FOUND",
    "Not found.",
    "There is no sealed original of this file. Download the file itself: where nothing was taken out of it, it is what was uploaded.",
  );

async function openSealed({ originalKey, originalSize, sha256 }: FileDoer["file"]): Promise<Readable> {
  const key = originalKey ?? "";
  const open = async () => {
    const { stream, version } = await storage().open(key);
    return { stream: await unseal(stream, { name: key, keys: evidenceKeys(env()) }), version };
  };
  return (await openVerified(open, { size: originalSize ?? 0, sha256 })).stream;
}

/**
 * Records that a file is missing or damaged, and refuses it: "it doesn't exist any more" would be wrong where its row
 * says that it does.
 * @throws the error, or AppError SERVICE_UNAVAILABLE in its place
 */
export async function refuseFaulty(
  { file, incidentId }: FileDoer,
  part: EvidencePart,
  error: unknown,
): Promise<never> {
  const fault = faultIn(error);
  if (!fault || !(await recordState({ id: file.id, incidentId }, part, fault))) throw error;
  log.warn({ incidentId, fileId: file.id, part, fault, code: sealCode(error) }, "a faulty file was not sent");
  if (error instanceof SealBroken)
    throw new AppError(
      "SERVICE_UNAVAILABLE",
      "This original can't be opened.",
      "Its key is missing, or its bytes were damaged. Tell whoever runs this service.",
    );
  throw fault === "missing" ? fileMissing() : error;
}

const sealCode = (error: unknown): string | undefined =>
  error instanceof SealBroken ? error.code : undefined;

const fileMissing = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "This file is missing.",
    "It should be here, but it is not in the storage. Tell whoever runs this service; a backup may hold it.",
  );

async function recordOpening(doer: FileDoer, reason: string): Promise<void> {
  const { actor, eventId, file, incidentId, right } = doer;
  await sqlTransaction(async (tx) => {
    const { isAdmin } = await standing(tx, doer);
    if (!isAdmin) throw forbidden();
    await lock(tx, doer);
    await recordHistory(tx, doer, { action: "file.original", ids: [file.id], names: [file.filename] });
    // The reason is for the event's team, which reads the access log; organization admins read the audit log.
    await tx.$executeRaw`
      insert into incident_access (incident_id, event_id, actor_id, kind, object_id, by_right, reason)
      values (${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, 'original', ${file.id}::uuid, ${right}, ${reason})`;
    await audit(tx, { ...fileDeed(doer), action: "file.original" });
  });
}

type Standing = { state: string; onTeam: boolean; isAdmin: boolean };

/**
 * The incident as it is now, and what the actor may still do there: roles may have been lost since the request
 * came, since an upload takes its time. Its state stays what it is until the transaction ends.
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
async function standing(tx: Sql, { actor, eventId, incidentId }: IncidentDoer): Promise<Standing> {
  const [found] = await tx.$queryRaw<(Standing & { reports: boolean })[]>`
    select i.state::text as state, ${isStillAdmin(actor, eventId)} as "isAdmin",
      ${isStillOnTeam(actor, eventId)} as "onTeam",
      i.reporter_id is not distinct from ${actor.id}::uuid and ${isStillReporter(actor, eventId)} as reports
    from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid for share of i`;
  if (!found) throw notFound("This incident");
  if (!found.onTeam && !found.reports) throw forbidden();
  return found;
}

type Locked = { uploadedById: string | null; visibleToReporter: boolean };

/** Holds the row of the file, so that it is changed and removed one at a time. @throws AppError NOT_FOUND */
async function lock(tx: Sql, { file, incidentId }: FileDoer): Promise<Locked> {
  const [row] = await tx.$queryRaw<Locked[]>`
    select uploaded_by_id as "uploadedById", visible_to_reporter as "visibleToReporter" from related_files
    where id = ${file.id}::uuid and incident_id = ${incidentId}::uuid for update`;
  if (!row) throw notFound("This file");
  return row;
}

/** Of a file that isn't shared the team alone hears. */
const tellChange = (
  tx: Sql,
  { actor, organizationId, eventId, incidentId }: FileDoer,
  isShared: boolean,
): Promise<void> =>
  tell(tx, {
    kind: isShared ? "incident.changed" : INSIDE,
    actorId: actor.id,
    organizationId,
    eventId,
    incidentId,
  });

type Event = { action: string; ids: string[]; names: string[] };

/** An entry for each file, with the name that it goes by. */
async function recordHistory(tx: Sql, doer: IncidentDoer, { action, ids, names }: Event): Promise<void> {
  await tx.$executeRaw`
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, to_value, created_at)
    select ${doer.incidentId}::uuid, ${doer.eventId}::uuid, ${doer.actor.id}::uuid, ${action}, f.id, f.name,
      clock_timestamp() + f.place * interval '1 millisecond'
    from unnest(${ids}::uuid[], ${names}::text[]) with ordinality as f(id, name, place)`;
}

const deed = (doer: IncidentDoer) => ({
  organizationId: doer.organizationId,
  eventId: doer.eventId,
  actorId: doer.actor.id,
  right: doer.right,
  data: { incidentId: doer.incidentId },
  requestId: doer.call.requestId,
});

const fileDeed = (doer: FileDoer, data: Record<string, string | string[]> = {}) => ({
  ...deed(doer),
  object: { type: "file", id: doer.file.id },
  data: { incidentId: doer.incidentId, ...data },
});
