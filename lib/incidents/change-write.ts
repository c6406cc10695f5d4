import { addMessage } from "#lib/incidents/messages.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { deadlineSql } from "#lib/incidents/deadline-sql.ts";
import type { EventActorContext } from "#lib/incidents/incidents.ts";
import {
  isFirstResponseLate,
  type WorkflowFieldsBeforeChange,
  type WorkflowChange,
  type WorkflowFields,
} from "#lib/incidents/lifecycle.ts";
import { insertOutboxEventsSql } from "#lib/outbox/append.ts";
import {
  RESTORED_DEADLINE_SQL,
  RESTORED_MESSAGE_AFTER_CLOSING_SQL,
  undoValueSql,
} from "#lib/incidents/undo-queries.ts";
import { MARKED_CRITICAL_KIND, type OutboxEvent } from "#lib/outbox/events.ts";

/** A change of status or a reopening that a verb requests. `decide` computes it once the row is locked. */
export type IncidentStateChangeRequest = {
  action: "state" | "reopen";
  /** Whether the change restores what the actor's last change replaced. */
  isUndo?: true;
  note: string | null;
  /** A message to the reporter that tells the outcome. */
  outcome: string | null;
  /** The new assignee; null to unassign, undefined to leave it unchanged. */
  assignee: string | null | undefined;
  decide: (before: LockedIncident) => WorkflowChange;
};
export type LockedIncident = WorkflowFieldsBeforeChange & {
  title: string;
  updatedAt: Date;
  lastMessageAt: Date | null;
  /** The length of the running deadline, if the history doesn't say yet that it passed. */
  unrecordedDeadline: string | null;
};

export type IncidentChangeToWrite = {
  context: EventActorContext;
  incidentId: string;
  before: LockedIncident;
  after: WorkflowFields;
  intent: IncidentStateChangeRequest;
  now: Date;
};

/**
 * Writes everything about a change except its audit entry. A new state settles what the reporter wrote after the incident
 * was resolved or closed. If the change is a late first response, and the history has
 * no entry yet about the missed deadline, adds that entry as well: without an actor, and a millisecond earlier.
 */
export async function writeIncidentChangeWithoutAudit(
  tx: SqlClient,
  incidentWrite: IncidentChangeToWrite,
): Promise<void> {
  const { context, incidentId, before, after, intent, now } = incidentWrite;
  const { actor, eventId } = context;
  const changes = buildHistoryChanges(incidentWrite);
  const updatedAt = new Date(Math.max(now.getTime(), before.updatedAt.getTime() + 1));
  // Both are sent before either is awaited, together with the commit.
  const changed = tx.$executeRaw`
    with changed as (
      update incidents i set state = ${after.state}::incident_state, severity = ${after.severity}::severity,
        assigned_responder_id = ${after.assignedResponderId}::uuid, resolution = ${after.resolution},
        message_after_closing = ${intent.isUndo ? RESTORED_MESSAGE_AFTER_CLOSING_SQL : Prisma.sql`message_after_closing and state = ${after.state}::incident_state`},
        first_response_at = ${after.firstResponseAt}::timestamptz, resolved_at = ${after.resolvedAt}::timestamptz,
        escalated_at = ${after.escalatedAt}::timestamptz, reopened_at = ${after.reopenedAt}::timestamptz,
        ${deadlineSql({
          state: Prisma.sql`${after.state}::incident_state`,
          first_response_at: Prisma.sql`${after.firstResponseAt}::timestamptz`,
          reopened_at: Prisma.sql`${after.reopenedAt}::timestamptz`,
          ...(intent.isUndo && RESTORED_DEADLINE_SQL),
        })},
        undo = ${intent.isUndo || intent.outcome !== null ? Prisma.sql`null` : undoValueSql(actor, updatedAt)}, updated_at = ${updatedAt}::timestamptz
      where id = ${incidentId}::uuid
    ), note as (
      insert into team_notes (incident_id, author_id, body, created_at, updated_at)
      select ${incidentId}::uuid, ${actor.id}::uuid, ${intent.note}, ${updatedAt}::timestamptz, ${updatedAt}::timestamptz
      where ${intent.note}::text is not null returning id
    ), appended_events as (
      ${insertOutboxEventsSql(tx, buildOutboxEvents(incidentWrite))}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, object_id, created_at)
    select ${incidentId}::uuid, ${eventId}::uuid, case when c.action <> 'deadline' then ${actor.id}::uuid end, c.action, c.from_value, c.to_value,
      case c.action when 'note' then (select id from note) end,
      ${updatedAt}::timestamptz - case when c.action = 'deadline' then interval '1 millisecond' else interval '0' end
    from unnest(${changes.map((c) => c.action)}::text[], ${changes.map((c) => c.from)}::text[], ${changes.map((c) => c.to)}::text[])
      with ordinality as c(action, from_value, to_value, place) order by c.place`;
  await Promise.all([changed, tellOutcome(tx, incidentWrite, updatedAt)]);
}

/** Sends the reporter the outcome, where the change has one. */
async function tellOutcome(
  tx: SqlClient,
  { context, incidentId, after, intent }: IncidentChangeToWrite,
  at: Date,
): Promise<void> {
  if (intent.outcome === null) return;
  const { actor, organizationId, eventId } = context;
  const kind = "message.created";
  await addMessage(tx, {
    conversationId: incidentId,
    authorId: actor.id,
    fromParty: false,
    kind: "outcome",
    body: intent.outcome,
    at: Prisma.sql`${at}::timestamptz`,
    event: { kind, actorId: actor.id, organizationId, eventId, incidentId, state: after.state },
  });
}

/**
 * Builds events for a state change, a new assignee, the escalation of a critical incident and an outcome; any other
 * change gets `incident.changed`. A first response that comes late also marks the incident as escalated, but without an
 * event: nobody has to be called to a report that has just been answered.
 */
function buildOutboxEvents({
  context,
  incidentId,
  before,
  after,
  intent,
}: IncidentChangeToWrite): OutboxEvent[] {
  const { actor, organizationId, eventId } = context;
  const outboxEvent = { actorId: actor.id, organizationId, eventId, incidentId, state: after.state };
  const isTransition = intent.action === "reopen" || before.state !== after.state;
  const assignee = after.assignedResponderId;
  const outboxEvents: OutboxEvent[] = [];
  if (isTransition) outboxEvents.push({ ...outboxEvent, kind: "incident.state" });
  if (assignee !== null && assignee !== before.assignedResponderId)
    outboxEvents.push({ ...outboxEvent, kind: "incident.assigned", personIds: [assignee] });
  if (before.escalatedAt === null && after.escalatedAt !== null && after.severity === "critical")
    outboxEvents.push({ ...outboxEvent, kind: MARKED_CRITICAL_KIND });
  if (outboxEvents.length === 0 && intent.outcome !== null) return [];
  return outboxEvents.length > 0 ? outboxEvents : [{ ...outboxEvent, kind: "incident.changed" }];
}

type HistoryChange = { action: string; from: string | null; to: string | null };

/**
 * Builds the history entries: a missed deadline, the state change, each field that differs, the note and the outcome.
 */
function buildHistoryChanges({ before, after, intent, now }: IncidentChangeToWrite): HistoryChange[] {
  const { action, isUndo, note } = intent;
  const fieldChange = (name: string, from: string | null, to: string | null): HistoryChange[] =>
    from === to ? [] : [{ action: name, from, to }];
  const isTransition = action === "reopen" || before.state !== after.state;
  const missedDeadline =
    !isUndo && isFirstResponseLate(before, after.state, now) ? before.unrecordedDeadline : null;
  return [
    ...(missedDeadline ? [{ action: "deadline", from: null, to: missedDeadline }] : []),
    ...(isTransition ? [{ action, from: before.state, to: after.state }] : []),
    ...fieldChange("assignee", before.assignedResponderId, after.assignedResponderId),
    ...fieldChange("severity", before.severity, after.severity),
    ...fieldChange("resolution", before.resolution, after.resolution),
    ...(note ? [{ action: "note", from: null, to: null }] : []),
  ];
}
