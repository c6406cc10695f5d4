import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { appendAuditEntry, buildAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
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
  if (await hasRecentView(prisma, log, viewer)) return;
  const entry = buildLogAuditEntry(log, viewer, "audit.view");
  await runTransaction(async (tx) => {
    const key = `audit.view ${viewer.actor.id} ${log.chain} ${log.eventId ?? ""}`;
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
    if (!(await hasRecentView(tx, log, viewer))) await appendAuditEntry(tx, entry);
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

async function hasRecentView(
  client: Pick<Tx, "auditEntry">,
  log: AuditLogWithOrganizationExistence,
  viewer: AuditViewer,
): Promise<boolean> {
  const view = await client.auditEntry.findFirst({
    where: {
      actorId: viewer.actor.id,
      at: { gt: new Date(Date.now() - 60_000) },
      chain: chooseRecordingChain(log),
      action: "audit.view" satisfies AuditAction,
      eventId: log.eventId ?? null,
      objectId: findObjectId(log),
    },
    select: { seq: true },
  });
  return view !== null;
}

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
