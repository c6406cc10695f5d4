import { appendAuditEntry } from "#lib/audit/audit.ts";
import { resolveMentions } from "#lib/comments/mentions.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { loadNote } from "#lib/comments/queries.ts";
import type { CommentChange, NewComment, NoteRecord } from "#lib/comments/schema.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { ActorContext } from "#lib/incidents/incidents.ts";
import { TEAM_ONLY_CHANGE, type OutboxEvent } from "#lib/outbox/events.ts";
import { appendOutboxEvent, appendOutboxEventsSql } from "#lib/outbox/append.ts";
import { isStillAdminSql, isStillOnTeamSql } from "#lib/events/held-roles.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** Notes of the response team. They share no table and no statement with messages (docs/decisions/008). */

type NoteContext = ActorContext & { incidentId: string };

/**
 * Writes a note, its mentions, its history entry and its audit entry in one transaction.
 * @throws InvalidInputError for mentions outside the team; AppError FORBIDDEN when the role has been lost since
 */
export async function writeNote(context: NoteContext, note: NewComment): Promise<NoteRecord> {
  const id = await runSqlTransaction(
    async (tx) => {
      const people = await resolveMentions(tx, context.eventId, note);
      return insertNote(tx, context, { body: note.body, people });
    },
    async (tx, noteId) => {
      await appendAuditEntry(tx, { ...buildAuditFields(context, noteId), action: "note.create" });
      return noteId;
    },
  );
  return loadNote(id);
}

/** Checks the role again in the statement that writes, which also appends the outbox event. @returns the note's id */
export async function insertNote(
  tx: SqlClient,
  context: NoteContext,
  { body, people }: { body: string; people: string[] },
): Promise<string> {
  const [note] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into team_notes (incident_id, author_id, body, created_at, updated_at)
      select i.id, ${context.actor.id}::uuid, ${body}, now.at, now.at
      from incidents i, (select date_trunc('milliseconds', clock_timestamp()) as at) now
      where i.id = ${context.incidentId}::uuid and i.event_id = ${context.eventId}::uuid and ${isStillOnTeamSql(context.actor, context.eventId)}
      returning id, incident_id, created_at
    ), added_mentions as (
      insert into team_note_mentions (note_id, user_id) select w.id, p.id from written w, unnest(${people}::uuid[]) as p(id)
    ), appended_events as (
      ${appendOutboxEventsSql(tx, [buildCreatedEvent(context, people)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'note', id, created_at from written
    returning object_id as id`;
  if (!note) throw createForbiddenError();
  return note.id;
}

/**
 * Changes the actor's own note. The earlier text stays in its revisions and in the history. Without `mentions`,
 * earlier mentions stay; newly mentioned people are notified.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN; InvalidInputError as for
 *   writeNote
 */
export async function editNote(context: NoteContext, id: string, change: CommentChange): Promise<NoteRecord> {
  await runSqlTransaction(async (tx) => {
    const before = await lockNote(tx, context, id);
    assertIfMatch("comment", context.call, before.updatedAt);
    const mentionedIds = await resolveMentions(tx, context.eventId, change);
    const people = change.mentions ? mentionedIds : [...new Set([...before.people, ...mentionedIds])];
    const isNew = (person: string) => !before.people.includes(person);
    if (before.body === change.body && people.length === before.people.length && !people.some(isNew)) return;
    await updateNote(tx, context, { id, before, body: change.body, people });
    if (people.some(isNew)) await appendOutboxEvent(tx, buildCreatedEvent(context, people.filter(isNew)));
    await appendAuditEntry(tx, { ...buildAuditFields(context, id), action: "note.edit" });
  });
  return loadNote(id);
}

type LockedNote = { body: string; updatedAt: Date; people: string[] };

async function lockNote(
  tx: SqlClient,
  { eventId, incidentId }: NoteContext,
  id: string,
): Promise<LockedNote> {
  const [row] = await tx.$queryRaw<LockedNote[]>`
    select n.body, n.updated_at as "updatedAt",
      array(select m.user_id::text from team_note_mentions m where m.note_id = n.id) as people
    from team_notes n join incidents i on i.id = n.incident_id
    where n.id = ${id}::uuid and i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid for update of n`;
  if (!row) throw createNotFoundError("comment");
  return row;
}

type NoteUpdate = { id: string; before: LockedNote; body: string; people: string[] };

/** The history refers to the revision and never holds its text, so that the text is deleted with the note. */
async function updateNote(
  tx: SqlClient,
  context: NoteContext,
  { id, before, body, people }: NoteUpdate,
): Promise<void> {
  const changed = await tx.$executeRaw`
    with changed as (
      update team_notes n set body = ${body},
        updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), n.updated_at + interval '1 millisecond')
      from incidents i where n.id = ${id}::uuid and i.id = n.incident_id and n.author_id = ${context.actor.id}::uuid
        and ${isStillOnTeamSql(context.actor, context.eventId)}
      returning n.id, n.incident_id, n.updated_at
    ), revision as (
      insert into team_note_revisions (note_id, body, replaced_at)
      select id, ${before.body}, updated_at from changed where ${before.body !== body}::boolean returning id
    ), appended_events as (
      ${appendOutboxEventsSql(tx, [buildChangedEvent(context)])}
    ), removed_mentions as (
      delete from team_note_mentions where note_id = ${id}::uuid and user_id <> all(${people}::uuid[])
    ), added_mentions as (
      insert into team_note_mentions (note_id, user_id) select c.id, p.id from changed c, unnest(${people}::uuid[]) as p(id)
      on conflict do nothing
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, object_id, created_at)
    select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'note.edited', (select id::text from revision), id, updated_at
    from changed`;
  if (changed === 0) throw createForbiddenError();
}

/**
 * Removes a note with its revisions and mentions: the actor's own, or as Admin anybody's. The history keeps that it
 * existed and who removed it.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN when the role was lost
 */
export async function removeNote(context: NoteContext, id: string): Promise<void> {
  await runSqlTransaction(async (tx) => {
    const { updatedAt } = await lockNote(tx, context, id);
    assertIfMatch("comment", context.call, updatedAt);
    const removed = await tx.$executeRaw`
      with removed as (
        delete from team_notes n using incidents i
        where n.id = ${id}::uuid and i.id = n.incident_id and (${isStillAdminSql(context.actor, context.eventId)}
          or (n.author_id = ${context.actor.id}::uuid and ${isStillOnTeamSql(context.actor, context.eventId)}))
        returning n.id, n.incident_id
      ), appended_events as (
        ${appendOutboxEventsSql(tx, [buildChangedEvent(context)])}
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select incident_id, ${context.eventId}::uuid, ${context.actor.id}::uuid, 'note.deleted', id from removed`;
    if (removed === 0) throw createForbiddenError();
    await appendAuditEntry(tx, { ...buildAuditFields(context, id), action: "note.delete" });
  });
}

const buildCreatedEvent = (
  { actor, organizationId, eventId, incidentId }: NoteContext,
  personIds: string[],
): OutboxEvent => ({
  kind: "note.created",
  actorId: actor.id,
  organizationId,
  eventId,
  incidentId,
  personIds,
});

/** The outbox event, for the team only, for a note that was edited or removed. */
const buildChangedEvent = (context: NoteContext): OutboxEvent => ({
  ...buildCreatedEvent(context, []),
  kind: TEAM_ONLY_CHANGE,
});

const buildAuditFields = (
  { organizationId, eventId, incidentId, actor, right, call }: NoteContext,
  id: string,
) => ({
  organizationId,
  eventId,
  actorId: actor.id,
  right,
  object: { type: "note", id },
  data: { incidentId },
  requestId: call.requestId,
});
