import { Prisma } from "#lib/generated/prisma/client.ts";
import { isReaderSql } from "#lib/access/readers-sql.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import {
  isReopenableState,
  computeWorkflowFieldsAfterChange,
  chooseStateAfterReopening,
  type WorkflowChange,
} from "#lib/incidents/lifecycle.ts";
import { DEADLINE_LENGTH_LABEL_SQL, LACKS_DEADLINE_HISTORY_ENTRY_SQL } from "#lib/incidents/deadline-sql.ts";
import {
  mayStillRetitle,
  refetchIncidentForActor,
  type IncidentRow,
  type RetitlingRole,
} from "#lib/incidents/record-queries.ts";
import type {
  IncidentChangeInput,
  IncidentReopeningInput,
  IncidentStateChangeInput,
} from "#lib/incidents/schema.ts";
import {
  writeIncidentChangeWithoutAudit,
  type IncidentStateChangeRequest,
  type IncidentChangeToWrite,
  type LockedIncident,
} from "#lib/incidents/change-write.ts";
import { findUndoableChange, type UndoableChange } from "#lib/incidents/undo-queries.ts";
import type { OutboxEvent } from "#lib/outbox/events.ts";
import { insertOutboxEventsSql } from "#lib/outbox/append.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { outsideReadersOfIncidentSql } from "#lib/access/team-sql.ts";
import { findHidingFromActorAndAssignee } from "#lib/access/readers-queries.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** The actor, the event in which they act, and their right. */
export type EventActorContext = EventPermissionSubject & { actor: Actor; right: string; call: OperationCall };

/** `withoutRole`: the sender need not hold a role where anyone with an account may report (contract 7.16). */
export type ReportSubmissionContext = EventActorContext & { withoutRole?: true };

/**
 * Moves a report to any state, including its current one (contract 7.6). The note becomes a team note. On resolved it
 * also fills an empty resolution, the team's record. The outcome, if there is one,
 * is a message to the reporter in the same transaction (contract 7.18).
 * @throws AppError INVALID_ASSIGNEE, CONFLICT when If-Match is stale
 */
export const changeState = (
  context: EventActorContext,
  incidentId: string,
  change: IncidentStateChangeInput,
): Promise<IncidentRow> =>
  changeIncident(context, incidentId, {
    action: "state",
    note: change.notes,
    outcome: change.outcome,
    assignee: change.assignedToUserId,
    decide: (before) => ({
      state: change.state,
      ...(change.assignedToUserId ? { assignedResponderId: change.assignedToUserId } : {}),
      ...(change.state === "resolved" && !before.resolution ? { resolution: change.notes } : {}),
    }),
  });

/**
 * Reopens a resolved or closed report: to investigating with an assignee, otherwise to acknowledged (contract 7.7).
 * @throws AppError INVALID_STATE_TRANSITION from any other state
 */
export const reopenResolvedOrClosedIncident = (
  context: EventActorContext,
  incidentId: string,
  { notes, assignedToUserId }: IncidentReopeningInput,
): Promise<IncidentRow> =>
  changeIncident(context, incidentId, {
    action: "reopen",
    note: notes,
    outcome: null,
    assignee: assignedToUserId,
    decide: (before) => {
      if (!isReopenableState(before.state)) {
        throw new AppError("INVALID_STATE_TRANSITION", "notReopenable", {
          state: { term: `state.${before.state}` },
        });
      }
      return {
        state: chooseStateAfterReopening(assignedToUserId),
        ...(assignedToUserId ? { assignedResponderId: assignedToUserId } : {}),
      };
    },
  });

/** Changes assignee, severity, resolution or state in one request (contract 7.8). */
export const updateIncident = (
  context: EventActorContext,
  incidentId: string,
  { outcome, ...change }: IncidentChangeInput,
): Promise<IncidentRow> =>
  changeIncident(context, incidentId, {
    action: "state",
    note: null,
    outcome,
    assignee: change.assignedResponderId,
    decide: () => change as WorkflowChange,
  });

/**
 * Undoes the actor's own last change, if it is the last one and no message came since: every value that the change
 * touched is as before, `firstResponseAt` and the deadline included (contract 7.19). The history keeps both.
 * @throws AppError CONFLICT when there is no such change, INVALID_ASSIGNEE when the former assignee can't be assigned
 */
export const undoIncidentChange = (context: EventActorContext, incidentId: string): Promise<IncidentRow> =>
  runSqlTransaction(async (tx) => {
    const undone = await findUndoableChange(tx, context, incidentId);
    const assignee = undone?.newAssignee ?? null;
    const { now, onTeam, assignable, ...before } = await lockIncident(tx, context, { incidentId, assignee });
    await assertHiddenFromNone(tx, incidentId, { actor: context.actor, assignee });
    assertIfMatch("report", context.call, before.updatedAt);
    if (!undone || !isUnchangedSince(undone, before)) throw new AppError("CONFLICT", "incidentChanged");
    assertChangeAllowed({ onTeam, assignable });
    return { context, incidentId, before, after: undone, intent: UNDO, now };
  }, writeIncidentChange);

const UNDO: IncidentStateChangeRequest = {
  action: "state",
  isUndo: true,
  note: null,
  outcome: null,
  assignee: null,
  decide: () => ({}),
};

const isUnchangedSince = (undone: UndoableChange, { updatedAt, lastMessageAt }: LockedIncident): boolean =>
  undone.version.getTime() === updatedAt.getTime() &&
  undone.lastMessageAt?.getTime() === lastMessageAt?.getTime();

/**
 * Changes a report's title; the history keeps the old one. The present title changes nothing.
 * @param role who on the team may do so, beside the reporter
 * @throws AppError FORBIDDEN when the role has been lost since, NOT_FOUND, CONFLICT when If-Match is stale
 */
export async function retitleIncident(
  context: EventActorContext,
  incidentId: string,
  { title, role }: { title: string; role: RetitlingRole },
): Promise<IncidentRow> {
  return runSqlTransaction(
    async (tx) => {
      const before = await lockIncident(tx, context, { incidentId, assignee: null });
      await assertHiddenFromNone(tx, incidentId, { actor: context.actor, assignee: null });
      if (!(await mayStillRetitle(tx, { ...context, incidentId, role }))) throw createForbiddenError();
      assertIfMatch("report", context.call, before.updatedAt);
      return before;
    },
    (tx, before) =>
      title === before.title
        ? refetchIncidentForActor(tx, context, incidentId)
        : writeTitle(tx, context, { before, incidentId, title }),
  );
}

async function writeTitle(
  tx: SqlClient,
  context: EventActorContext,
  {
    before,
    incidentId,
    title,
  }: { before: Pick<IncidentRow, "title" | "state">; incidentId: string; title: string },
): Promise<IncidentRow> {
  const { actor, organizationId, eventId } = context;
  const outboxEvent: OutboxEvent = {
    kind: "incident.changed",
    actorId: actor.id,
    organizationId,
    eventId,
    incidentId,
    state: before.state,
  };
  const writeResult = tx.$executeRaw`
    with appended_events as (${insertOutboxEventsSql(tx, [outboxEvent])}), changed as (
      update incidents set title = ${title}, updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
      where id = ${incidentId}::uuid returning id, event_id
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
    select id, event_id, ${actor.id}::uuid, 'title', ${before.title}, ${title} from changed`;
  const object = { type: "incident", id: incidentId };
  const [, incident] = await Promise.all([
    writeResult,
    refetchIncidentForActor(tx, context, incidentId),
    appendAuditEntry(tx, buildAuditEntry(context, "incident.retitle", object)),
  ]);
  return incident;
}

/**
 * Changes a report in one transaction: locks the row, checks rights and assignee, writes record, history, note, outbox
 * events and audit entry. The lock serializes concurrent changes: each sees the one before it.
 */
const changeIncident = (
  context: EventActorContext,
  incidentId: string,
  intent: IncidentStateChangeRequest,
): Promise<IncidentRow> =>
  runSqlTransaction(async (tx) => {
    const assignee = intent.assignee ?? null;
    // The second statement runs once the first one has the lock.
    const [{ now, onTeam, assignable, ...before }] = await Promise.all([
      lockIncident(tx, context, { incidentId, assignee }),
      assertHiddenFromNone(tx, incidentId, { actor: context.actor, assignee }),
    ]);
    assertIfMatch("report", context.call, before.updatedAt);
    const workflowChange = intent.decide(before);
    assertChangeAllowed({ onTeam, assignable });
    const after = computeWorkflowFieldsAfterChange(before, workflowChange, now);
    return { context, incidentId, before, after, intent, now };
  }, writeIncidentChange);

async function writeIncidentChange(
  tx: SqlClient,
  incidentWrite: IncidentChangeToWrite,
): Promise<IncidentRow> {
  if (changesNothing(incidentWrite))
    return refetchIncidentForActor(tx, incidentWrite.context, incidentWrite.incidentId);
  const [, incident] = await Promise.all([
    writeIncidentChangeWithoutAudit(tx, incidentWrite),
    refetchIncidentForActor(tx, incidentWrite.context, incidentWrite.incidentId),
    appendAuditEntry(tx, buildChangeAuditEntry(incidentWrite)),
  ]);
  return incident;
}

/** Whether a change leaves every value as it is, with no note and no outcome, as when a record is sent back as read. */
const changesNothing = ({ before, after, intent }: IncidentChangeToWrite): boolean =>
  intent.action === "state" &&
  !intent.isUndo &&
  intent.note === null &&
  intent.outcome === null &&
  listChangedFields(before, after).length === 0;

const buildChangeAuditEntry = ({ context, incidentId, before, after, intent }: IncidentChangeToWrite) =>
  buildAuditEntry(
    context,
    intent.action === "reopen" ? "incident.reopen" : "incident.change",
    { type: "incident", id: incidentId },
    {
      changed: AUDITED_FIELDS.filter((field) => before[field] !== after[field]),
      fromState: before.state,
      toState: after.state,
      severity: after.severity,
      assignedResponderId: after.assignedResponderId,
      ...(intent.outcome !== null && { outcome: true }),
      ...(intent.isUndo && { undo: true }),
    },
  );

const AUDITED_FIELDS = ["state", "severity", "assignedResponderId", "resolution"] as const;

type ChangeEligibility = { onTeam: boolean; assignable: boolean };
type LockRequest = { incidentId: string; assignee: string | null | undefined };

/**
 * Locks and reads the current row, with the time of the change, whether the actor is on the team and whether the new
 * assignee may be assigned. It also locks the assignee's role until the commit: whoever revokes that role at the same
 * moment then finds the new assignment and unassigns it, too (lib/events/assignments.ts).
 */
async function lockIncident(
  tx: SqlClient,
  { actor, eventId }: EventActorContext,
  { incidentId, assignee = null }: LockRequest,
): Promise<LockedIncident & ChangeEligibility & { now: Date }> {
  const [row] = await tx.$queryRaw<(LockedIncident & ChangeEligibility & { now: Date })[]>`
    select title, state::text as state, severity::text as severity, assigned_responder_id as "assignedResponderId", resolution,
      first_response_at as "firstResponseAt", resolved_at as "resolvedAt", escalated_at as "escalatedAt",
      reopened_at as "reopenedAt", updated_at as "updatedAt", last_message_at as "lastMessageAt",
      case when due_for = 'acknowledge' then due_at end as "responseDueAt",
      case when ${LACKS_DEADLINE_HISTORY_ENTRY_SQL} then ${DEADLINE_LENGTH_LABEL_SQL} end as "unrecordedDeadline",
      date_trunc('milliseconds', clock_timestamp()) as now,
      ${isStillOnEventTeamSql(actor, eventId)} as "onTeam",
      ${assignee}::uuid is null or exists (select 1 from event_roles r join users u on u.id = r.user_id
        where r.event_id = ${eventId}::uuid and r.user_id = ${assignee}::uuid
        and r.role_name in ${TEAM_ROLES_SQL} and u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()}
        and ${isReaderSql(Prisma.sql`u.id`)} for key share of r)
        or ${assignee}::uuid in (${outsideReadersOfIncidentSql(incidentId)}) as assignable
    from incidents i where id = ${incidentId}::uuid and event_id = ${eventId}::uuid for no key update`;
  if (!row) throw createNotFoundError("incident");
  return row;
}

/**
 * Refuses an actor from whom the incident is hidden and an assignee from whom it is, also if this happened while
 * the transaction waited for its lock: `lockIncident` read its readers as they were before the wait.
 * @throws AppError NOT_FOUND for the actor, INVALID_ASSIGNEE for the assignee
 */
async function assertHiddenFromNone(
  tx: SqlClient,
  incidentId: string,
  { actor, assignee }: { actor: Actor; assignee: string | null },
): Promise<void> {
  const people = { actorId: actor.id, assignee };
  const { hidden, hiddenFromAssignee } = await findHidingFromActorAndAssignee(tx, incidentId, people);
  if (hidden) throw createNotFoundError("incident");
  if (hiddenFromAssignee) throw new AppError("INVALID_ASSIGNEE", "invalidAssignee");
}

/** Refuses an actor who has left the team and an assignee who can't be assigned. */
function assertChangeAllowed({ onTeam, assignable }: ChangeEligibility): void {
  if (!onTeam) throw createForbiddenError();
  if (assignable) return;
  throw new AppError("INVALID_ASSIGNEE", "invalidAssignee");
}
