import { randomUUID } from "node:crypto";
import { audit } from "#lib/audit/audit.ts";
import type { Call } from "#lib/api/operation.ts";
import { db, sqlTransaction } from "#lib/db.ts";
import { AppError, forbidden, notFound } from "#lib/errors.ts";
import type { EventSubject } from "#lib/events/scope.ts";
import { dropFiles, insertEvidence, keepFiles } from "#lib/files/evidence.ts";
import {
  canReopen,
  standingAfter,
  stateAfterReopening,
  type Move,
  type Standing,
} from "#lib/incidents/lifecycle.ts";
import { findIncident, shownTo, type IncidentRow } from "#lib/incidents/queries.ts";
import type { IncidentChange, NewIncident, Reopening, StateChange } from "#lib/incidents/schema.ts";
import type { Fact } from "#lib/notifications/facts.ts";
import { tell, tellAll } from "#lib/notifications/tell.ts";
import type { Actor } from "#lib/policy.ts";
import type { Sql } from "#lib/sql.ts";

/** Who acts on what, by what right. */
export type Doer = EventSubject & { actor: Actor; right: string; call: Call };

/**
 * Files a report: the record in state submitted, its files, its first history entry and the audit entry,
 * together or not at all. Files are in place before their rows can be seen. An anonymous report keeps no
 * trace of who sent it (rulings R4).
 * @throws AppError FORBIDDEN when the role was lost meanwhile, UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE
 */
export async function fileReport(doer: Doer, report: NewIncident): Promise<IncidentRow> {
  const { actor, eventId, call } = doer;
  const files = await keepFiles(call.files, report.anonymous ? "drop" : "seal");
  const incidentId = randomUUID();
  const sender = report.anonymous ? null : actor.id;
  try {
    await sqlTransaction(async (tx) => {
      await insertReport(tx, doer, { incidentId, sender, report });
      await insertEvidence(tx, { incidentId, eventId, uploadedById: sender, files });
      await tell(tx, {
        kind: "incident.created",
        actorId: sender,
        organizationId: doer.organizationId,
        eventId,
        incidentId,
        state: "submitted",
      });
      await audit(tx, {
        action: "incident.create",
        organizationId: doer.organizationId,
        eventId,
        actorId: sender,
        right: report.anonymous ? "anonymous" : doer.right,
        object: { type: "incident", id: incidentId },
        data: { files: files.length },
        ...(report.anonymous ? {} : { requestId: call.requestId }),
      });
    });
  } catch (error) {
    await dropFiles(files);
    throw error;
  }
  return reread(actor, eventId, incidentId);
}

type Draft = { incidentId: string; sender: string | null; report: NewIncident };

/** The role is looked at once more in the statement that writes: an upload may have taken minutes. */
async function insertReport(
  tx: Sql,
  { actor, eventId }: Doer,
  { incidentId, sender, report }: Draft,
): Promise<void> {
  const written = await tx.$executeRaw`
    with filed as (
      insert into incidents (id, event_id, title, description, type, location, parties, contact_method, severity,
        incident_at, reporter_id, escalated_at)
      select ${incidentId}::uuid, ${eventId}::uuid, ${report.title}, ${report.description}, ${report.type}, ${report.location},
        ${report.parties}, ${report.contactMethod}::contact_method, ${report.severity}::severity, ${report.incidentAt}::timestamptz,
        ${sender}::uuid, case when ${report.severity} = 'critical' then now() end
      where ${actor.systemAdmin}::boolean
        or exists (select 1 from event_roles where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid)
      returning id, event_id, created_at
    )
    insert into incident_history (incident_id, event_id, actor_id, action, to_value, created_at)
    select id, event_id, ${sender}::uuid, 'submitted', 'submitted', created_at from filed`;
  if (written === 0) throw forbidden();
}

/**
 * Moves a report to any state, the present one included (interface 3, rulings R5). The note becomes a team
 * note; on resolved it also fills an empty resolution, which then is for the team to read, as the note is (rulings R4).
 * @throws AppError INVALID_ASSIGNEE, CONFLICT when If-Match is stale
 */
export const changeState = (doer: Doer, incidentId: string, change: StateChange): Promise<IncidentRow> =>
  move(doer, incidentId, {
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
 * Reopens a resolved or closed report: to investigating with an assignee, else to acknowledged (interface 3).
 * @throws AppError INVALID_STATE_TRANSITION from any other state
 */
export const reopen = (
  doer: Doer,
  incidentId: string,
  { notes, assignedToUserId }: Reopening,
): Promise<IncidentRow> =>
  move(doer, incidentId, {
    action: "reopen",
    note: notes,
    assignee: assignedToUserId,
    decide: (before) => {
      if (!canReopen(before.state)) {
        throw new AppError(
          "INVALID_STATE_TRANSITION",
          "Only a resolved or closed report can be reopened.",
          `This one is ${before.state}.`,
        );
      }
      return {
        state: stateAfterReopening(assignedToUserId),
        ...(assignedToUserId ? { assignedResponderId: assignedToUserId } : {}),
      };
    },
  });

/** Changes assignee, severity, resolution or state in one go (interface 4.5, rulings R5). */
export const updateIncident = (
  doer: Doer,
  incidentId: string,
  change: IncidentChange,
): Promise<IncidentRow> =>
  move(doer, incidentId, {
    action: "state",
    note: null,
    assignee: change.assignedResponderId,
    decide: () => change as Move,
  });

/** Gives a report another title; the old one stays in the history. */
export async function retitle(doer: Doer, incidentId: string, title: string): Promise<IncidentRow> {
  const { actor, eventId } = doer;
  await sqlTransaction(async (tx) => {
    const before = await lock(tx, doer, { incidentId, assignee: null });
    refuseStale(doer.call, before.updatedAt);
    await tx.$executeRaw`
      with changed as (
        update incidents set title = ${title}, updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
        where id = ${incidentId}::uuid returning id, event_id
      )
      insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
      select id, event_id, ${actor.id}::uuid, 'title', ${before.title}, ${title} from changed`;
    await audit(tx, { ...deed(doer, incidentId), action: "incident.retitle" });
  });
  return reread(actor, eventId, incidentId);
}

/** Whoever opens a file of a report leaves an audit entry. */
export async function recordDownload(
  doer: Doer,
  { incidentId, fileId }: { incidentId: string; fileId: string },
): Promise<void> {
  const entry = {
    ...deed(doer, fileId),
    action: "file.download",
    object: { type: "file", id: fileId },
    data: { incidentId },
  };
  await sqlTransaction((tx) => audit(tx, entry));
}

type Intent = {
  action: "state" | "reopen";
  note: string | null;
  /** Who is to be assigned; null for nobody, undefined where it stays as it is. */
  assignee: string | null | undefined;
  decide: (before: Locked) => Move;
};
type Locked = Standing & { title: string; updatedAt: Date };

/**
 * One change of a report, in one transaction: lock the row, look at rights and assignee, write record,
 * history and note, tell, audit. The lock serializes simultaneous changes: each sees the one before it.
 */
async function move(doer: Doer, incidentId: string, intent: Intent): Promise<IncidentRow> {
  await sqlTransaction(async (tx) => {
    const { now, onTeam, assignable, ...before } = await lock(tx, doer, {
      incidentId,
      assignee: intent.assignee,
    });
    refuseStale(doer.call, before.updatedAt);
    const wanted = intent.decide(before);
    admitMove({ onTeam, assignable });
    const after = standingAfter(before, wanted, now);
    // What a note filled in is the team's; what somebody wrote there is for the reporter as well.
    const resolutionInternal = wanted.resolution === undefined ? null : intent.note !== null;
    await write(tx, { doer, incidentId, before, after, intent, now, resolutionInternal });
    await tellOfMove(tx, { doer, incidentId, before, after, intent });
    await audit(tx, {
      ...deed(doer, incidentId),
      action: intent.action === "reopen" ? "incident.reopen" : "incident.change",
      data: {
        fromState: before.state,
        toState: after.state,
        severity: after.severity,
        assignedResponderId: after.assignedResponderId,
      },
    });
  });
  return reread(doer.actor, doer.eventId, incidentId);
}

type Admission = { onTeam: boolean; assignable: boolean };
type Wanted = { incidentId: string; assignee: string | null | undefined };

/**
 * Locks the row and reads it as the last change left it; with it the time of the move, and whether the actor is on
 * the team and the wanted assignee may be. The assignee keeps the role until the commit: whoever takes it at the same
 * moment finds what was assigned, and takes that, too (lib/events/holdings.ts).
 */
async function lock(
  tx: Sql,
  { actor, eventId }: Doer,
  { incidentId, assignee = null }: Wanted,
): Promise<Locked & Admission & { now: Date }> {
  const [row] = await tx.$queryRaw<(Locked & Admission & { now: Date })[]>`
    select title, state::text as state, severity::text as severity, assigned_responder_id as "assignedResponderId", resolution,
      first_response_at as "firstResponseAt", resolved_at as "resolvedAt", escalated_at as "escalatedAt",
      reopened_at as "reopenedAt", updated_at as "updatedAt",
      date_trunc('milliseconds', clock_timestamp()) as now,
      ${actor.systemAdmin}::boolean or exists (select 1 from event_roles where event_id = ${eventId}::uuid
        and user_id = ${actor.id}::uuid and role_name in ('Responder', 'Admin')) as "onTeam",
      ${assignee}::uuid is null or exists (select 1 from event_roles r join users u on u.id = r.user_id
        where r.event_id = ${eventId}::uuid and r.user_id = ${assignee}::uuid
        and r.role_name in ('Responder', 'Admin') and u.disabled_at is null for key share of r) as assignable
    from incidents where id = ${incidentId}::uuid and event_id = ${eventId}::uuid for no key update`;
  if (!row) throw notFound("This incident");
  return row;
}

/** Pages send the record's `updatedAt` along, so that a stale screen can't undo what it never saw (rulings R5). */
function refuseStale(call: Call, updatedAt: Date): void {
  const seen = call.ifMatch?.replace(/^(W\/)?"|"$/g, "");
  if (!seen || seen === "*" || seen === updatedAt.toISOString()) return;
  throw new AppError(
    "CONFLICT",
    "Somebody changed this report in the meantime.",
    "Load it again, look at what changed, and decide anew.",
  );
}

/** Is the actor still on the team, and may the new assignee be one? */
function admitMove({ onTeam, assignable }: Admission): void {
  if (!onTeam) throw forbidden();
  if (assignable) return;
  throw new AppError(
    "INVALID_ASSIGNEE",
    "This person can't be assigned.",
    "Choose a Responder or Admin of this event.",
  );
}

type Writing = {
  doer: Doer;
  incidentId: string;
  before: Locked;
  after: Standing;
  intent: Intent;
  now: Date;
  /** Null where the resolution stays as it is. */
  resolutionInternal: boolean | null;
};

async function write(tx: Sql, writing: Writing): Promise<void> {
  const { doer, incidentId, before, after, intent, now, resolutionInternal } = writing;
  const { actor, eventId } = doer;
  const changes = changesOf(before, after, intent);
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
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, object_id, created_at)
    select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, c.action, c.from_value, c.to_value,
      case when c.action = 'note' then (select id from noted) end, ${updatedAt}::timestamptz
    from unnest(${changes.map((c) => c.action)}::text[], ${changes.map((c) => c.from)}::text[], ${changes.map((c) => c.to)}::text[])
      as c(action, from_value, to_value)`;
}

type Told = Omit<Writing, "now" | "resolutionInternal">;

/** That it moved, that somebody was assigned, that it became critical; any other change is told as such. */
async function tellOfMove(tx: Sql, { doer, incidentId, before, after, intent }: Told): Promise<void> {
  const { actor, organizationId, eventId } = doer;
  const fact = { actorId: actor.id, organizationId, eventId, incidentId, state: after.state };
  const moved = intent.action === "reopen" || before.state !== after.state;
  const assignee = after.assignedResponderId;
  const facts: Fact[] = [];
  if (moved) facts.push({ ...fact, kind: "incident.state" });
  if (assignee !== null && assignee !== before.assignedResponderId)
    facts.push({ ...fact, kind: "incident.assigned", personIds: [assignee] });
  if (before.escalatedAt === null && after.escalatedAt !== null)
    facts.push({ ...fact, kind: "incident.escalated" });
  await tellAll(tx, facts.length > 0 ? facts : [{ ...fact, kind: "incident.changed" }]);
}

type Change = { action: string; from: string | null; to: string | null };

/** What the history says: the move, also one to the present state, and each field that differs. */
function changesOf(before: Locked, after: Standing, { action, note }: Intent): Change[] {
  const field = (name: string, from: string | null, to: string | null): Change[] =>
    from === to ? [] : [{ action: name, from, to }];
  const moved = action === "reopen" || before.state !== after.state;
  return [
    ...(moved ? [{ action, from: before.state, to: after.state }] : []),
    ...field("assignee", before.assignedResponderId, after.assignedResponderId),
    ...field("severity", before.severity, after.severity),
    ...field("resolution", before.resolution, after.resolution),
    ...(note ? [{ action: "note", from: null, to: null }] : []),
  ];
}

const deed = ({ organizationId, eventId, actor, right, call }: Doer, incidentId: string) => ({
  organizationId,
  eventId,
  actorId: actor.id,
  right,
  object: { type: "incident", id: incidentId },
  requestId: call.requestId,
});

async function reread(actor: Actor, eventId: string, incidentId: string): Promise<IncidentRow> {
  const incident = await findIncident(db, eventId, incidentId);
  if (!incident) throw notFound("This incident");
  return shownTo(actor, incident);
}
