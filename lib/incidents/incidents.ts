import { randomUUID } from "node:crypto";
import { isVerifiedSql } from "#lib/accounts/email-verification.ts";
import { appendAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { consumeReportLimit } from "#lib/rate-limits/rate-limits.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { AppError, forbidden, InvalidInputError, isOutcomeUnknown, notFound } from "#lib/operation/errors.ts";
import type { EventSubject } from "#lib/events/scope.ts";
import { rollBackUploads, insertEvidence, storeUploads } from "#lib/files/evidence.ts";
import {
  canReopen,
  applyWorkflowChange,
  stateAfterReopening,
  type WorkflowChange,
  type WorkflowFields,
} from "#lib/incidents/lifecycle.ts";
import {
  findIncident,
  parseIncidentRecord,
  selectRecordSql,
  redactIncident,
  type IncidentRow,
} from "#lib/incidents/queries.ts";
import type { IncidentChange, NewIncident, ReopenRequest, StateChange } from "#lib/incidents/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { OutboxEvent } from "#lib/outbox/events.ts";
import { appendOutboxEventsSql } from "#lib/outbox/append.ts";
import {
  findIdempotentReplay,
  ConcurrentReplay,
  IDEMPOTENCY_KEY_TTL,
  type IdempotencyRecord,
  deriveIdempotencyRecord,
} from "#lib/incidents/idempotency.ts";
import { isTeamMember, type Actor } from "#lib/operation/policy.ts";
import { isStillOnTeam, isStillReporter } from "#lib/events/held-roles.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Who acts on which event, and with what right. */
export type ActorContext = EventSubject & { actor: Actor; right: string; call: OperationCall };

/**
 * Files a report in one transaction: the record in state submitted, its files, its first history entry and the audit
 * entry. Files are stored before their rows become visible. An anonymous report leaves no trace of its sender
 * (contract 7.3). A replay under the same idempotency key neither files a second report nor counts against the limit.
 * @throws InvalidInputError for more descriptions than files; AppError FORBIDDEN when the role was lost meanwhile,
 *   UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function submitReport(context: ActorContext, input: NewIncident): Promise<IncidentRow> {
  // Nobody can contact an anonymous reporter: a preferred contact method would only reveal something about them.
  const report: NewIncident = input.anonymous ? { ...input, contactMethod: "no_contact" } : input;
  const idempotency = deriveIdempotencyRecord(context, report);
  const replay = idempotency && (await findIdempotentReplay(context, report, idempotency));
  if (replay) return replay;
  const undoCount = await consumeReportLimit(context.actor.id, report, sumFileSizes(context.call.files));
  try {
    return await storeReport(context, report, idempotency);
  } catch (error) {
    // If the commit's outcome is unknown, the report may exist, so it stays counted.
    if (!isOutcomeUnknown(error)) await undoCount();
    if (error instanceof ConcurrentReplay) return submitReport(context, input);
    throw error;
  }
}

const sumFileSizes = (files: readonly { size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

async function storeReport(
  context: ActorContext,
  report: NewIncident,
  idempotency: IdempotencyRecord | null,
): Promise<IncidentRow> {
  const { actor, eventId, call } = context;
  const descriptions = expandFileDescriptions(report, call.files.length);
  const files = await storeUploads(call.files, { personId: actor.id, eventId, anonymous: report.anonymous });
  const incidentId = randomUUID();
  const sender = report.anonymous ? null : actor.id;
  try {
    return await runSqlTransaction(
      async (tx) => {
        // The statements run one after the other; the first failure decides.
        const [writeResult, , incidentWithFiles] = await Promise.all([
          insertReport(tx, context, { incidentId, sender, report, kept: idempotency }),
          insertEvidence(tx, {
            incidentId,
            eventId,
            uploadedById: sender,
            onTeam: isTeamMember(actor, eventId),
            files,
            descriptions,
          }),
          files.length > 0 ? refetchIncident(tx, context, incidentId) : undefined,
        ]);
        return incidentWithFiles ?? writeResult;
      },
      async (tx, incident) => {
        await appendAuditEntry(tx, {
          action: "incident.create",
          organizationId: context.organizationId,
          eventId,
          actorId: sender,
          right: report.anonymous ? "anonymous" : context.right,
          object: { type: "incident", id: incidentId },
          data: { files: files.length },
          ...(report.anonymous ? {} : { requestId: call.requestId }),
        });
        return incident;
      },
    );
  } catch (error) {
    await rollBackUploads(files, error);
    throw error;
  }
}

/** Returns the description of each of `count` files. @throws InvalidInputError for more descriptions than files */
function expandFileDescriptions(
  { fileDescriptions: input = [] }: NewIncident,
  count: number,
): (string | null)[] {
  const describedCount = input.findLastIndex((one) => one !== null) + 1;
  if (describedCount > count)
    throw new InvalidInputError({ fileDescriptions: "describes more files than were sent" });
  const [first = null] = input;
  return input.length === 1 ? Array.from({ length: count }, () => first) : input;
}

type ReportDraft = {
  incidentId: string;
  sender: string | null;
  report: NewIncident;
  kept: IdempotencyRecord | null;
};

/**
 * Checks the role again in the statement that writes, because an upload may have taken minutes. If the event is gone,
 * and its roles with it, the sender gets NOT_FOUND. The same statement claims the idempotency key and waits for a
 * concurrent transaction that is claiming it.
 * @throws ConcurrentReplay when that transaction claims it first
 */
async function insertReport(
  tx: SqlClient,
  { actor, organizationId, eventId }: ActorContext,
  { incidentId, sender, report, kept: idempotency }: ReportDraft,
): Promise<IncidentRow> {
  const key = idempotency?.key ?? null;
  const outboxEvent: OutboxEvent = {
    kind: "incident.created",
    actorId: sender,
    organizationId,
    eventId,
    incidentId,
    state: "submitted",
  };
  const [row] = await tx.$queryRaw<{ record: string | null; allowed: boolean; eventIsThere: boolean }[]>`
    with told as (${appendOutboxEventsSql(tx, [outboxEvent])}), allowed as materialized (select ${isStillReporter(actor, eventId)} as yes), taken as (
      insert into report_keys (key, content, incident_id, user_id)
      select ${key}::bytea, ${idempotency?.content ?? null}::bytea, ${incidentId}::uuid, ${sender}::uuid
      from allowed where yes and ${key}::bytea is not null
      on conflict (key) do update set content = excluded.content, incident_id = excluded.incident_id, user_id = excluded.user_id
        where exists (select 1 from incidents i where i.id = report_keys.incident_id and i.created_at <= now() - ${IDEMPOTENCY_KEY_TTL})
      returning 1
    ), filed as (
      insert into incidents (id, event_id, title, description, type, location, parties, contact_method, severity,
        incident_at, reporter_id, escalated_at)
      select ${incidentId}::uuid, ${eventId}::uuid, ${report.title}, ${report.description}, ${report.type}, ${report.location},
        ${report.parties}, ${report.contactMethod}::contact_method, ${report.severity}::severity, ${report.incidentAt}::timestamptz,
        ${sender}::uuid, case when ${report.severity} = 'critical' then now() end
      from allowed where yes and (${key}::bytea is null or exists (select 1 from taken))
      returning *
    ), noted as (
      insert into incident_history (incident_id, event_id, actor_id, action, to_value, created_at)
      select id, event_id, ${sender}::uuid, 'submitted', 'submitted', created_at from filed
    )
    select (${selectRecordSql(Prisma.sql`filed`)}) as record, (select yes from allowed) as allowed,
      exists (select 1 from events where id = ${eventId}::uuid) as "eventIsThere"`;
  if (!row?.eventIsThere) throw notFound("This event");
  if (!row.allowed) throw forbidden();
  if (row.record === null) throw new ConcurrentReplay();
  return redactIncident(actor, parseIncidentRecord(row.record));
}

/**
 * Moves a report to any state, including its current one (contract 7.6). The note becomes a team note. On resolved it
 * also fills an empty resolution, which is then visible to the team only, like the note.
 * @throws AppError INVALID_ASSIGNEE, CONFLICT when If-Match is stale
 */
export const changeState = (
  context: ActorContext,
  incidentId: string,
  change: StateChange,
): Promise<IncidentRow> =>
  move(context, incidentId, {
    action: "state",
    note: change.notes,
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
export const reopenClosedIncident = (
  context: ActorContext,
  incidentId: string,
  { notes, assignedToUserId }: ReopenRequest,
): Promise<IncidentRow> =>
  move(context, incidentId, {
    action: "reopen",
    note: notes,
    assignee: assignedToUserId,
    decide: (before) => {
      if (!canReopen(before.state)) {
        throw new AppError(
          "INVALID_STATE_TRANSITION",
          "Only a resolved or closed incident can be reopened.",
          `This one is ${before.state}.`,
        );
      }
      return {
        state: stateAfterReopening(assignedToUserId),
        ...(assignedToUserId ? { assignedResponderId: assignedToUserId } : {}),
      };
    },
  });

/** Changes assignee, severity, resolution or state in one request (contract 7.8). */
export const updateIncident = (
  context: ActorContext,
  incidentId: string,
  change: IncidentChange,
): Promise<IncidentRow> =>
  move(context, incidentId, {
    action: "state",
    note: null,
    assignee: change.assignedResponderId,
    decide: () => change as WorkflowChange,
  });

/** Changes a report's title; the history keeps the old one. */
export async function changeIncidentTitle(
  context: ActorContext,
  incidentId: string,
  title: string,
): Promise<IncidentRow> {
  return runSqlTransaction(
    async (tx) => {
      const before = await lockIncident(tx, context, { incidentId, assignee: null });
      assertIfMatch("report", context.call, before.updatedAt);
      return before;
    },
    async (tx, before) => {
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
        with told as (${appendOutboxEventsSql(tx, [outboxEvent])}), changed as (
          update incidents set title = ${title}, updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
          where id = ${incidentId}::uuid returning id, event_id
        )
        insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
        select id, event_id, ${actor.id}::uuid, 'title', ${before.title}, ${title} from changed`;
      const entry: AuditEntryInput = { ...buildAuditFields(context, incidentId), action: "incident.retitle" };
      const [, incident] = await Promise.all([
        writeResult,
        refetchIncident(tx, context, incidentId),
        appendAuditEntry(tx, entry),
      ]);
      return incident;
    },
  );
}

/** Appends the audit entry for opening a file of a report. */
export async function recordDownload(
  context: ActorContext,
  { incidentId, fileId }: { incidentId: string; fileId: string },
): Promise<void> {
  const entry: AuditEntryInput = {
    ...buildAuditFields(context, fileId),
    action: "file.download",
    object: { type: "file", id: fileId },
    data: { incidentId },
  };
  await runSqlTransaction((tx) => appendAuditEntry(tx, entry));
}

type Intent = {
  action: "state" | "reopen";
  note: string | null;
  /** The new assignee; null to unassign, undefined to leave it unchanged. */
  assignee: string | null | undefined;
  decide: (before: LockedIncident) => WorkflowChange;
};
type LockedIncident = WorkflowFields & { title: string; updatedAt: Date };

/**
 * Changes a report in one transaction: locks the row, checks rights and assignee, writes record, history, note, outbox
 * events and audit entry. The lock serializes concurrent changes: each sees the one before it.
 */
const move = (context: ActorContext, incidentId: string, intent: Intent): Promise<IncidentRow> =>
  runSqlTransaction(
    async (tx) => {
      const { now, onTeam, assignable, ...before } = await lockIncident(tx, context, {
        incidentId,
        assignee: intent.assignee,
      });
      assertIfMatch("report", context.call, before.updatedAt);
      const workflowChange = intent.decide(before);
      assertChangeAllowed({ onTeam, assignable });
      const after = applyWorkflowChange(before, workflowChange, now);
      // A resolution filled in from the note is internal to the team; one written as a resolution is for the reporter,
      // too.
      const resolutionInternal = workflowChange.resolution === undefined ? null : intent.note !== null;
      return { doer: context, incidentId, before, after, intent, now, resolutionInternal };
    },
    async (tx, incidentWrite) => {
      const [, incident] = await Promise.all([
        writeIncidentChange(tx, incidentWrite),
        refetchIncident(tx, context, incidentId),
        appendAuditEntry(tx, buildChangeAuditEntry(incidentWrite)),
      ]);
      return incident;
    },
  );

const buildChangeAuditEntry = ({
  doer: context,
  incidentId,
  before,
  after,
  intent,
}: IncidentWrite): AuditEntryInput => ({
  ...buildAuditFields(context, incidentId),
  action: intent.action === "reopen" ? "incident.reopen" : "incident.change",
  data: {
    fromState: before.state,
    toState: after.state,
    severity: after.severity,
    assignedResponderId: after.assignedResponderId,
  },
});

type ChangeEligibility = { onTeam: boolean; assignable: boolean };
type LockRequest = { incidentId: string; assignee: string | null | undefined };

/**
 * Locks and reads the current row, with the time of the change, whether the actor is on the team and whether the new
 * assignee may be assigned. It also locks the assignee's role until the commit: whoever revokes that role at the same
 * moment then finds the new assignment and unassigns it, too (lib/events/assignments.ts).
 */
async function lockIncident(
  tx: SqlClient,
  { actor, eventId }: ActorContext,
  { incidentId, assignee = null }: LockRequest,
): Promise<LockedIncident & ChangeEligibility & { now: Date }> {
  const [row] = await tx.$queryRaw<(LockedIncident & ChangeEligibility & { now: Date })[]>`
    select title, state::text as state, severity::text as severity, assigned_responder_id as "assignedResponderId", resolution,
      first_response_at as "firstResponseAt", resolved_at as "resolvedAt", escalated_at as "escalatedAt",
      reopened_at as "reopenedAt", updated_at as "updatedAt",
      date_trunc('milliseconds', clock_timestamp()) as now,
      ${isStillOnTeam(actor, eventId)} as "onTeam",
      ${assignee}::uuid is null or exists (select 1 from event_roles r join users u on u.id = r.user_id
        where r.event_id = ${eventId}::uuid and r.user_id = ${assignee}::uuid
        and r.role_name in ('Responder', 'Admin') and u.disabled_at is null and ${isVerifiedSql()} for key share of r) as assignable
    from incidents where id = ${incidentId}::uuid and event_id = ${eventId}::uuid for no key update`;
  if (!row) throw notFound("This incident");
  return row;
}

/** Refuses an actor who has left the team and an assignee who can't be assigned. */
function assertChangeAllowed({ onTeam, assignable }: ChangeEligibility): void {
  if (!onTeam) throw forbidden();
  if (assignable) return;
  throw new AppError(
    "INVALID_ASSIGNEE",
    "This person can't be assigned.",
    "Choose a Responder or Admin of this event.",
  );
}

type IncidentWrite = {
  doer: ActorContext;
  incidentId: string;
  before: LockedIncident;
  after: WorkflowFields;
  intent: Intent;
  now: Date;
  /** Null if the resolution is unchanged. */
  resolutionInternal: boolean | null;
};

/** Writes everything about a change except its audit entry. */
async function writeIncidentChange(tx: SqlClient, incidentWrite: IncidentWrite): Promise<void> {
  const { doer: context, incidentId, before, after, intent, now, resolutionInternal } = incidentWrite;
  const { actor, eventId } = context;
  const changes = buildHistoryChanges(before, after, intent);
  const updatedAt = new Date(Math.max(now.getTime(), before.updatedAt.getTime() + 1));
  await tx.$executeRaw`
    with changed as (
      update incidents set state = ${after.state}::incident_state, severity = ${after.severity}::severity,
        assigned_responder_id = ${after.assignedResponderId}::uuid, resolution = ${after.resolution},
        resolution_internal = coalesce(${resolutionInternal}::boolean, resolution_internal),
        first_response_at = ${after.firstResponseAt}::timestamptz, resolved_at = ${after.resolvedAt}::timestamptz,
        escalated_at = ${after.escalatedAt}::timestamptz, reopened_at = ${after.reopenedAt}::timestamptz,
        updated_at = ${updatedAt}::timestamptz
      where id = ${incidentId}::uuid
    ), noted as (
      insert into team_notes (incident_id, author_id, body, created_at, updated_at)
      select ${incidentId}::uuid, ${actor.id}::uuid, ${intent.note}, ${updatedAt}::timestamptz, ${updatedAt}::timestamptz
      where ${intent.note}::text is not null returning id
    ), told as (
      ${appendOutboxEventsSql(tx, buildOutboxEvents(incidentWrite))}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, object_id, created_at)
    select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, c.action, c.from_value, c.to_value,
      case when c.action = 'note' then (select id from noted) end, ${updatedAt}::timestamptz
    from unnest(${changes.map((c) => c.action)}::text[], ${changes.map((c) => c.from)}::text[], ${changes.map((c) => c.to)}::text[])
      as c(action, from_value, to_value)`;
}

/** Builds events for a state change, a new assignee and an escalation; any other change gets `incident.changed`. */
function buildOutboxEvents({
  doer: context,
  incidentId,
  before,
  after,
  intent,
}: IncidentWrite): OutboxEvent[] {
  const { actor, organizationId, eventId } = context;
  const outboxEvent = { actorId: actor.id, organizationId, eventId, incidentId, state: after.state };
  const isTransition = intent.action === "reopen" || before.state !== after.state;
  const assignee = after.assignedResponderId;
  const outboxEvents: OutboxEvent[] = [];
  if (isTransition) outboxEvents.push({ ...outboxEvent, kind: "incident.state" });
  if (assignee !== null && assignee !== before.assignedResponderId)
    outboxEvents.push({ ...outboxEvent, kind: "incident.assigned", personIds: [assignee] });
  if (before.escalatedAt === null && after.escalatedAt !== null)
    outboxEvents.push({ ...outboxEvent, kind: "incident.escalated" });
  return outboxEvents.length > 0 ? outboxEvents : [{ ...outboxEvent, kind: "incident.changed" }];
}

type HistoryChange = { action: string; from: string | null; to: string | null };

/** Builds the history entries: the state change, if there is one, each field that differs, and the note. */
function buildHistoryChanges(
  before: LockedIncident,
  after: WorkflowFields,
  { action, note }: Intent,
): HistoryChange[] {
  const fieldChange = (name: string, from: string | null, to: string | null): HistoryChange[] =>
    from === to ? [] : [{ action: name, from, to }];
  const isTransition = action === "reopen" || before.state !== after.state;
  return [
    ...(isTransition ? [{ action, from: before.state, to: after.state }] : []),
    ...fieldChange("assignee", before.assignedResponderId, after.assignedResponderId),
    ...fieldChange("severity", before.severity, after.severity),
    ...fieldChange("resolution", before.resolution, after.resolution),
    ...(note ? [{ action: "note", from: null, to: null }] : []),
  ];
}

const buildAuditFields = (
  { organizationId, eventId, actor, right, call }: ActorContext,
  incidentId: string,
) => ({
  organizationId,
  eventId,
  actorId: actor.id,
  right,
  object: { type: "incident", id: incidentId },
  requestId: call.requestId,
});

/** Reads the record as this transaction leaves it. */
async function refetchIncident(
  tx: SqlClient,
  { actor, eventId }: ActorContext,
  incidentId: string,
): Promise<IncidentRow> {
  const incident = await findIncident(tx, eventId, incidentId);
  if (!incident) throw notFound("This incident");
  return redactIncident(actor, incident);
}
