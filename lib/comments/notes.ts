import { audit } from "#lib/audit/audit.ts";
import { addressed } from "#lib/comments/mentions.ts";
import { refuseStale } from "#lib/operation/if-match.ts";
import { findNote } from "#lib/comments/queries.ts";
import type { CommentChange, NewComment, NoteRecord } from "#lib/comments/schema.ts";
import { sqlTransaction } from "#lib/database/client.ts";
import { forbidden, notFound } from "#lib/operation/errors.ts";
import type { Doer } from "#lib/incidents/incidents.ts";
import { INSIDE, type Fact } from "#lib/outbox/events.ts";
import { tell, telling } from "#lib/outbox/append.ts";
import { isStillAdmin, isStillOnTeam } from "#lib/events/held-roles.ts";
import type { Sql } from "#lib/database/sql.ts";

/** Talk of the response team. It shares no table and no statement with messages (docs/decisions/008). */

type NoteDoer = Doer & { incidentId: string };

/**
 * Writes a note: with who is addressed in it, its history entry and its audit entry, together or not at all.
 * @throws InvalidInput for mentions outside the team; AppError FORBIDDEN when the role was lost meanwhile
 */
export async function writeNote(doer: NoteDoer, note: NewComment): Promise<NoteRecord> {
  const id = await sqlTransaction(
    async (tx) => {
      const people = await addressed(tx, doer.eventId, note);
      return insertNote(tx, doer, { body: note.body, people });
    },
    async (tx, written) => {
      await audit(tx, { ...deed(doer, written), action: "note.create" });
      return written;
    },
  );
  return findNote(id);
}

/** The role is looked at once more in the statement that writes, and tells. @returns the note's id */
async function insertNote(
  tx: Sql,
  doer: NoteDoer,
  { body, people }: { body: string; people: string[] },
): Promise<string> {
  const [note] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into team_notes (incident_id, author_id, body, created_at, updated_at)
      select i.id, ${doer.actor.id}::uuid, ${body}, now.at, now.at
      from incidents i, (select date_trunc('milliseconds', clock_timestamp()) as at) now
      where i.id = ${doer.incidentId}::uuid and i.event_id = ${doer.eventId}::uuid and ${isStillOnTeam(doer.actor, doer.eventId)}
      returning id, incident_id, created_at
    ), named as (
      insert into team_note_mentions (note_id, user_id) select w.id, p.id from written w, unnest(${people}::uuid[]) as p(id)
    ), told as (
      ${telling(tx, [factOf(doer, people)])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, object_id, created_at)
    select incident_id, ${doer.eventId}::uuid, ${doer.actor.id}::uuid, 'note', id, created_at from written
    returning object_id as id`;
  if (!note) throw forbidden();
  return note.id;
}

/**
 * Changes a note of one's own. What it said stays among its revisions and in the history. Without `mentions` those
 * who were addressed stay so; who is new among them is told.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN; InvalidInput as writeNote
 */
export async function editNote(doer: NoteDoer, id: string, change: CommentChange): Promise<NoteRecord> {
  await sqlTransaction(async (tx) => {
    const before = await lock(tx, doer, id);
    refuseStale("comment", doer.call, before.updatedAt);
    const named = await addressed(tx, doer.eventId, change);
    const people = change.mentions ? named : [...new Set([...before.people, ...named])];
    const isNew = (person: string) => !before.people.includes(person);
    if (before.body === change.body && people.length === before.people.length && !people.some(isNew)) return;
    await updateNote(tx, doer, { id, before, body: change.body, people });
    if (people.some(isNew)) await tell(tx, factOf(doer, people.filter(isNew)));
    await audit(tx, { ...deed(doer, id), action: "note.edit" });
  });
  return findNote(id);
}

type Locked = { body: string; updatedAt: Date; people: string[] };

async function lock(tx: Sql, { eventId, incidentId }: NoteDoer, id: string): Promise<Locked> {
  const [row] = await tx.$queryRaw<Locked[]>`
    select n.body, n.updated_at as "updatedAt",
      array(select m.user_id::text from team_note_mentions m where m.note_id = n.id) as people
    from team_notes n join incidents i on i.id = n.incident_id
    where n.id = ${id}::uuid and i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid for update of n`;
  if (!row) throw notFound("This comment");
  return row;
}

type Update = { id: string; before: Locked; body: string; people: string[] };

/** The history names the revision, never the words: those go with the note. */
async function updateNote(tx: Sql, doer: NoteDoer, { id, before, body, people }: Update): Promise<void> {
  const changed = await tx.$executeRaw`
    with changed as (
      update team_notes n set body = ${body},
        updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), n.updated_at + interval '1 millisecond')
      from incidents i where n.id = ${id}::uuid and i.id = n.incident_id and n.author_id = ${doer.actor.id}::uuid
        and ${isStillOnTeam(doer.actor, doer.eventId)}
      returning n.id, n.incident_id, n.updated_at
    ), kept as (
      insert into team_note_revisions (note_id, body, replaced_at)
      select id, ${before.body}, updated_at from changed where ${before.body !== body}::boolean returning id
    ), told as (
      ${telling(tx, [changeOf(doer)])}
    ), left_out as (
      delete from team_note_mentions where note_id = ${id}::uuid and user_id <> all(${people}::uuid[])
    ), named as (
      insert into team_note_mentions (note_id, user_id) select c.id, p.id from changed c, unnest(${people}::uuid[]) as p(id)
      on conflict do nothing
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, object_id, created_at)
    select incident_id, ${doer.eventId}::uuid, ${doer.actor.id}::uuid, 'note.edited', (select id::text from kept), id, updated_at
    from changed`;
  if (changed === 0) throw forbidden();
}

/**
 * Removes a note with its revisions and mentions: one's own, or as Admin anybody's. That there was one, and who removed
 * it, stays in the history.
 * @throws AppError NOT_FOUND when it is gone, CONFLICT when If-Match is stale, FORBIDDEN when the role was lost
 */
export async function removeNote(doer: NoteDoer, id: string): Promise<void> {
  await sqlTransaction(async (tx) => {
    const { updatedAt } = await lock(tx, doer, id);
    refuseStale("comment", doer.call, updatedAt);
    const removed = await tx.$executeRaw`
      with removed as (
        delete from team_notes n using incidents i
        where n.id = ${id}::uuid and i.id = n.incident_id and (${isStillAdmin(doer.actor, doer.eventId)}
          or (n.author_id = ${doer.actor.id}::uuid and ${isStillOnTeam(doer.actor, doer.eventId)}))
        returning n.id, n.incident_id
      ), told as (
        ${telling(tx, [changeOf(doer)])}
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select incident_id, ${doer.eventId}::uuid, ${doer.actor.id}::uuid, 'note.deleted', id from removed`;
    if (removed === 0) throw forbidden();
    await audit(tx, { ...deed(doer, id), action: "note.delete" });
  });
}

const factOf = ({ actor, organizationId, eventId, incidentId }: NoteDoer, personIds: string[]): Fact => ({
  kind: "note.created",
  actorId: actor.id,
  organizationId,
  eventId,
  incidentId,
  personIds,
});

/** That one is no longer what it was, or gone. */
const changeOf = (doer: NoteDoer): Fact => ({ ...factOf(doer, []), kind: INSIDE });

const deed = ({ organizationId, eventId, incidentId, actor, right, call }: NoteDoer, id: string) => ({
  organizationId,
  eventId,
  actorId: actor.id,
  right,
  object: { type: "note", id },
  data: { incidentId },
  requestId: call.requestId,
});
