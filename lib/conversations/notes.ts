import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import {
  deleteComment,
  lockComment,
  updateOwnComment,
  type CommentContext,
  type CommentKindDefinition,
} from "#lib/conversations/comment-editing.ts";
import { resolveMentions } from "#lib/conversations/mentions.ts";
import { loadNote } from "#lib/conversations/comment-queries.ts";
import type {
  CommentChangeInput,
  NewCommentInput,
  TeamNoteRecord,
} from "#lib/conversations/comment-schema.ts";
import { runSqlTransaction, runTransaction, type Tx } from "#lib/database/client.ts";
import { createForbiddenError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import { appendOutboxEvent, insertOutboxEventsSql } from "#lib/jobs/append-event.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Notes of the response team. They share no table with messages (docs/decisions/008). */

/**
 * Writes a note, its mentions, its history entry and its audit entry in one transaction.
 * @throws InvalidInputError for mentions outside the team; AppError FORBIDDEN when the role has been lost since
 */
export async function writeNote(context: CommentContext, note: NewCommentInput): Promise<TeamNoteRecord> {
  const id = await runSqlTransaction(
    async (tx) => {
      const people = await resolveMentions(tx, context.eventId, note);
      return insertNote(tx, context, { body: note.body, people });
    },
    async (tx, noteId) => {
      await appendAuditEntry(
        tx,
        buildAuditEntry(
          context,
          "note.create",
          { type: "note", id: noteId },
          { incidentId: context.incidentId },
        ),
      );
      return noteId;
    },
  );
  return loadNote(id);
}

/**
 * Inserts a note with its mentions, history entry and outbox event, in one statement that also checks the actor's role
 * again.
 * @returns the note's id
 * @throws AppError FORBIDDEN when the role has been lost since
 */
export async function insertNote(
  tx: SqlClient,
  context: CommentContext,
  { body, people }: { body: string; people: string[] },
): Promise<string> {
  const [note] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into team_notes (incident_id, author_id, body, created_at, updated_at)
      select i.id, ${context.actor.id}::uuid, ${body}, now.at, now.at
      from incidents i, (select date_trunc('milliseconds', clock_timestamp()) as at) now
      where i.id = ${context.incidentId}::uuid and i.event_id = ${context.eventId}::uuid and ${isStillOnEventTeamSql(context.actor, context.eventId)}
      returning id, incident_id, created_at
    ), added_mentions as (
      insert into team_note_mentions (note_id, user_id) select w.id, p.id from written w, unnest(${people}::uuid[]) as p(id)
    ), appended_events as (
      ${insertOutboxEventsSql(tx, [buildCreatedEvent(context, people)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'note', id, created_at from written
    returning object_id as id`;
  if (!note) throw createForbiddenError();
  return note.id;
}

/**
 * Changes the actor's own note. The earlier text stays as a revision, to which the history refers. Without `mentions`,
 * earlier mentions stay; newly mentioned people are notified.
 * @throws AppError NOT_FOUND when the note is gone, CONFLICT when If-Match is stale, FORBIDDEN; InvalidInputError as
 *   for `writeNote`
 */
export async function editOwnNote(
  context: CommentContext,
  id: string,
  change: CommentChangeInput,
): Promise<TeamNoteRecord> {
  await runTransaction(async (tx) => {
    const before = await lockComment(tx, NOTES, { context, id });
    const mentions = await tx.teamNoteMention.findMany({ where: { noteId: id }, select: { userId: true } });
    const formerPeople = mentions.map(({ userId }) => userId);
    const mentionedIds = await resolveMentions(tx, context.eventId, change);
    const people = change.mentions ? mentionedIds : [...new Set([...formerPeople, ...mentionedIds])];
    const isNew = (person: string) => !formerPeople.includes(person);
    if (before.body === change.body && people.length === formerPeople.length && !people.some(isNew)) return;
    await updateOwnComment(tx, NOTES, { context, id, before, body: change.body });
    await replaceMentions(tx, id, people);
    if (people.some(isNew)) await appendOutboxEvent(tx, buildCreatedEvent(context, people.filter(isNew)));
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "note.edit", { type: "note", id }, { incidentId: context.incidentId }),
    );
  });
  return loadNote(id);
}

async function replaceMentions(tx: Tx, noteId: string, people: string[]): Promise<void> {
  await tx.teamNoteMention.deleteMany({ where: { noteId, userId: { notIn: people } } });
  const data = people.map((userId) => ({ noteId, userId }));
  await tx.teamNoteMention.createMany({ data, skipDuplicates: true });
}

/** Removes a note with its revisions and mentions. @throws AppError as `deleteComment` */
export async function removeNote(context: CommentContext, id: string): Promise<void> {
  await runSqlTransaction(async (tx) => {
    await deleteComment(tx, NOTES, { context, id });
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "note.delete", { type: "note", id }, { incidentId: context.incidentId }),
    );
  });
}

const NOTES: CommentKindDefinition = {
  name: "note",
  table: Prisma.sql`team_notes`,
  incidentOf: Prisma.sql`incident_id`,
  revisionTable: Prisma.sql`team_note_revisions`,
  revisionOf: Prisma.sql`note_id`,
  isStillWriterSql: ({ actor, eventId }) => isStillOnEventTeamSql(actor, eventId),
  changeEvent: TEAM_ONLY_CHANGE_KIND,
};

const buildCreatedEvent = (context: CommentContext, personIds: string[]) =>
  buildOutboxEvent(context, "note.created", { personIds });
