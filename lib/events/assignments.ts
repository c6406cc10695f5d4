import { TEAM_ROLES } from "#lib/access/role-sets.ts";
import { filterRestrictedIncidentIds } from "#lib/audit/queries.ts";
import type { Tx } from "#lib/database/client.ts";
import { nextUpdatedAtSql } from "#lib/database/next-updated-at-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { openAssignedIncidentConditionSql, type EventAssigneeIds } from "#lib/events/assignment-queries.ts";
import { appendOutboxEvents } from "#lib/jobs/append-event.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The open incidents of an event that are assigned to a person. */

/** Locks a person's open incidents, or those of the given ids that are theirs, until the commit. */
export async function lockOpenAssignedIncidents(
  tx: Tx,
  assignee: EventAssigneeIds,
  incidentIds?: string[],
): Promise<string[]> {
  const idCondition = incidentIds ? Prisma.sql`i.id = any(${incidentIds}::uuid[])` : Prisma.sql`true`;
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from incidents i where ${openAssignedIncidentConditionSql(assignee)} and ${idCondition} order by id for update`;
  return rows.map(({ id }) => id);
}

type IncidentReassignment = {
  holder: EventAssigneeIds;
  /** Null if nobody decided it. */
  actor: Pick<Actor, "id"> | null;
  toUserId: string | null;
  incidentIds: string[];
};

/**
 * Assigns incidents to somebody else, or to nobody. The caller has locked them. Appends a history entry and an outbox
 * event for each; takes three statements, however many there are.
 */
export async function reassignLockedIncidents(
  tx: Tx,
  { holder: assignee, actor, toUserId, incidentIds }: IncidentReassignment,
): Promise<void> {
  const { eventId, organizationId, userId } = assignee;
  const changedRows = await tx.$queryRaw<{ id: string; state: string }[]>`
    with changed as (
      update incidents set assigned_responder_id = ${toUserId}::uuid,
        updated_at = ${nextUpdatedAtSql()}
      where id = any(${incidentIds}::uuid[]) returning id, event_id, state, updated_at
    ), history_entries as (
      insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, created_at)
      select id, event_id, ${actor?.id ?? null}::uuid, 'assignee', ${userId}, ${toUserId}, updated_at from changed
    )
    select id, state::text as state from changed order by id`;
  const commonFields = {
    actorId: actor?.id ?? null,
    organizationId,
    eventId,
    personIds: toUserId ? [toUserId] : [],
  };
  const kind = toUserId ? ("incident.assigned" as const) : ("incident.changed" as const);
  await appendOutboxEvents(
    tx,
    changedRows.map(({ id, state }) => ({ ...commonFields, kind, incidentId: id, state })),
  );
}

/**
 * Unassigns the open incidents of a person who is no longer on the event's team. Call it in the transaction that
 * revoked the roles, after doing so: a concurrent assignment either holds a lock on the role until its commit, or
 * finds the role gone.
 * @returns how many incidents were unassigned, not counting those that are hidden from anybody: the number stands in
 *   the audit log and in the response, which must not reveal that hidden incidents exist
 */
export async function unassignFormerTeamMember(
  tx: Tx,
  assignee: EventAssigneeIds,
  actor: Pick<Actor, "id">,
): Promise<number> {
  const { eventId, userId } = assignee;
  const teamRole = await tx.eventRole.findFirst({
    where: { eventId, userId, roleName: { in: TEAM_ROLES } },
    select: { id: true },
  });
  if (teamRole) return 0;
  const incidentIds = await lockOpenAssignedIncidents(tx, assignee);
  if (incidentIds.length === 0) return 0;
  await reassignLockedIncidents(tx, { holder: assignee, actor, toUserId: null, incidentIds });
  return incidentIds.length - (await filterRestrictedIncidentIds(tx, incidentIds)).length;
}

/** Describes the unassigned incidents in the response to a revoked role. */
export const describeIncidentsUnassignedByRevocation = (count: number): string => {
  if (count === 0) return "";
  return count === 1
    ? " One open incident assigned to them is now unassigned."
    : ` ${count} open incidents assigned to them are now unassigned.`;
};
