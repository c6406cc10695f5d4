import { appendAuditEntry } from "#lib/audit/audit.ts";
import { loadMessage } from "#lib/comments/queries.ts";
import type { CommentChange, MessageRecord, NewComment } from "#lib/comments/schema.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { OPEN_STATES_SQL } from "#lib/operation/policy-sql.ts";
import type { ActorContext } from "#lib/incidents/incidents.ts";
import { MESSAGE_AFTER_CLOSING, type OutboxEvent, type OutboxEventKind } from "#lib/outbox/events.ts";
import { appendOutboxEventsSql } from "#lib/outbox/append.ts";
import { isStillAdminSql, isStillOnTeamSql, isStillReporterSql } from "#lib/events/held-roles.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Messages between the team and the reporter. Team notes are separate (docs/decisions/008). */

type MessageContext = ActorContext & { incidentId: string };

/**
 * Writes a message, its history entry and its audit entry in one transaction.
 * @throws AppError FORBIDDEN when the role has been lost since
 */
export async function writeMessage(context: MessageContext, { body }: NewComment): Promise<MessageRecord> {
  const id = await runSqlTransaction(
    async (tx) => insertMessage(tx, context, { body, kind: await lockAndChooseKind(tx, context) }),
    async (tx, messageId) => {
      await appendAuditEntry(tx, { ...buildAuditFields(context, messageId), action: "message.create" });
      return messageId;
    },
  );
  return loadMessage(id);
}

/**
 * Locks the incident, so that its status can't change in the meantime, and returns the kind of event of a new message.
 * More people are notified of one that the reporter writes after the incident was resolved or closed (contract 8.4).
 */
async function lockAndChooseKind(
  tx: SqlClient,
  { actor, eventId, incidentId }: MessageContext,
): Promise<MessageKind> {
  const [row] = await tx.$queryRaw<{ late: boolean }[]>`
    select state not in ${OPEN_STATES_SQL} and coalesce(reporter_id = ${actor.id}::uuid, false) as late from incidents
    where id = ${incidentId}::uuid and event_id = ${eventId}::uuid for no key update`;
  return row?.late ? MESSAGE_AFTER_CLOSING : "message.created";
}

type MessageKind = Extract<OutboxEventKind, "message.created" | typeof MESSAGE_AFTER_CLOSING>;

/**
 * Checks the role again in the statement that writes, which also appends the outbox event. @returns the message's id
 */
async function insertMessage(
  tx: SqlClient,
  context: MessageContext,
  { body, kind }: { body: string; kind: MessageKind },
): Promise<string> {
  const [message] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into reporter_messages (incident_id, author_id, body, created_at, updated_at)
      select i.id, ${context.actor.id}::uuid, ${body}, now.at, now.at
      from incidents i, (select date_trunc('milliseconds', clock_timestamp()) as at) now
      where i.id = ${context.incidentId}::uuid and i.event_id = ${context.eventId}::uuid and ${isStillParticipantSql(context)}
      returning id, incident_id, created_at
    ), appended_events as (
      ${appendOutboxEventsSql(tx, [{ ...buildCreatedEvent(context), kind }])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message', id, created_at from written
    returning object_id as id`;
  if (!message) throw createForbiddenError();
  return message.id;
}

/**
 * Changes the actor's own message. The earlier text stays in its revisions and in the history.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN
 */
export async function editMessage(
  context: MessageContext,
  id: string,
  { body }: CommentChange,
): Promise<MessageRecord> {
  await runSqlTransaction(async (tx) => {
    const before = await lockMessage(tx, context, id);
    assertIfMatch("comment", context.call, before.updatedAt);
    if (before.body === body) return;
    await updateMessage(tx, context, { id, before, body });
    await appendAuditEntry(tx, { ...buildAuditFields(context, id), action: "message.edit" });
  });
  return loadMessage(id);
}

type LockedMessage = { body: string; updatedAt: Date };

async function lockMessage(
  tx: SqlClient,
  { eventId, incidentId }: MessageContext,
  id: string,
): Promise<LockedMessage> {
  const [row] = await tx.$queryRaw<LockedMessage[]>`
    select m.body, m.updated_at as "updatedAt" from reporter_messages m join incidents i on i.id = m.incident_id
    where m.id = ${id}::uuid and i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid for update of m`;
  if (!row) throw createNotFoundError("comment");
  return row;
}

type MessageUpdate = { id: string; before: LockedMessage; body: string };

/** The history refers to the revision and never holds its text, so that the text is deleted with the message. */
async function updateMessage(
  tx: SqlClient,
  context: MessageContext,
  { id, before, body }: MessageUpdate,
): Promise<void> {
  const changed = await tx.$executeRaw`
    with changed as (
      update reporter_messages m set body = ${body},
        updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), m.updated_at + interval '1 millisecond')
      from incidents i where m.id = ${id}::uuid and i.id = m.incident_id and m.author_id = ${context.actor.id}::uuid
        and ${isStillParticipantSql(context)}
      returning m.id, m.incident_id, m.updated_at
    ), revision as (
      insert into reporter_message_revisions (message_id, body, replaced_at)
      select id, ${before.body}, updated_at from changed returning id
    ), appended_events as (
      ${appendOutboxEventsSql(tx, [buildChangedEvent(context)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message.edited', (select id::text from revision), id, updated_at
    from changed`;
  if (changed === 0) throw createForbiddenError();
}

/**
 * Removes a message with its revisions: the actor's own, or as Admin anybody's. The history keeps that it existed and
 * who removed it.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN when the role was lost
 */
export async function removeMessage(context: MessageContext, id: string): Promise<void> {
  await runSqlTransaction(async (tx) => {
    const { updatedAt } = await lockMessage(tx, context, id);
    assertIfMatch("comment", context.call, updatedAt);
    const removed = await tx.$executeRaw`
      with removed as (
        delete from reporter_messages m using incidents i
        where m.id = ${id}::uuid and i.id = m.incident_id and (${isStillAdminSql(context.actor, context.eventId)}
          or (m.author_id = ${context.actor.id}::uuid and ${isStillParticipantSql(context)}))
        returning m.id, m.incident_id
      ), appended_events as (
        ${appendOutboxEventsSql(tx, [buildChangedEvent(context)])}
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message.deleted', id from removed`;
    if (removed === 0) throw createForbiddenError();
    await appendAuditEntry(tx, { ...buildAuditFields(context, id), action: "message.delete" });
  });
}

/** Condition on an incident `i` of the event: the actor is on its team, or is its reporter and still holds a role. */
const isStillParticipantSql = ({ actor, eventId }: ActorContext) =>
  Prisma.sql`(${isStillOnTeamSql(actor, eventId)}
    or i.reporter_id = ${actor.id}::uuid and ${isStillReporterSql(actor, eventId)})`;

const buildCreatedEvent = ({ actor, organizationId, eventId, incidentId }: MessageContext): OutboxEvent => ({
  kind: "message.created",
  actorId: actor.id,
  organizationId,
  eventId,
  incidentId,
});

/** The outbox event for a message that was edited or removed. */
const buildChangedEvent = (context: MessageContext): OutboxEvent => ({
  ...buildCreatedEvent(context),
  kind: "incident.changed",
});

const buildAuditFields = (
  { organizationId, eventId, incidentId, actor, right, call }: MessageContext,
  id: string,
) => ({
  organizationId,
  eventId,
  actorId: actor.id,
  right,
  object: { type: "message", id },
  data: { incidentId },
  requestId: call.requestId,
});
