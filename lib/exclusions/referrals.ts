import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockOpenAssignedIncidents, reassignLockedIncidents } from "#lib/events/assignments.ts";
import {
  type FormerEscalationContact,
  listFormerEscalationContactAssignments,
  listIncidentIdsReferableToContact,
  type FormerEscalationContactAssignment,
} from "#lib/exclusions/queries.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { REFERABLE_ESCALATION_CONTACT_SQL, INCIDENT_LOST_ALL_READERS_SQL } from "#lib/access/team-sql.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import { CONFLICT_BYPASS_REVIEW_REQUESTED_KIND } from "#lib/outbox/events.ts";

/** Referrals of incidents to escalation contacts by jobs, not by requests (docs/decisions/066, 067). */

type Referral = {
  userId: string;
  eventId: string;
  organizationId: string;
  reporterId: string | null;
};

/**
 * Lets escalation contacts read hidden incidents whose last reader has left the team, lost the role, or lost the
 * account. A job does this and not the request that removed the reader, which would take longer for a hidden incident
 * and so reveal it.
 * @returns how many were referred
 */
export const referIncidentsWithoutReader = (): Promise<number> =>
  referIncidents(INCIDENT_LOST_ALL_READERS_SQL, "incident.created");

/**
 * Refers each incident `i` for which the condition holds to the escalation contact, and notifies them. With the kind
 * `incident.created` they may read the incident; with the other kind they only review the bypass of its conflict check.
 * An incident without such a contact isn't changed; the next run finds it again. Each is referred once, whichever
 * process runs it.
 * @returns how many were referred
 */
export async function referIncidents(
  conditionSql: Prisma.Sql,
  kind: "incident.created" | typeof CONFLICT_BYPASS_REVIEW_REQUESTED_KIND,
): Promise<number> {
  let count = 0;
  for (const id of await listIncidentIdsReferableToContact(conditionSql))
    if (await runTransaction((tx) => referIncident(tx, id, { conditionSql, kind }))) count += 1;
  return count;
}

async function referIncident(
  tx: Tx,
  incidentId: string,
  {
    conditionSql,
    kind,
  }: { conditionSql: Prisma.Sql; kind: "incident.created" | typeof CONFLICT_BYPASS_REVIEW_REQUESTED_KIND },
): Promise<boolean> {
  await tx.$queryRaw`select 1 from incidents where id = ${incidentId}::uuid for no key update`;
  const [referral] = await tx.$queryRaw<Referral[]>`
    with referral as (
      insert into incident_referrals as known (incident_id, user_id, for_review)
      select i.id, c.user_id, ${kind === CONFLICT_BYPASS_REVIEW_REQUESTED_KIND} from incidents i cross join lateral (${REFERABLE_ESCALATION_CONTACT_SQL}) c
      where i.id = ${incidentId}::uuid and ${conditionSql}
      on conflict (incident_id, user_id) do update set for_review = false where known.for_review and not excluded.for_review
      returning incident_id, user_id
    )
    select f.user_id as "userId", i.event_id as "eventId", e.organization_id as "organizationId", i.reporter_id as "reporterId"
    from referral f join incidents i on i.id = f.incident_id join events e on e.id = i.event_id`;
  if (!referral) return false;
  const { userId, eventId, organizationId, reporterId } = referral;
  // Reporters on the team aren't notified of their own report.
  const actorId = kind === "incident.created" ? reporterId : null;
  await appendOutboxEvent(tx, { kind, actorId, organizationId, eventId, incidentId });
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
