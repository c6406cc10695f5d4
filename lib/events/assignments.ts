import { listIncidentsOfSystemLog } from "#lib/audit/queries.ts";
import { sql, type Tx } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { appendOutboxEvents } from "#lib/outbox/append.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { OPEN_STATES } from "#lib/operation/incident-states.ts";
import { shownTitleSql } from "#lib/operation/conflict-sql.ts";
import { notHiddenSql } from "#lib/operation/hidden-sql.ts";
import { OPEN_STATES_SQL } from "#lib/operation/policy-sql.ts";

/** The open incidents of an event that are assigned to a person. */

type Assignee = { eventId: string; organizationId: string; userId: string };

export type AssignedIncidentRow = {
  id: string;
  title: string;
  state: "submitted" | "acknowledged" | "investigating";
  severity: "low" | "medium" | "high" | "critical" | null;
  createdAt: Date;
};
export type OpenStateCounts = Record<(typeof OPEN_STATES)[number], number>;

/** Lists a page of a person's open incidents, most severe first, then oldest, and their count by state. */
export async function listAssignedIncidents(
  assignee: Assignee,
  { id: readerId, hiddenIncidentIds: hidden }: Pick<Actor, "id" | "hiddenIncidentIds">,
  { page, limit }: { page: number; limit: number },
): Promise<{ incidents: AssignedIncidentRow[]; counts: OpenStateCounts }> {
  const [incidents, countRows] = await Promise.all([
    sql.$queryRaw<AssignedIncidentRow[]>`
      select id, ${shownTitleSql(readerId)} as title, state::text as state, severity::text as severity, created_at as "createdAt"
      from incidents i where ${assigneeConditionSql(assignee)} and ${notHiddenSql(hidden)} order by i.severity desc nulls last, i.created_at, i.id
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint`,
    sql.$queryRaw<OpenStateCounts[]>`
      select ${COUNT_BY_OPEN_STATE_SQL}
      from incidents i where ${assigneeConditionSql(assignee)} and ${notHiddenSql(hidden)}`,
  ]);
  return { incidents, counts: countRows[0] ?? { submitted: 0, acknowledged: 0, investigating: 0 } };
}

export type AssigneeWorkload = { userId: string; open: number; oldest: Date };

/**
 * Counts the open incidents of each assignee in an event, with the time of the oldest. People without any are left
 * out.
 */
export const countOpenIncidentsByAssignee = (
  eventId: string,
  { hiddenIncidentIds }: Pick<Actor, "hiddenIncidentIds">,
): Promise<AssigneeWorkload[]> =>
  sql.$queryRaw<AssigneeWorkload[]>`
    select assigned_responder_id as "userId", count(*)::int as open, min(created_at) as oldest
    from incidents i where event_id = ${eventId}::uuid and assigned_responder_id is not null
      and state in ${OPEN_STATES_SQL} and ${notHiddenSql(hiddenIncidentIds)}
    group by assigned_responder_id order by count(*) desc, min(created_at), assigned_responder_id`;

/** Locks a person's open incidents, or those of the given ids that are theirs, until the commit. */
export async function lockAssignedIncidents(
  tx: Tx,
  assignee: Assignee,
  incidentIds?: string[],
): Promise<string[]> {
  const idCondition = incidentIds ? Prisma.sql`i.id = any(${incidentIds}::uuid[])` : Prisma.sql`true`;
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from incidents i where ${assigneeConditionSql(assignee)} and ${idCondition} order by id for update`;
  return rows.map(({ id }) => id);
}

const COUNT_BY_OPEN_STATE_SQL = Prisma.raw(
  OPEN_STATES.map((state) => `count(*) filter (where i.state = '${state}')::int as ${state}`).join(", "),
);

const assigneeConditionSql = ({ eventId, userId }: Assignee) => Prisma.sql`
  i.event_id = ${eventId}::uuid and i.assigned_responder_id = ${userId}::uuid
    and i.state in ${OPEN_STATES_SQL}`;

export type Reassignment = {
  holder: Assignee;
  /** Null if nobody decided it. */
  actor: Pick<Actor, "id"> | null;
  toUserId: string | null;
  incidentIds: string[];
};

/**
 * Assigns incidents that the caller has locked to somebody else, or to nobody. Appends a history entry and an outbox
 * event for each; takes three statements, however many there are.
 */
export async function reassignIncidents(
  tx: Tx,
  { holder: assignee, actor, toUserId, incidentIds }: Reassignment,
): Promise<void> {
  const { eventId, organizationId, userId } = assignee;
  const changedRows = await tx.$queryRaw<{ id: string; state: string }[]>`
    with changed as (
      update incidents set assigned_responder_id = ${toUserId}::uuid,
        updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
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
 * @returns how many incidents were unassigned, without those hidden from somebody: the number stands in the audit log
 */
export async function unassignFormerTeamMember(
  tx: Tx,
  assignee: Assignee,
  actor: Pick<Actor, "id">,
): Promise<number> {
  const { eventId, userId } = assignee;
  const teamRole = await tx.eventRole.findFirst({
    where: { eventId, userId, roleName: { in: ["Responder", "Admin"] } },
    select: { id: true },
  });
  if (teamRole) return 0;
  const incidentIds = await lockAssignedIncidents(tx, assignee);
  if (incidentIds.length === 0) return 0;
  await reassignIncidents(tx, { holder: assignee, actor, toUserId: null, incidentIds });
  return incidentIds.length - (await listIncidentsOfSystemLog(tx, incidentIds)).length;
}

/** Describes the unassigned incidents in the response to a revoked role. */
export const describeUnassignedIncidents = (count: number): string => {
  if (count === 0) return "";
  return count === 1
    ? " One open incident assigned to them is now unassigned."
    : ` ${count} open incidents assigned to them are now unassigned.`;
};
