import { isKnownToPersonSql, isReaderSql } from "#lib/access/readers-sql.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { outsideReadersOfIncidentSql } from "#lib/access/team-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  DEADLINE_LENGTH_LABEL_SQL,
  deadlineSql,
  LACKS_DEADLINE_HISTORY_ENTRY_SQL,
} from "#lib/incidents/deadline-sql.ts";
import {
  chooseStateAfterReopening,
  computeWorkflowFieldsAfterChange,
  isFirstResponseLate,
  isReopenableState,
} from "#lib/incidents/lifecycle.ts";
import { addMessage } from "#lib/incidents/messages.ts";
import {
  readChangedIncident,
  refetchIncidentForActor,
  type IncidentRow,
} from "#lib/incidents/record-queries.ts";
import { isShownToReporter } from "#lib/incidents/redaction.ts";
import type {
  IncidentChangeInput,
  IncidentReopeningInput,
  IncidentStateChangeInput,
} from "#lib/incidents/schema.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import {
  ASSIGNED_BY_UNDO_SQL,
  findUndoableChange,
  RESTORED_DEADLINE_SQL,
  RESTORED_MESSAGE_AFTER_CLOSING_SQL,
  undoValueSql,
  type UndoableChange,
} from "#lib/incidents/undo-queries.ts";
import { selectWorkflowFieldsSql, setWorkflowFieldsSql } from "#lib/incidents/workflow-fields-sql.ts";
import {
  EDITED_FIELD_NAMES,
  EDITED_FIELDS,
  formatTimeFields,
  pickEditedFields,
  type WorkflowChange,
  type WorkflowFields,
  type WorkflowFieldsBeforeChange,
} from "#lib/incidents/workflow-fields.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { insertOutboxEventsSql } from "#lib/jobs/append-event.ts";
import {
  buildOutboxEvent,
  MARKED_CRITICAL_KIND,
  type OutboxEvent,
  type OutboxEventKind,
  TEAM_ONLY_CHANGE_KIND,
} from "#lib/jobs/outbox-events.ts";

/**
 * Changes of status, assignee, severity and resolution. Each verb locks the incident, decides what it becomes, and hands
 * both to `writeChange`; the lock serializes concurrent changes, so that each sees the one before it.
 */

/** A change that is decided and not written yet. */
type IncidentChange = {
  context: EventActorContext;
  kind: "change" | "reopen" | "undo";
  before: LockedIncident;
  after: WorkflowFields;
  /** What the team is told. */
  note: string | null;
  /** What the reporter is told. */
  outcome: string | null;
};

/**
 * Moves a report to any state, including its current one (contract 7.6). The note becomes a team note. On resolved it
 * also fills an empty resolution, the team's record. The outcome, if there is one,
 * is a message to the reporter in the same transaction (contract 7.18).
 * @throws AppError INVALID_ASSIGNEE, CONFLICT when If-Match is stale
 */
export const changeState = (
  context: EventActorContext,
  incidentId: string,
  { state, notes: note, outcome, assignedToUserId }: IncidentStateChangeInput,
): Promise<IncidentRow> =>
  runSqlTransaction(async (tx): Promise<IncidentChange> => {
    const before = await lockIncident(tx, context, { incidentId, assignee: idSql(assignedToUserId) });
    assertIfMatch("report", context.call, before.updatedAt);
    assertChangeAllowed(before);
    const after = decide(before, {
      state,
      ...(assignedToUserId && { assignedResponderId: assignedToUserId }),
      ...(state === "resolved" && !before.resolution && { resolution: note }),
    });
    return { context, kind: "change", before, after, note, outcome };
  }, writeChange);

/**
 * Reopens a resolved or closed report: to investigating with an assignee, otherwise to acknowledged (contract 7.7).
 * @throws AppError INVALID_STATE_TRANSITION from any other state
 */
export const reopenResolvedOrClosedIncident = (
  context: EventActorContext,
  incidentId: string,
  { notes: note, assignedToUserId }: IncidentReopeningInput,
): Promise<IncidentRow> =>
  runSqlTransaction(async (tx): Promise<IncidentChange> => {
    const before = await lockIncident(tx, context, { incidentId, assignee: idSql(assignedToUserId) });
    assertIfMatch("report", context.call, before.updatedAt);
    assertReopenable(before);
    assertChangeAllowed(before);
    const after = decide(before, {
      state: chooseStateAfterReopening(assignedToUserId),
      ...(assignedToUserId && { assignedResponderId: assignedToUserId }),
    });
    return { context, kind: "reopen", before, after, note, outcome: null };
  }, writeChange);

/** Changes assignee, severity, resolution or state in one request (contract 7.8). */
export const updateIncident = (
  context: EventActorContext,
  incidentId: string,
  { outcome, ...change }: IncidentChangeInput,
): Promise<IncidentRow> =>
  runSqlTransaction(async (tx): Promise<IncidentChange> => {
    const assignee = idSql(change.assignedResponderId);
    const before = await lockIncident(tx, context, { incidentId, assignee });
    assertIfMatch("report", context.call, before.updatedAt);
    assertChangeAllowed(before);
    const after = decide(before, change);
    return { context, kind: "change", before, after, note: null, outcome };
  }, writeChange);

/**
 * Undoes the actor's own last change, if it is the last one and no message came since: every value that the change
 * touched is as before, `firstResponseAt` and the deadline included (contract 7.19). The history keeps both.
 * @throws AppError CONFLICT when there is no such change, INVALID_ASSIGNEE when the former assignee can't be assigned
 */
export const undoIncidentChange = (context: EventActorContext, incidentId: string): Promise<IncidentRow> =>
  runSqlTransaction(async (tx): Promise<IncidentChange> => {
    const [before, after] = await Promise.all([
      lockIncident(tx, context, { incidentId, assignee: ASSIGNED_BY_UNDO_SQL }),
      findUndoableChange(tx, context, incidentId),
    ]);
    assertIfMatch("report", context.call, before.updatedAt);
    if (!after || !isUnchangedSince(after, before)) throw new AppError("CONFLICT", "incidentChanged");
    assertChangeAllowed(before);
    return { context, kind: "undo", before, after, note: null, outcome: null };
  }, writeChange);

const idSql = (id: string | null | undefined): Prisma.Sql => Prisma.sql`${id ?? null}::uuid`;

const decide = (before: LockedIncident, change: WorkflowChange): WorkflowFields =>
  computeWorkflowFieldsAfterChange(before, change, before.now);

function assertReopenable({ state }: LockedIncident): void {
  if (isReopenableState(state)) return;
  throw new AppError("INVALID_STATE_TRANSITION", "notReopenable", { state: { term: `state.${state}` } });
}

const isUnchangedSince = (undone: UndoableChange, { updatedAt, lastMessageAt }: LockedIncident): boolean =>
  undone.version.getTime() === updatedAt.getTime() &&
  undone.lastMessageAt?.getTime() === lastMessageAt?.getTime();

async function writeChange(tx: SqlClient, change: IncidentChange): Promise<IncidentRow> {
  const { context, before } = change;
  if (changesNothing(change)) return refetchIncidentForActor(tx, context, before.id);
  const at = new Date(Math.max(before.now.getTime(), before.updatedAt.getTime() + 1));
  // All are sent before any is awaited, together with the commit.
  const [incident] = await Promise.all([
    writeRecord(tx, change, at),
    sendOutcome(tx, change, at),
    appendAuditEntry(tx, buildChangeAuditEntry(change)),
  ]);
  return incident;
}

/** Whether a change leaves every value as it is, with no note and no outcome, as when a record is sent back as read. */
const changesNothing = ({ kind, before, after, note, outcome }: IncidentChange): boolean =>
  kind === "change" && note === null && outcome === null && listChangedFields(before, after).length === 0;

/**
 * Writes the record with its note, history and outbox events. A new state settles what the reporter wrote after the
 * incident was resolved or closed.
 */
function writeRecord(tx: SqlClient, change: IncidentChange, at: Date): Promise<IncidentRow> {
  const { context, kind, before, after, note, outcome } = change;
  const { actor, eventId } = context;
  const isUndo = kind === "undo";
  const state = Prisma.sql`${after.state}::incident_state`;
  const history = listHistoryEntries(change);
  const deadline = deadlineSql({
    state,
    first_response_at: Prisma.sql`${after.firstResponseAt}::timestamptz`,
    reopened_at: Prisma.sql`${after.reopenedAt}::timestamptz`,
    ...(isUndo && RESTORED_DEADLINE_SQL),
  });
  return readChangedIncident(
    tx,
    actor,
    Prisma.sql`changed as (
      update incidents i set ${setWorkflowFieldsSql(after)}, ${deadline},
        message_after_closing = ${isUndo ? RESTORED_MESSAGE_AFTER_CLOSING_SQL : Prisma.sql`i.message_after_closing and i.state = ${state}`},
        undo = ${isUndo || outcome !== null ? null : undoValueSql(actor, at)}, updated_at = ${at}::timestamptz
      where i.id = ${before.id}::uuid returning i.*
    ), note as (
      insert into team_notes (incident_id, author_id, body, created_at, updated_at)
      select ${before.id}::uuid, ${actor.id}::uuid, ${note}, ${at}::timestamptz, ${at}::timestamptz where ${note}::text is not null returning id
    ), recorded as (
      insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, object_id, created_at)
      select ${before.id}::uuid, ${eventId}::uuid, case when h.action <> 'deadline' then ${actor.id}::uuid end, h.action, h.from_value, h.to_value,
        case h.action when 'note' then (select id from note) end,
        ${at}::timestamptz - case when h.action = 'deadline' then interval '1 millisecond' else interval '0' end
      from unnest(${history.map((h) => h.action)}::text[], ${history.map((h) => h.from)}::text[], ${history.map((h) => h.to)}::text[])
        with ordinality as h(action, from_value, to_value, place) order by h.place
    ), appended_events as (${insertOutboxEventsSql(tx, listOutboxEvents(change))})`,
  );
}

/** Sends the reporter the outcome, where the change has one. */
async function sendOutcome(
  tx: SqlClient,
  { context, before, after, outcome }: IncidentChange,
  at: Date,
): Promise<void> {
  if (outcome === null) return;
  const { actor, organizationId, eventId } = context;
  const kind = "message.created";
  await addMessage(tx, {
    conversationId: before.id,
    authorId: actor.id,
    fromParty: false,
    kind: "outcome",
    body: outcome,
    at,
    event: { kind, actorId: actor.id, organizationId, eventId, incidentId: before.id, state: after.state },
  });
}

const isTimeChanged = (before: WorkflowFields, after: WorkflowFields): boolean =>
  formatTimeFields(before) !== formatTimeFields(after);

type HistoryEntry = { action: string; from: string | null; to: string | null };

/**
 * Lists the entries of the history: the state change, each field that differs, and the note. A late first response has
 * one before them about the missed deadline, if the history has none yet: without an actor, and a millisecond earlier.
 */
function listHistoryEntries(change: IncidentChange): HistoryEntry[] {
  const { kind, before, after, note } = change;
  const fieldChange = (action: string, from: string | null, to: string | null): HistoryEntry[] =>
    from === to ? [] : [{ action, from, to }];
  const missedDeadline =
    kind !== "undo" && isFirstResponseLate(before, after.state, before.now)
      ? before.unrecordedDeadline
      : null;
  return [
    ...(missedDeadline ? [{ action: "deadline", from: null, to: missedDeadline }] : []),
    ...fieldChange(kind === "reopen" ? "reopen" : "state", before.state, after.state),
    ...EDITED_FIELD_NAMES.flatMap((field) =>
      fieldChange(EDITED_FIELDS[field].action, before[field], after[field]),
    ),
    ...(isTimeChanged(before, after)
      ? [{ action: "when", from: formatTimeFields(before), to: formatTimeFields(after) }]
      : []),
    ...(note ? [{ action: "note", from: null, to: null }] : []),
  ];
}

/**
 * Lists events for a state change, a new assignee and the escalation of a critical incident; any other change gets
 * `incident.changed`, unless its outcome has an event. A first response that comes late also marks the incident as
 * escalated, but without an event: nobody has to be called to a report that has just been answered.
 */
function listOutboxEvents({ context, before, after, outcome }: IncidentChange): OutboxEvent[] {
  const place = { ...context, incidentId: before.id };
  const build = (kind: OutboxEventKind, personIds: string[] = []) =>
    buildOutboxEvent(place, kind, { state: after.state, personIds });
  const assignee = after.assignedResponderId;
  const outboxEvents: OutboxEvent[] = [];
  if (before.state !== after.state) outboxEvents.push(build("incident.state"));
  if (assignee !== null && assignee !== before.assignedResponderId)
    outboxEvents.push(build("incident.assigned", [assignee]));
  if (before.escalatedAt === null && after.escalatedAt !== null && after.severity === "critical")
    outboxEvents.push(build(MARKED_CRITICAL_KIND));
  if (outboxEvents.length > 0 || outcome !== null) return outboxEvents;
  const isShown =
    isTimeChanged(before, after) ||
    listChangedFields(before, pickEditedFields(after)).some(isShownToReporter);
  return [build(isShown ? "incident.changed" : TEAM_ONLY_CHANGE_KIND)];
}

const buildChangeAuditEntry = ({ context, kind, before, after, outcome }: IncidentChange) =>
  buildAuditEntry(
    context,
    kind === "reopen" ? "incident.reopen" : "incident.change",
    { type: "incident", id: before.id },
    {
      changed: [
        ...listChangedFields(before, { state: after.state, ...pickEditedFields(after) }),
        ...(isTimeChanged(before, after) ? ["incidentAt"] : []),
      ],
      fromState: before.state,
      toState: after.state,
      severity: after.severity,
      assignedResponderId: after.assignedResponderId,
      ...(outcome !== null && { outcome: true }),
      ...(kind === "undo" && { undo: true }),
    },
  );

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
      select i.id, i.title, ${selectWorkflowFieldsSql("i")}, i.updated_at as "updatedAt", i.last_message_at as "lastMessageAt",
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
function assertChangeAllowed({ onTeam, assignable }: ChangeEligibility): void {
  if (!onTeam) throw createForbiddenError();
  if (!assignable) throw new AppError("INVALID_ASSIGNEE", "invalidAssignee");
}
