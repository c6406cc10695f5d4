import type { SqlClient } from "#lib/database/sql.ts";
import { nextUpdatedAtSql } from "#lib/database/next-updated-at-sql.ts";
import { isStillEventAdminSql } from "#lib/events/held-roles-sql.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { insertOutboxEventsSql } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, type OutboxEventKind } from "#lib/jobs/outbox-events.ts";

/** Changing and removing a comment: the same for messages and notes, each in their own tables. */

export type CommentContext = EventActorContext & { incidentId: string };

/** The differences between messages and notes when one is changed or removed. */
export type CommentKindDefinition = {
  /** The first part of an action's name in the incident's history, such as `note` in `note.edited`. */
  name: "message" | "note";
  table: Prisma.Sql;
  /** The column that holds the incident's id; the conversation with a reporter has the same. */
  incidentOf: Prisma.Sql;
  revisionTable: Prisma.Sql;
  /** The column by which a revision refers to its comment. */
  revisionOf: Prisma.Sql;
  /** Condition on an incident `i`: the actor may still write such comments on it. */
  isStillWriterSql: (context: CommentContext) => Prisma.Sql;
  /** The outbox event for a comment that was changed or removed. */
  changeEvent: OutboxEventKind;
};

type CommentPlace = { context: CommentContext; id: string };
type LockedComment = { body: string; updatedAt: Date };

/** Locks a comment. @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale */
export async function lockComment(
  tx: SqlClient,
  kind: CommentKindDefinition,
  { context, id }: CommentPlace,
): Promise<LockedComment> {
  const [row] = await tx.$queryRaw<LockedComment[]>`
    select c.body, c.updated_at as "updatedAt" from ${kind.table} c join incidents i on i.id = c.${kind.incidentOf}
    where c.id = ${id}::uuid and i.id = ${context.incidentId}::uuid and i.event_id = ${context.eventId}::uuid for update of c`;
  if (!row) throw createNotFoundError("comment");
  assertIfMatch("comment", context.call, row.updatedAt);
  return row;
}

/**
 * Changes the actor's own comment, which is locked. An earlier text that was replaced stays as a revision. The history
 * refers to the revision and never holds its text, so that the text is deleted with the comment.
 * @throws AppError FORBIDDEN
 */
export async function updateOwnComment(
  tx: SqlClient,
  kind: CommentKindDefinition,
  { context, id, before, body }: CommentPlace & { before: LockedComment; body: string },
): Promise<void> {
  const { actor, eventId } = context;
  const { name, table, incidentOf, revisionTable, revisionOf, isStillWriterSql } = kind;
  const changed = await tx.$executeRaw`
    with changed as (
      update ${table} c set body = ${body},
        updated_at = ${nextUpdatedAtSql("c")}
      from incidents i where c.id = ${id}::uuid and i.id = c.${incidentOf} and c.author_id = ${actor.id}::uuid
        and ${isStillWriterSql(context)}
      returning c.id, i.id as incident_id, c.updated_at
    ), revision as (
      insert into ${revisionTable} (${revisionOf}, body, replaced_at)
      select id, ${before.body}, updated_at from changed where ${before.body !== body}::boolean returning id
    ), appended_events as (
      ${insertOutboxEventsSql(tx, [buildOutboxEvent(context, kind.changeEvent)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, object_id, created_at)
    select incident_id, ${eventId}::uuid, ${actor.id}::uuid, ${`${name}.edited`}, (select id::text from revision), id, updated_at
    from changed`;
  if (changed === 0) throw createForbiddenError();
}

/**
 * Removes a comment with everything that depends on it. Authors may remove their own comments, Admins any. The history
 * still shows that the comment existed and who removed it.
 * @throws AppError NOT_FOUND when the comment is gone, CONFLICT when If-Match is stale, FORBIDDEN when the actor has
 *   lost the role
 */
export async function deleteComment(
  tx: SqlClient,
  kind: CommentKindDefinition,
  { context, id }: CommentPlace,
): Promise<void> {
  const { actor, eventId } = context;
  const { name, table, incidentOf, isStillWriterSql } = kind;
  await lockComment(tx, kind, { context, id });
  const removed = await tx.$executeRaw`
    with removed as (
      delete from ${table} c using incidents i
      where c.id = ${id}::uuid and i.id = c.${incidentOf} and (${isStillEventAdminSql(actor, eventId)}
        or (c.author_id = ${actor.id}::uuid and ${isStillWriterSql(context)}))
      returning c.id, i.id as incident_id
    ), appended_events as (
      ${insertOutboxEventsSql(tx, [buildOutboxEvent(context, kind.changeEvent)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id)
    select incident_id, ${eventId}::uuid, ${actor.id}::uuid, ${`${name}.deleted`}, id from removed`;
  if (removed === 0) throw createForbiddenError();
}
