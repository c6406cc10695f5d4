import { filterRestrictedIncidentIds } from "#lib/audit/queries.ts";
import { clearReadersOfDeletedIncidentsSql, IS_INCIDENT_RESTRICTED_SQL } from "#lib/access/readers-sql.ts";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { recordErasure } from "#lib/erasures/ledger.ts";
import { listUploadStorageKeys } from "#lib/files/evidence.ts";
import { STORED_TYPE_BY_INCIDENT_KIND } from "#lib/incidents/kinds.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { log } from "#lib/observability/log.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { IS_RESOLVED_OR_CLOSED_SQL } from "./due-sql.ts";
import { findIncidentIfDeletionDue, listIncidentIdsDueForDeletion } from "./queries.ts";

/** How many incidents are looked up at a time. */
const BATCH_SIZE = 100;

/**
 * Deletes the incidents that the rules of their organizations delete by now (docs/decisions/060). Each is
 * deleted in its own transaction, so several processes may run this, and the next run continues where one stopped.
 * @returns how many were deleted
 * @throws the first error, after everything that can be deleted is
 */
export async function deleteDueIncidents(): Promise<number> {
  let deletedCount = 0;
  let firstError: unknown;
  for (let after: string | undefined; ;) {
    const ids = await listIncidentIdsDueForDeletion(after, BATCH_SIZE);
    for (const id of ids) {
      const isDeleted = await deleteIfDue(id).catch((error: unknown) => {
        firstError ??= error;
        log.warn({ reason: describeErrorForLog(error) }, "an incident that is due can't be deleted yet");
        return false;
      });
      if (isDeleted) deletedCount += 1;
    }
    if (ids.length < BATCH_SIZE) break;
    after = ids.at(-1);
  }
  if (firstError !== undefined) throw firstError;
  return deletedCount;
}

/**
 * Locks an incident and deletes it if it is still due: a message, a hold or a new status that was saved before the lock
 * can have delayed it.
 * @returns whether it was deleted
 */
const deleteIfDue = (incidentId: string): Promise<boolean> =>
  runTransaction(async (tx) => {
    await lockRow(tx, { table: "incidents", id: incidentId, strength: "update" });
    const due = await findIncidentIfDeletionDue(tx, incidentId);
    if (!due) return false;
    const { rule, months, ...place } = due;
    await deleteIncidentAndRecordErasure(tx, { incidentId, ...place, data: { rule, months } });
    return true;
  });

type IncidentDeletion = {
  incidentId: string;
  organizationId: string;
  eventId: string;
  /** Further data of the audit entry: `rule` and `months`, or `again` after a restored backup. */
  data: Record<string, string | number | boolean>;
};

/**
 * Deletes an incident with everything that belongs to it, and records the erasure, so that a restored backup doesn't
 * bring it back. Its readers' rows stay without their reasons: they keep its audit entries hidden (docs/decisions/058). A
 * resolved or closed incident leaves a tombstone for the statistics, unless it was hidden from somebody: the statistics
 * of that person have never counted it.
 */
export async function deleteIncidentAndRecordErasure(
  tx: Tx,
  { incidentId, organizationId, eventId, data }: IncidentDeletion,
): Promise<void> {
  const isHidden = (await filterRestrictedIncidentIds(tx, [incidentId])).length > 0;
  await queueFileRemoval(tx, incidentId);
  await tx.$executeRaw(insertTombstoneSql(incidentId));
  await tx.incident.delete({ where: { id: incidentId }, select: { id: true } });
  await tx.$executeRaw(clearReadersOfDeletedIncidentsSql(incidentId));
  await recordErasure(tx, "incident", incidentId);
  // An organization's log must not mention an incident that is hidden from anybody (contract 16.6).
  const place = { organizationId: isHidden ? null : organizationId, eventId, right: "service" };
  const object = { type: "incident", id: incidentId };
  await appendAuditEntry(tx, buildActorlessAuditEntry(place, "incident.expire", object, data));
}

/** Queues a job that removes files and sealed originals after the commit, and is retried until they are removed. */
async function queueFileRemoval(tx: Tx, incidentId: string): Promise<void> {
  const files = await tx.relatedFile.findMany({
    where: { incidentId },
    select: { storageKey: true, originalKey: true },
  });
  if (files.length > 0) await enqueueJob(tx, "files.remove", { keys: listUploadStorageKeys(files) });
}

/**
 * An interval to add to each time of a report, which hides the times of day: it moves the creation or the resolution to
 * its midnight (UTC), whichever needs the smaller move, so that both keep their day and all durations stay.
 */
const SHIFT_SQL = Prisma.sql`make_interval(secs => (
  greatest(extract(epoch from date_trunc('day', i.created_at, 'UTC')) - extract(epoch from i.created_at),
    extract(epoch from date_trunc('day', i.resolved_at, 'UTC')) - extract(epoch from i.resolved_at)))::float8)`;

/** Stores what statistics count of a report, without its texts and its id (docs/decisions/060). */
const insertTombstoneSql = (incidentId: string): Prisma.Sql => Prisma.sql`
  insert into report_tombstones (event_id, created_at, first_response_at, first_response_due_at, resolved_at, state, severity, escalated, type, named, first_reply)
  select i.event_id, i.created_at + s.shift, i.first_response_at + s.shift, i.first_response_due_at + s.shift, i.resolved_at + s.shift, i.state, i.severity,
    i.escalated_at is not null,
    case when k.type is null or k.type = any(${Object.values(STORED_TYPE_BY_INCIDENT_KIND)}::text[]) then k.type else '' end,
    i.reporter_id is not null,
    (select date_part('epoch', min(m.created_at - i.created_at)) from messages m
      where m.conversation_id = i.id and not m.from_party)
  from incidents i cross join lateral (select ${SHIFT_SQL} as shift) s
  cross join lateral (select nullif(trim(i.type), '') as type) k
  where i.id = ${incidentId}::uuid and ${IS_RESOLVED_OR_CLOSED_SQL}
    and not ${IS_INCIDENT_RESTRICTED_SQL}`;
