import { sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { notFound } from "#lib/operation/errors.ts";
import { findIncident, redactIncident } from "#lib/incidents/queries.ts";
import type { RelatedFile } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Lists the files of an incident that the actor may see, oldest first. */
export async function listVisibleFiles(
  actor: Actor,
  { eventId, incidentId }: { eventId: string; incidentId: string },
): Promise<RelatedFile[]> {
  const incident = await findIncident(sql, eventId, incidentId);
  if (!incident) throw notFound("This incident");
  return redactIncident(actor, incident).relatedFiles;
}

/** Finds an event's evidence usage and quota, in bytes. */
export async function findEvidenceUsage(
  eventId: string,
): Promise<{ bytes: number; quota: number; files: number }> {
  const [row] = await sql.$queryRaw<{ bytes: bigint; files: bigint }[]>`
    select coalesce((select bytes from evidence_usage where event_id = ${eventId}::uuid), 0) as bytes,
      (select count(*) from related_files where event_id = ${eventId}::uuid) as files`;
  return {
    bytes: Number(row?.bytes ?? 0),
    quota: env().EVENT_EVIDENCE_BYTES,
    files: Number(row?.files ?? 0),
  };
}

/** How long the ranges of a file that a player fetches count as one download. */
const DOWNLOAD_WINDOW_MINUTES = 10;

/** Whether this person downloaded this file recently; another range of it isn't a new download then. */
export async function hasRecentDownload(actorId: string, fileId: string): Promise<boolean> {
  const [row] = await sql.$queryRaw<{ opened: boolean }[]>`
    select exists (select 1 from audit_entries
      where actor_id = ${actorId}::uuid and at > now() - ${DOWNLOAD_WINDOW_MINUTES} * interval '1 minute'
        and object_id = ${fileId}::uuid and action = 'file.download') as opened`;
  return row?.opened ?? false;
}

/** Lists the ids of the files that somebody added to an incident. */
export async function listFilesAddedBy(userId: string, incidentId: string): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`
    select id from related_files
    where incident_id = ${incidentId}::uuid and uploaded_by_id = ${userId}::uuid`;
  return rows.map(({ id }) => id);
}
