import { randomUUID } from "node:crypto";
import { isVerified } from "#lib/accounts/email-verification.ts";
import { audit, type Deed } from "#lib/audit/audit.ts";
import type { Call } from "#lib/operation/operation.ts";
import { countReport } from "#lib/rate-limits/rate-limits.ts";
import { refuseStale } from "#lib/operation/if-match.ts";
import { sqlTransaction } from "#lib/database/client.ts";
import { AppError, forbidden, InvalidInput, mayHaveHappened, notFound } from "#lib/operation/errors.ts";
import type { EventSubject } from "#lib/events/scope.ts";
import { dropFiles, insertEvidence, keepFiles } from "#lib/files/evidence.ts";
import {
  canReopen,
  standingAfter,
  stateAfterReopening,
  type Move,
  type Standing,
} from "#lib/incidents/lifecycle.ts";
import { findIncident, incidentIn, recordFrom, shownTo, type IncidentRow } from "#lib/incidents/queries.ts";
import type { IncidentChange, NewIncident, Reopening, StateChange } from "#lib/incidents/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Fact } from "#lib/outbox/events.ts";
import { telling } from "#lib/outbox/append.ts";
import { alreadyFiled, FiledMeanwhile, KNOWN_FOR, type Kept, keptOf } from "#lib/incidents/idempotency.ts";
import { isTeam, type Actor } from "#lib/operation/policy.ts";
import { isStillOnTeam, isStillReporter } from "#lib/events/held-roles.ts";
import type { Sql } from "#lib/database/sql.ts";

/** Who acts on what, by what right. */
export type Doer = EventSubject & { actor: Actor; right: string; call: Call };

/**
 * Files a report: the record in state submitted, its files, its first history entry and the audit entry,
 * together or not at all. Files are in place before their rows can be seen. An anonymous report keeps no
 * trace of who sent it (contract 7.3). What was sent before under the same key is not filed again, nor counted.
 * @throws InvalidInput when it describes more files than came; AppError FORBIDDEN when the role was lost meanwhile,
 *   UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function fileReport(doer: Doer, given: NewIncident): Promise<IncidentRow> {
  // Nobody can be reached where nobody is named: a wish for it would only tell something about the sender.
  const report: NewIncident = given.anonymous ? { ...given, contactMethod: "no_contact" } : given;
  const kept = keptOf(doer, report);
  const filed = kept && (await alreadyFiled(doer, report, kept));
  if (filed) return filed;
  const uncount = await countReport(doer.actor.id, report, bytesOf(doer.call.files));
  try {
    return await file(doer, report, kept);
  } catch (error) {
    // Of a report whose commit got no answer nobody knows; it stays counted.
    if (!mayHaveHappened(error)) await uncount();
    if (error instanceof FiledMeanwhile) return fileReport(doer, given);
    throw error;
  }
}

const bytesOf = (files: readonly { size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

async function file(doer: Doer, report: NewIncident, kept: Kept | null): Promise<IncidentRow> {
  const { actor, eventId, call } = doer;
  const descriptions = descriptionsOf(report, call.files.length);
  const files = await keepFiles(call.files, { personId: actor.id, eventId, anonymous: report.anonymous });
  const incidentId = randomUUID();
  const sender = report.anonymous ? null : actor.id;
  try {
    return await sqlTransaction(
      async (tx) => {
        // Sent one behind the other; the first that fails decides.
        const [written, , withFiles] = await Promise.all([
          insertReport(tx, doer, { incidentId, sender, report, kept }),
          insertEvidence(tx, {
            incidentId,
            eventId,
            uploadedById: sender,
            onTeam: isTeam(actor, eventId),
            files,
            descriptions,
          }),
          files.length > 0 ? reread(tx, doer, incidentId) : undefined,
        ]);
        return withFiles ?? written;
      },
      async (tx, incident) => {
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
        return incident;
      },
    );
  } catch (error) {
    await dropFiles(files, error);
    throw error;
  }
}

/** What each of `count` files shows. @throws InvalidInput when there are more descriptions than files */
function descriptionsOf({ fileDescriptions: given = [] }: NewIncident, count: number): (string | null)[] {
  const described = given.findLastIndex((one) => one !== null) + 1;
  if (described > count) throw new InvalidInput({ fileDescriptions: "describes more files than were sent" });
  const [first = null] = given;
  return given.length === 1 ? Array.from({ length: count }, () => first) : given;
}

type Draft = { incidentId: string; sender: string | null; report: NewIncident; kept: Kept | null };

/**
 * The role is looked at once more in the statement that writes: an upload may have taken minutes. Where the event has
 * gone meanwhile, and every role with it, that is what the sender hears. The same statement takes the key, and waits
 * where another transaction is about to.
 * @throws FiledMeanwhile when that one has
 */
async function insertReport(
  tx: Sql,
  { actor, organizationId, eventId }: Doer,
  { incidentId, sender, report, kept }: Draft,
): Promise<IncidentRow> {
  const key = kept?.key ?? null;
  const fact: Fact = {
    kind: "incident.created",
    actorId: sender,
    organizationId,
    eventId,
    incidentId,
    state: "submitted",
  };
  const [found] = await tx.$queryRaw<{ record: string | null; allowed: boolean; eventIsThere: boolean }[]>`
    with told as (${telling(tx, [fact])}), allowed as materialized (select ${isStillReporter(actor, eventId)} as yes), taken as (
      insert into report_keys (key, content, incident_id, user_id)
      select ${key}::bytea, ${kept?.content ?? null}::bytea, ${incidentId}::uuid, ${sender}::uuid
      from allowed where yes and ${key}::bytea is not null
      on conflict (key) do update set content = excluded.content, incident_id = excluded.incident_id, user_id = excluded.user_id
        where exists (select 1 from incidents i where i.id = report_keys.incident_id and i.created_at <= now() - ${KNOWN_FOR})
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
    select (${recordFrom(Prisma.sql`filed`)}) as record, (select yes from allowed) as allowed,
      exists (select 1 from events where id = ${eventId}::uuid) as "eventIsThere"`;
  if (!found?.eventIsThere) throw notFound("This event");
  if (!found.allowed) throw forbidden();
  if (found.record === null) throw new FiledMeanwhile();
  return shownTo(actor, incidentIn(found.record));
}

/**
 * Moves a report to any state, the present one included (contract 7.6). The note becomes a team
 * note; on resolved it also fills an empty resolution, which then is for the team to read, as the note is (contract 7.6).
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
 * Reopens a resolved or closed report: to investigating with an assignee, else to acknowledged (contract 7.7).
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

/** Changes assignee, severity, resolution or state in one go (contract 7.8). */
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
  return sqlTransaction(
    async (tx) => {
      const before = await lock(tx, doer, { incidentId, assignee: null });
      refuseStale("report", doer.call, before.updatedAt);
      return before;
    },
    async (tx, before) => {
      const { actor, organizationId, eventId } = doer;
      const fact: Fact = {
        kind: "incident.changed",
        actorId: actor.id,
        organizationId,
        eventId,
        incidentId,
        state: before.state,
      };
      const written = tx.$executeRaw`
        with told as (${telling(tx, [fact])}), changed as (
          update incidents set title = ${title}, updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
          where id = ${incidentId}::uuid returning id, event_id
        )
        insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
        select id, event_id, ${actor.id}::uuid, 'title', ${before.title}, ${title} from changed`;
      const entry: Deed = { ...deed(doer, incidentId), action: "incident.retitle" };
      const [, incident] = await Promise.all([written, reread(tx, doer, incidentId), audit(tx, entry)]);
      return incident;
    },
  );
}

/** Whoever opens a file of a report leaves an audit entry. */
export async function recordDownload(
  doer: Doer,
  { incidentId, fileId }: { incidentId: string; fileId: string },
): Promise<void> {
  const entry: Deed = {
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
 * history, note and what is told of it, audit. The lock serializes simultaneous changes: each sees the one before it.
 */
const move = (doer: Doer, incidentId: string, intent: Intent): Promise<IncidentRow> =>
  sqlTransaction(
    async (tx) => {
      const { now, onTeam, assignable, ...before } = await lock(tx, doer, {
        incidentId,
        assignee: intent.assignee,
      });
      refuseStale("report", doer.call, before.updatedAt);
      const wanted = intent.decide(before);
      admitMove({ onTeam, assignable });
      const after = standingAfter(before, wanted, now);
      // What a note filled in is the team's; what somebody wrote there is for the reporter as well.
      const resolutionInternal = wanted.resolution === undefined ? null : intent.note !== null;
      return { doer, incidentId, before, after, intent, now, resolutionInternal };
    },
    async (tx, writing) => {
      const [, incident] = await Promise.all([
        write(tx, writing),
        reread(tx, doer, incidentId),
        audit(tx, deedOfMove(writing)),
      ]);
      return incident;
    },
  );

const deedOfMove = ({ doer, incidentId, before, after, intent }: Writing): Deed => ({
  ...deed(doer, incidentId),
  action: intent.action === "reopen" ? "incident.reopen" : "incident.change",
  data: {
    fromState: before.state,
    toState: after.state,
    severity: after.severity,
    assignedResponderId: after.assignedResponderId,
  },
});

type Admission = { onTeam: boolean; assignable: boolean };
type Wanted = { incidentId: string; assignee: string | null | undefined };

/**
 * Locks the row and reads it as the last change left it; with it the time of the move, and whether the actor is on
 * the team and the wanted assignee may be. The assignee keeps the role until the commit: whoever takes it at the same
 * moment finds what was assigned, and takes that, too (lib/events/assignments.ts).
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
      ${isStillOnTeam(actor, eventId)} as "onTeam",
      ${assignee}::uuid is null or exists (select 1 from event_roles r join users u on u.id = r.user_id
        where r.event_id = ${eventId}::uuid and r.user_id = ${assignee}::uuid
        and r.role_name in ('Responder', 'Admin') and u.disabled_at is null and ${isVerified()} for key share of r) as assignable
    from incidents where id = ${incidentId}::uuid and event_id = ${eventId}::uuid for no key update`;
  if (!row) throw notFound("This incident");
  return row;
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

/** Everything that a move leaves behind, but for its audit entry. */
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
    ), told as (
      ${telling(tx, factsOf(writing))}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value, object_id, created_at)
    select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, c.action, c.from_value, c.to_value,
      case when c.action = 'note' then (select id from noted) end, ${updatedAt}::timestamptz
    from unnest(${changes.map((c) => c.action)}::text[], ${changes.map((c) => c.from)}::text[], ${changes.map((c) => c.to)}::text[])
      as c(action, from_value, to_value)`;
}

/** That it moved, that somebody was assigned, that it became critical; any other change is told as such. */
function factsOf({ doer, incidentId, before, after, intent }: Writing): Fact[] {
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
  return facts.length > 0 ? facts : [{ ...fact, kind: "incident.changed" }];
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

/** The record as this transaction leaves it. */
async function reread(tx: Sql, { actor, eventId }: Doer, incidentId: string): Promise<IncidentRow> {
  const incident = await findIncident(tx, eventId, incidentId);
  if (!incident) throw notFound("This incident");
  return shownTo(actor, incident);
}
