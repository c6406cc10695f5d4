import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import {
  deleteComment,
  lockComment,
  updateOwnComment,
  type CommentContext,
  type CommentKindDefinition,
} from "#lib/comments/editing.ts";
import { loadMessage } from "#lib/comments/queries.ts";
import type { CommentChangeInput, ReporterMessageRecord, NewCommentInput } from "#lib/comments/schema.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { createForbiddenError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import { MESSAGE_AFTER_CLOSING_KIND, type OutboxEvent, type OutboxEventKind } from "#lib/outbox/events.ts";
import { insertOutboxEventsSql } from "#lib/outbox/append.ts";
import { isStillOnEventTeamSql, mayStillReportAtEventSql } from "#lib/events/held-roles-sql.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Messages between the team and the reporter. Team notes are separate (docs/decisions/008). */

/**
 * Writes a message, its history entry and its audit entry in one transaction.
 * @throws AppError FORBIDDEN when the role has been lost since
 */
export async function writeMessage(
  context: CommentContext,
  { body, waitForReporter = false }: NewCommentInput,
): Promise<ReporterMessageRecord> {
  const id = await runSqlTransaction(
    async (tx) =>
      insertMessage(tx, context, { body, waitForReporter, kind: await lockAndChooseKind(tx, context) }),
    async (tx, messageId) => {
      await appendAuditEntry(
        tx,
        buildAuditEntry(
          context,
          "message.create",
          { type: "message", id: messageId },
          { incidentId: context.incidentId },
        ),
      );
      return messageId;
    },
  );
  return loadMessage(id);
}

/**
 * Locks the incident, so that its status can't change in the meantime, and returns the kind of outbox event for a new
 * message. When the reporter writes after the incident was resolved or closed, more people are notified (contract 8.4).
 */
async function lockAndChooseKind(
  tx: SqlClient,
  { actor, eventId, incidentId }: CommentContext,
): Promise<MessageKind> {
  const [row] = await tx.$queryRaw<{ late: boolean }[]>`
    select state not in ${OPEN_STATES_SQL} and coalesce(reporter_id = ${actor.id}::uuid, false) as late from incidents
    where id = ${incidentId}::uuid and event_id = ${eventId}::uuid for no key update`;
  return row?.late ? MESSAGE_AFTER_CLOSING_KIND : "message.created";
}

type MessageKind = Extract<OutboxEventKind, "message.created" | typeof MESSAGE_AFTER_CLOSING_KIND>;

/**
 * Inserts a message with its history entry and outbox event, in one statement that also checks the actor's role again.
 * @returns the message's id
 * @throws AppError FORBIDDEN when the role has been lost since
 */
async function insertMessage(
  tx: SqlClient,
  context: CommentContext,
  { body, waitForReporter, kind }: { body: string; waitForReporter: boolean; kind: MessageKind },
): Promise<string> {
  const [message] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into reporter_messages (incident_id, author_id, body, wait_for_reporter, created_at, updated_at)
      select i.id, ${context.actor.id}::uuid, ${body}, ${waitForReporter}, now.at, now.at
      from incidents i, (select date_trunc('milliseconds', clock_timestamp()) as at) now
      where i.id = ${context.incidentId}::uuid and i.event_id = ${context.eventId}::uuid and ${isStillParticipantSql(context)}
      returning id, incident_id, created_at
    ), appended_events as (
      ${insertOutboxEventsSql(tx, [{ ...buildCreatedEvent(context), kind }])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'message', id, created_at from written
    returning object_id as id`;
  if (!message) throw createForbiddenError();
  return message.id;
}

/**
 * Changes the actor's own message. The earlier text stays as a revision, to which the history refers.
 * @throws AppError NOT_FOUND when the message is gone, CONFLICT when If-Match is stale, FORBIDDEN
 */
export async function editOwnMessage(
  context: CommentContext,
  id: string,
  { body }: CommentChangeInput,
): Promise<ReporterMessageRecord> {
  await runSqlTransaction(async (tx) => {
    const before = await lockComment(tx, MESSAGES, { context, id });
    if (before.body === body) return;
    await updateOwnComment(tx, MESSAGES, { context, id, before, body });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "message.edit", { type: "message", id }, { incidentId: context.incidentId }),
    );
  });
  return loadMessage(id);
}

/** Removes a message with its revisions. @throws AppError as `deleteComment` */
export async function removeMessage(context: CommentContext, id: string): Promise<void> {
  await runSqlTransaction(async (tx) => {
    await deleteComment(tx, MESSAGES, { context, id });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "message.delete", { type: "message", id }, { incidentId: context.incidentId }),
    );
  });
}

/** Condition on an incident `i` of the event: the actor is on its team, or is its reporter and still holds a role. */
const isStillParticipantSql = ({ actor, eventId }: CommentContext) =>
  Prisma.sql`(${isStillOnEventTeamSql(actor, eventId)}
    or i.reporter_id = ${actor.id}::uuid and ${mayStillReportAtEventSql(actor, eventId)})`;

const buildCreatedEvent = ({ actor, organizationId, eventId, incidentId }: CommentContext): OutboxEvent => ({
  kind: "message.created",
  actorId: actor.id,
  organizationId,
  eventId,
  incidentId,
});

const MESSAGES: CommentKindDefinition = {
  name: "message",
  table: Prisma.sql`reporter_messages`,
  revisionTable: Prisma.sql`reporter_message_revisions`,
  revisionOf: Prisma.sql`message_id`,
  isStillWriterSql: isStillParticipantSql,
  changeEvent: "incident.changed",
};
