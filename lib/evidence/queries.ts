import type { AuditAction } from "#lib/audit/actions.ts";
import { isKnownSql, type Reader } from "#lib/access/readers-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
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

export const FILE_TO_VERIFY_COLUMNS = {
  id: true,
  incidentId: true,
  storageKey: true,
  sha256: true,
  copySha256: true,
  originalKey: true,
} as const;

type StoredFile = Prisma.RelatedFileGetPayload<{ select: typeof FILE_TO_VERIFY_COLUMNS }>;

/** A file whose stored content is compared with its hash. `storedSha256` is that of what is stored under `storageKey`. */
export type EvidenceFileToVerify = ReturnType<typeof toFileToVerify>;

export const toFileToVerify = ({ copySha256, ...file }: StoredFile) => ({
  ...file,
  storedSha256: copySha256 ?? file.sha256,
});

/** Lists files with a recorded fault, those that were checked longest ago first. */
export async function listFaultyFiles(): Promise<EvidenceFileToVerify[]> {
  const problems = await prisma.evidenceProblem.findMany({
    distinct: ["fileId"],
    orderBy: { checkedAt: "asc" },
    take: 1000,
    select: { file: { select: FILE_TO_VERIFY_COLUMNS } },
  });
  return problems.map(({ file }) => toFileToVerify(file));
}

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
