import { lockRow } from "#lib/database/row-lock.ts";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockOpenAssignedIncidents, reassignLockedIncidents } from "#lib/events/assignments.ts";
import {
  findOutsidePersonToLetIn,
  type FormerOutsidePerson,
  listFormerOutsidePersonAssignments,
  listIncidentIdsForOutsidePeople,
  type FormerOutsidePersonAssignment,
} from "#lib/readers/outside-person-queries.ts";
import { letOutsidePersonIn } from "#lib/readers/lists.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";

/** Letting outside people in by jobs, not by requests (docs/decisions/058). */

/**
 * Lets outside people read hidden incidents whose last reader has left the team, lost the role, or lost the
 * account, and notifies them. A job does this and not the request that removed the reader, which would take longer for
 * a hidden incident and so reveal it. An incident without an outside person isn't changed; the next run finds it again. Each is
 * let in once, whichever process runs it.
 * @returns how many were let in
 */
export async function letOutsidePeopleIn(): Promise<number> {
  let count = 0;
  for (const id of await listIncidentIdsForOutsidePeople())
    if (await runTransaction((tx) => letOutsidePersonOfIncidentIn(tx, id))) count += 1;
  return count;
}

async function letOutsidePersonOfIncidentIn(tx: Tx, incidentId: string): Promise<boolean> {
  await lockRow(tx, { table: "incidents", id: incidentId });
  const userId = await findOutsidePersonToLetIn(tx, incidentId);
  if (userId === undefined) return false;
  await letOutsidePersonIn(tx, incidentId, userId);
  const { eventId, reporterId, event } = await tx.incident.findUniqueOrThrow({
    where: { id: incidentId },
    select: { eventId: true, reporterId: true, event: { select: { organizationId: true } } },
  });
  const { organizationId } = event;
  // Reporters on the team aren't notified of their own report.
  await appendOutboxEvent(tx, {
    kind: "incident.created",
    actorId: reporterId,
    organizationId,
    eventId,
    incidentId,
  });
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      { organizationId, eventId, right: "service" },
      "incident.letOutsidePersonIn",
      { type: "incident", id: incidentId },
      { userId },
    ),
  );
  return true;
}

/**
 * Unassigns the open incidents of outside people who have left the organization or whose account is disabled, and
 * those of an outside person who was replaced. A replaced outside person can still read those, and assign one to themself again.
 * @param replaced the former outside person, if there is one
 * @returns how many were unassigned
 */
export async function unassignFormerOutsidePeople(replaced: FormerOutsidePerson | null): Promise<number> {
  let count = 0;
  for (const assignment of await listFormerOutsidePersonAssignments(replaced))
    if (await runTransaction((tx) => release(tx, assignment))) count += 1;
  return count;
}

async function release(tx: Tx, { incidentId, ...holder }: FormerOutsidePersonAssignment): Promise<boolean> {
  const incidentIds = await lockOpenAssignedIncidents(tx, holder, [incidentId]);
  if (incidentIds.length === 0) return false;
  await reassignLockedIncidents(tx, { holder, actor: null, toUserId: null, incidentIds });
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      { organizationId: holder.organizationId, eventId: holder.eventId, right: "service" },
      "incident.handOver",
      { type: "incident", id: incidentId },
      { fromUserId: holder.userId, assignedResponderId: null },
    ),
  );
  return true;
}
