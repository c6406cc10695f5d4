import { runTransaction, sql } from "#lib/database/client.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { appendAuditEntry, buildAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { AuditFilter, AuditLogReadScope } from "#lib/audit/queries.ts";

/** The viewer of a log, their right and their request. */
type AuditViewer = { actor: { id: string }; right: string; call: { requestId: string } };

/**
 * A log, and whether its organization still exists; views are recorded in the log itself, or in the system's log when
 * the organization is gone.
 */
export type AuditLogWithOrganizationExistence = AuditLogReadScope & { living: boolean };

/**
 * Records that someone views a log, once a minute per person and log, so that the log stays readable. Of simultaneous
 * views, only the first to get the lock is recorded.
 */
export async function recordAuditLogView(
  log: AuditLogWithOrganizationExistence,
  viewer: AuditViewer,
): Promise<void> {
  const lately = hasRecentViewSql(log, viewer);
  const [recentView] = await sql.$queryRaw<{ lately: boolean }[]>`select ${lately} as lately`;
  if (recentView?.lately) return;
  const entry = buildLogAuditEntry(log, viewer, "audit.view");
  await runTransaction(async (tx) => {
    const key = `audit.view ${viewer.actor.id} ${log.chain} ${log.eventId ?? ""}`;
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
    const [meanwhile] = await tx.$queryRaw<{ lately: boolean }[]>`select ${lately} as lately`;
    if (!meanwhile?.lately) await appendAuditEntry(tx, entry);
  });
}

/** Records that a log was exported, and with which filter. */
export async function recordAuditLogExport(
  log: AuditLogWithOrganizationExistence,
  filter: AuditFilter,
  viewer: AuditViewer,
): Promise<void> {
  const { actor = null, action = null, objectType = null } = filter;
  const times = { from: filter.from?.toISOString() ?? null, to: filter.to?.toISOString() ?? null };
  const data = { format: "csv", actor, action, objectType, ...times };
  const entry = buildLogAuditEntry(log, viewer, "audit.export", data);
  await runTransaction((tx) => appendAuditEntry(tx, entry));
}

const hasRecentViewSql = (log: AuditLogWithOrganizationExistence, viewer: AuditViewer) => Prisma.sql`exists (
  select 1 from audit_entries where actor_id = ${viewer.actor.id}::uuid and at > ${new Date(Date.now() - 60_000)}::timestamptz
    and chain = ${chooseRecordingChain(log)} and action = 'audit.view' and event_id is not distinct from ${log.eventId ?? null}::uuid
    and object_id is not distinct from ${findObjectId(log)}::uuid)`;

const chooseRecordingChain = ({ chain, living }: AuditLogWithOrganizationExistence): string =>
  living ? chain : "system";

/** The event or the organization; null for the system's own log. */
const findObjectId = ({ chain, eventId }: AuditLogWithOrganizationExistence): string | null =>
  eventId ?? (chain === "system" ? null : chain);

function buildLogAuditEntry(
  log: AuditLogWithOrganizationExistence,
  viewer: AuditViewer,
  action: AuditAction,
  data?: AuditEntryInput["data"],
): AuditEntryInput {
  const recordingChain = chooseRecordingChain(log);
  const organizationId = recordingChain === "system" ? null : recordingChain;
  const object = { type: "audit", id: findObjectId(log) };
  return buildAuditEntry({ ...viewer, organizationId, eventId: log.eventId ?? null }, action, object, data);
}
