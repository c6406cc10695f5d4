import { appendAuditEntry } from "#lib/audit/audit.ts";
import { findMessage } from "#lib/comments/queries.ts";
import type { CommentChange, MessageRecord, NewComment } from "#lib/comments/schema.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { forbidden, notFound } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { ActorContext } from "#lib/incidents/incidents.ts";
import type { OutboxEvent } from "#lib/outbox/events.ts";
import { appendOutboxEventsSql } from "#lib/outbox/append.ts";
import { isStillAdmin, isStillOnTeam, isStillReporter } from "#lib/events/held-roles.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** What the team and the reporter write to one another. Notes of the team are another matter (docs/decisions/008). */

type MessageContext = ActorContext & { incidentId: string };

/**
 * Writes a message: with its history entry and its audit entry, together or not at all.
 * @throws AppError FORBIDDEN when the role was lost meanwhile
 */
export async function writeMessage(context: MessageContext, { body }: NewComment): Promise<MessageRecord> {
  const id = await runSqlTransaction(
    (tx) => insertMessage(tx, context, body),
    async (tx, messageId) => {
      await appendAuditEntry(tx, { ...buildAuditFields(context, messageId), action: "message.create" });
      return messageId;
    },
  );
  return findMessage(id);
}

/** The role is looked at once more in the statement that writes, and tells. @returns the message's id */
async function insertMessage(tx: SqlClient, context: MessageContext, body: string): Promise<string> {
  const [message] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into reporter_messages (incident_id, author_id, body, created_at, updated_at)
      select i.id, ${context.actor.id}::uuid, ${body}, now.at, now.at
      from incidents i, (select date_trunc('milliseconds', clock_timestamp()) as at) now
      where i.id = ${context.incidentId}::uuid and i.event_id = ${context.eventId}::uuid and ${isStillParticipant(context)}
      returning id, incident_id, created_at
    ), told as (
      ${appendOutboxEventsSql(tx, [buildCreatedEvent(context)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message', id, created_at from written
    returning object_id as id`;
  if (!message) throw forbidden();
  return message.id;
}

/**
 * Changes a message of one's own. What it said stays among its revisions and in the history.
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
  return findMessage(id);
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
  if (!row) throw notFound("This comment");
  return row;
}

type MessageUpdate = { id: string; before: LockedMessage; body: string };

/** The history names the revision, never the words: those go with the message. */
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
        and ${isStillParticipant(context)}
      returning m.id, m.incident_id, m.updated_at
    ), kept as (
      insert into reporter_message_revisions (message_id, body, replaced_at)
      select id, ${before.body}, updated_at from changed returning id
    ), told as (
      ${appendOutboxEventsSql(tx, [buildChangedEvent(context)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message.edited', (select id::text from kept), id, updated_at
    from changed`;
  if (changed === 0) throw forbidden();
}

/**
 * Removes a message with its revisions: one's own, or as Admin anybody's. That there was one, and who removed it, stays
 * in the history.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN when the role was lost
 */
export async function removeMessage(context: MessageContext, id: string): Promise<void> {
  await runSqlTransaction(async (tx) => {
    const { updatedAt } = await lockMessage(tx, context, id);
    assertIfMatch("comment", context.call, updatedAt);
    const removed = await tx.$executeRaw`
      with removed as (
        delete from reporter_messages m using incidents i
        where m.id = ${id}::uuid and i.id = m.incident_id and (${isStillAdmin(context.actor, context.eventId)}
          or (m.author_id = ${context.actor.id}::uuid and ${isStillParticipant(context)}))
        returning m.id, m.incident_id
      ), told as (
        ${appendOutboxEventsSql(tx, [buildChangedEvent(context)])}
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message.deleted', id from removed`;
    if (removed === 0) throw forbidden();
    await appendAuditEntry(tx, { ...buildAuditFields(context, id), action: "message.delete" });
  });
}

/** Of an incident `i` of the event: on its team, or its reporter with the role still held. */
const isStillParticipant = ({ actor, eventId }: ActorContext) =>
  Prisma.sql`(${isStillOnTeam(actor, eventId)}
    or i.reporter_id = ${actor.id}::uuid and ${isStillReporter(actor, eventId)})`;

const buildCreatedEvent = ({ actor, organizationId, eventId, incidentId }: MessageContext): OutboxEvent => ({
  kind: "message.created",
  actorId: actor.id,
  organizationId,
  eventId,
  incidentId,
});

/** That one is no longer what it was, or gone. */
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
