import type { AuditAction } from "#lib/audit/actions.ts";
import { isKnownSql, type Reader } from "#lib/access/readers-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { assertConflictCheckAnswered, findIncidentAsSeenByReader } from "#lib/incidents/record-queries.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Lists the files of an incident that the actor may see, oldest first. */
export async function listVisibleFiles(
  actor: Actor,
  { eventId, incidentId }: { eventId: string; incidentId: string },
): Promise<RelatedFile[]> {
  const incident = await findIncidentAsSeenByReader(sql, { eventId, incidentId, reader: actor });
  if (!incident) throw createNotFoundError("incident");
  assertConflictCheckAnswered(incident);
  return redactIncidentForActor(actor, incident).relatedFiles;
}

/**
 * Loads an event's evidence usage and quota, in bytes, without the files of hidden incidents: in one statement, so that no
 * number has them for a moment.
 */
export async function loadEventEvidenceUsage(
  eventId: string,
  reader: Reader,
): Promise<{ bytes: number; quota: number; files: number }> {
  const [usage] = await sql.$queryRaw<{ bytes: bigint; files: number }[]>`
    select coalesce(sum(f.size::bigint + coalesce(f.original_size, 0)), 0)::bigint as bytes, count(*)::int as files
    from related_files f join incidents i on i.id = f.incident_id
    where f.event_id = ${eventId}::uuid and ${isKnownSql(reader)}`;
  return { bytes: Number(usage?.bytes ?? 0), quota: env().EVENT_EVIDENCE_BYTES, files: usage?.files ?? 0 };
}

/** How long the ranges of a file that a player fetches count as one download. */
const DOWNLOAD_WINDOW_MS = 10 * 60_000;

/**
 * Returns whether this person downloaded this file recently. If so, a request for another range of it isn't logged as a
 * new download.
 */
export async function hasRecentlyDownloadedFile(actorId: string, fileId: string): Promise<boolean> {
  const at = { gt: new Date(Date.now() - DOWNLOAD_WINDOW_MS) };
  const download = await prisma.auditEntry.findFirst({
    where: { actorId, at, objectId: fileId, action: "file.download" satisfies AuditAction },
    select: { seq: true },
  });
  return download !== null;
}

/** Lists the ids of the files that somebody added to an incident. */
export async function listIncidentFileIdsAddedBy(userId: string, incidentId: string): Promise<string[]> {
  const rows = await prisma.relatedFile.findMany({
    where: { incidentId, uploadedById: userId },
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** A file whose stored content is compared with its hash. */
export type EvidenceFileToVerify = {
  id: string;
  incidentId: string;
  storageKey: string;
  /** The hash of what is stored under `storageKey`. */
  storedSha256: string;
  originalKey: string | null;
  sha256: string;
};

/** Lists files with a recorded fault, those that were checked longest ago first. */
export const listFaultyFiles = (): Promise<EvidenceFileToVerify[]> => sql.$queryRaw<EvidenceFileToVerify[]>`
  select f.id, f.incident_id as "incidentId", f.storage_key as "storageKey", f.sha256,
    coalesce(f.copy_sha256, f.sha256) as "storedSha256", f.original_key as "originalKey"
  from related_files f where exists (select from evidence_problems p where p.file_id = f.id)
  order by (select min(checked_at) from evidence_problems p where p.file_id = f.id) limit 1000`;

type EvidenceCheckStatus = {
  /** End of the last complete check. */
  checkedAt: Date | null;
  isLate: boolean;
};

/** After this time without a complete check, nobody knows whether stored evidence is still whole. */
const MAX_EVIDENCE_CHECK_AGE = "3 days";

/** Finds out when stored evidence was last checked. Without any check so far, the age of the database counts. */
export async function loadEvidenceCheckStatus(): Promise<EvidenceCheckStatus> {
  const [row] = await sql.$queryRaw<EvidenceCheckStatus[]>`
    select c.completed_at as "checkedAt",
      coalesce(c.completed_at, m.since) < now() - ${MAX_EVIDENCE_CHECK_AGE}::interval as "isLate"
    from (select min(finished_at) as since from _prisma_migrations) m left join evidence_checks c on true`;
  return row ?? { checkedAt: null, isLate: true };
}
