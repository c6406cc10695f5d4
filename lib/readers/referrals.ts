import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockOpenAssignedIncidents, reassignLockedIncidents } from "#lib/events/assignments.ts";
import {
  type FormerEscalationContact,
  listFormerEscalationContactAssignments,
  listIncidentIdsReferableToContact,
  type FormerEscalationContactAssignment,
} from "#lib/readers/referral-queries.ts";
import { REFERABLE_ESCALATION_CONTACT_SQL, INCIDENT_LOST_ALL_READERS_SQL } from "#lib/access/team-sql.ts";
import { letOutsidePersonIn } from "#lib/readers/lists.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";

/** Referrals of incidents to escalation contacts by jobs, not by requests (docs/decisions/066). */

/**
 * Lets escalation contacts read hidden incidents whose last reader has left the team, lost the role, or lost the
 * account, and notifies them. A job does this and not the request that removed the reader, which would take longer for
 * a hidden incident and so reveal it. An incident without a contact isn't changed; the next run finds it again. Each is
 * referred once, whichever process runs it.
 * @returns how many were referred
 */
export async function referIncidentsWithoutReader(): Promise<number> {
  let count = 0;
  for (const id of await listIncidentIdsReferableToContact(INCIDENT_LOST_ALL_READERS_SQL))
    if (await runTransaction((tx) => referIncident(tx, id))) count += 1;
  return count;
}

async function referIncident(tx: Tx, incidentId: string): Promise<boolean> {
  await tx.$queryRaw`select 1 from incidents where id = ${incidentId}::uuid for no key update`;
  const contact = Prisma.sql`select c.user_id from (${REFERABLE_ESCALATION_CONTACT_SQL}) c where ${INCIDENT_LOST_ALL_READERS_SQL}`;
  const userId = await letOutsidePersonIn(tx, incidentId, contact);
  if (userId === undefined) return false;
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
      "incident.refer",
      { type: "incident", id: incidentId },
      { userId },
    ),
  );
  return true;
}

/**
 * Unassigns the open incidents of escalation contacts who have left the organization or whose account is disabled, and
 * those of a contact who was replaced. A replaced contact can still read those, and assign one to themself again.
 * @param replaced the former contact, if there is one
 * @returns how many were unassigned
 */
export async function unassignFormerEscalationContacts(
  replaced: FormerEscalationContact | null,
): Promise<number> {
  let count = 0;
  for (const assignment of await listFormerEscalationContactAssignments(replaced))
    if (await runTransaction((tx) => release(tx, assignment))) count += 1;
  return count;
}

async function release(
  tx: Tx,
  { incidentId, ...holder }: FormerEscalationContactAssignment,
): Promise<boolean> {
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
