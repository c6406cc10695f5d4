import { isKnownToPersonSql, isReaderSql } from "#lib/access/readers-sql.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { outsideReadersOfIncidentSql } from "#lib/access/team-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { DEADLINE_LENGTH_LABEL_SQL, LACKS_DEADLINE_HISTORY_ENTRY_SQL } from "#lib/incidents/deadline-sql.ts";
import type { WorkflowFieldsBeforeChange } from "#lib/incidents/lifecycle.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";

/** An incident that is locked against other changes until the transaction ends. */
export type LockedIncident = WorkflowFieldsBeforeChange & {
  id: string;
  title: string;
  updatedAt: Date;
  lastMessageAt: Date | null;
  /** The length of the running deadline, if the history doesn't say yet that it passed. */
  unrecordedDeadline: string | null;
  /** The time of the change. */
  now: Date;
};

type ChangeEligibility = { onTeam: boolean; assignable: boolean };

/**
 * Locks an incident and reads it, whether the actor is on the team, and whether the new assignee can be assigned. It also
 * locks the assignee's role until the commit: whoever revokes that role at the same moment then finds the new assignment
 * and unassigns it, too (lib/events/assignments.ts).
 * @param assignee SQL of the new assignee of incident `i`
 * @throws AppError NOT_FOUND, also when it was hidden from the actor while the transaction waited for its lock
 */
export async function lockIncident(
  tx: SqlClient,
  { actor, eventId }: EventActorContext,
  { incidentId, assignee }: { incidentId: string; assignee: Prisma.Sql },
): Promise<LockedIncident & ChangeEligibility> {
  // The second statement runs once the first one has the lock, and finds what was written in the meantime.
  const [[incident], [people]] = await Promise.all([
    tx.$queryRaw<LockedIncident[]>`
      select i.id, i.title, i.state::text as state, i.severity::text as severity, i.assigned_responder_id as "assignedResponderId",
        i.resolution, i.first_response_at as "firstResponseAt", i.resolved_at as "resolvedAt", i.escalated_at as "escalatedAt",
        i.reopened_at as "reopenedAt", i.updated_at as "updatedAt", i.last_message_at as "lastMessageAt",
        case when i.due_for = 'acknowledge' then i.due_at end as "responseDueAt",
        case when ${LACKS_DEADLINE_HISTORY_ENTRY_SQL} then ${DEADLINE_LENGTH_LABEL_SQL} end as "unrecordedDeadline",
        date_trunc('milliseconds', clock_timestamp()) as now
      from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid for no key update`,
    tx.$queryRaw<(ChangeEligibility & { known: boolean })[]>`
      select ${isKnownToPersonSql(Prisma.sql`${actor.id}::uuid`)} as known, ${isStillOnEventTeamSql(actor, eventId)} as "onTeam",
        ${assignee} is null or exists (select 1 from event_roles r join users u on u.id = r.user_id
          where r.event_id = ${eventId}::uuid and r.user_id = ${assignee} and r.role_name in ${TEAM_ROLES_SQL}
            and u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()} and ${isReaderSql(Prisma.sql`u.id`)} for key share of r)
          or ${assignee} in (${outsideReadersOfIncidentSql(incidentId)}) as assignable
      from incidents i where i.id = ${incidentId}::uuid`,
  ]);
  if (!incident || !people?.known) throw createNotFoundError("incident");
  const { onTeam, assignable } = people;
  return { ...incident, onTeam, assignable };
}

/** @throws AppError FORBIDDEN for an actor who has left the team, INVALID_ASSIGNEE */
export function assertChangeAllowed({ onTeam, assignable }: ChangeEligibility): void {
  if (!onTeam) throw createForbiddenError();
  if (!assignable) throw new AppError("INVALID_ASSIGNEE", "invalidAssignee");
}
