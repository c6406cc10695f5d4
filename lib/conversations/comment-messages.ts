import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import {
  deleteComment,
  lockComment,
  updateOwnComment,
  type CommentContext,
  type CommentKindDefinition,
} from "#lib/conversations/comment-editing.ts";
import { loadMessage } from "#lib/conversations/comment-queries.ts";
import type {
  CommentChangeInput,
  ReporterMessageRecord,
  NewCommentInput,
} from "#lib/conversations/comment-schema.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { addMessage, refreshLastMessage } from "#lib/incidents/messages.ts";
import { createForbiddenError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import { buildOutboxEvent, MESSAGE_AFTER_CLOSING_KIND } from "#lib/jobs/outbox-events.ts";
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
    async (tx) => {
      const { fromParty, finished } = await lockIncidentToWrite(tx, context);
      return addMessage(tx, {
        conversationId: context.incidentId,
        authorId: context.actor.id,
        fromParty,
        kind: "message",
        body,
        waitForReporter,
        // When the reporter writes after the incident was resolved or closed, more people are notified (contract 8.4).
        event: buildOutboxEvent(
          context,
          fromParty && finished ? MESSAGE_AFTER_CLOSING_KIND : "message.created",
        ),
      });
    },
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
 * Locks the incident, so that its status can't change in the meantime. Whoever reported is the reporter here, also where
 * they are on the team.
 * @throws AppError FORBIDDEN when the role has been lost since
 */
async function lockIncidentToWrite(
  tx: SqlClient,
  context: CommentContext,
): Promise<{ fromParty: boolean; finished: boolean }> {
  const { actor, eventId, incidentId } = context;
  const [row] = await tx.$queryRaw<{ fromParty: boolean; finished: boolean }[]>`
    select coalesce(i.reporter_id = ${actor.id}::uuid, false) as "fromParty", i.state not in ${OPEN_STATES_SQL} as finished
    from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid and ${isStillParticipantSql(context)}
    for no key update`;
  if (!row) throw createForbiddenError();
  return row;
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
    await refreshLastMessage(tx, context.incidentId);
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

const MESSAGES: CommentKindDefinition = {
  name: "message",
  table: Prisma.sql`messages`,
  incidentOf: Prisma.sql`conversation_id`,
  revisionTable: Prisma.sql`message_revisions`,
  revisionOf: Prisma.sql`message_id`,
  isStillWriterSql: isStillParticipantSql,
  changeEvent: "incident.changed",
};
