import { allToHtml } from "#lib/design/markdown.ts";
import type {
  CommentQuery,
  CommentRecord,
  MessageRecord,
  NoteRecord,
  RevisionQuery,
  RevisionRecord,
  Visibility,
} from "#lib/comments/schema.ts";
import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * What was said around an incident. Notes of the team and messages are read by statements of their own and made into
 * records by functions of their own (docs/decisions/008): what is for the reporter never touches the notes.
 */

type Ref = { id: string; authorId: string | null };

export async function findNoteRef(incidentId: string, id: string): Promise<Ref | undefined> {
  const [row] = await db.$queryRaw<Ref[]>`
    select id, author_id as "authorId" from team_notes where id = ${id}::uuid and incident_id = ${incidentId}::uuid`;
  return row;
}

export async function findMessageRef(incidentId: string, id: string): Promise<Ref | undefined> {
  const [row] = await db.$queryRaw<Ref[]>`
    select id, author_id as "authorId" from reporter_messages
    where id = ${id}::uuid and incident_id = ${incidentId}::uuid`;
  return row;
}

/** @throws AppError NOT_FOUND */
export async function findNote(id: string): Promise<NoteRecord> {
  const [note] = await notesWith([id]);
  if (!note) throw notFound("This comment");
  return note;
}

/** @throws AppError NOT_FOUND */
export async function findMessage(id: string): Promise<MessageRecord> {
  const [message] = await messagesWith([id]);
  if (!message) throw notFound("This comment");
  return message;
}

type Page = { comments: CommentRecord[]; total: number };

/** The messages of an incident, oldest first: all that its reporter may see, counts included. */
export async function listForReporter(incidentId: string, query: CommentQuery): Promise<Page> {
  const { ids, total } = pageFrom(
    await db.$queryRaw<Placed[]>`
      with every as (
        select id, created_at from reporter_messages where incident_id = ${incidentId}::uuid
      ), page as (${pageOf(query)})
      select (select count(*)::int from every) as total, p.id, 'public' as visibility
      from (select 1) as one left join page p on true order by p.created_at, p.id`,
  );
  return { comments: await messagesWith(ids), total };
}

/** Notes and messages of an incident as one list, oldest first, or one of the two. */
export async function listForTeam(incidentId: string, query: CommentQuery): Promise<Page> {
  const wanted = query.visibility ?? null;
  const { rows, total } = pageFrom(
    await db.$queryRaw<Placed[]>`
      with every as (
        select id, created_at, 'internal' as visibility from team_notes
        where incident_id = ${incidentId}::uuid and ${wanted}::text is distinct from 'public'
        union all
        select id, created_at, 'public' from reporter_messages
        where incident_id = ${incidentId}::uuid and ${wanted}::text is distinct from 'internal'
      ), page as (${pageOf(query)})
      select (select count(*)::int from every) as total, p.id, p.visibility
      from (select 1) as one left join page p on true order by p.created_at, p.id`,
  );
  const of = (kind: Visibility) => rows.filter(({ visibility }) => visibility === kind).map(({ id }) => id);
  const found = (await Promise.all([notesWith(of("internal")), messagesWith(of("public"))])).flat();
  const byId = new Map<string, CommentRecord>(found.map((comment) => [comment.id, comment]));
  return { comments: rows.flatMap(({ id }) => byId.get(id) ?? []), total };
}

/** A row for each comment of the page; one without an id where the page is empty, which tells the total all the same. */
type Placed = { total: number; id: string | null; visibility: Visibility };

function pageFrom(placed: Placed[]) {
  const rows = placed.flatMap(({ id, visibility }) => (id ? [{ id, visibility }] : []));
  return { rows, ids: rows.map(({ id }) => id), total: placed[0]?.total ?? 0 };
}

const pageOf = ({ page, limit }: { page: number; limit: number }) =>
  Prisma.sql`select * from every order by created_at, id limit ${limit}::bigint offset ${(page - 1) * limit}::bigint`;

type Row = {
  id: string;
  incidentId: string;
  authorId: string | null;
  authorName: string | null;
  body: string;
  createdAt: Date;
  updatedAt: Date;
};

type NoteRow = Row & { mentions: { id: string; name: string }[] | null };

async function notesWith(ids: string[]): Promise<NoteRecord[]> {
  if (ids.length === 0) return [];
  const rows = await db.$queryRaw<NoteRow[]>`
    select n.id, n.incident_id as "incidentId", n.author_id as "authorId", u.name as "authorName", n.body,
      n.created_at as "createdAt", n.updated_at as "updatedAt",
      (select json_agg(json_build_object('id', p.id, 'name', p.name) order by p.name, p.id)
        from team_note_mentions m join users p on p.id = m.user_id where m.note_id = n.id) as mentions
    from team_notes n left join users u on u.id = n.author_id
    where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`;
  const html = await allToHtml(rows.map(({ body }) => body));
  return rows.map((row, index) => noteOf(row, html[index] ?? ""));
}

const noteOf = (row: NoteRow, html: string): NoteRecord => ({
  id: row.id,
  incidentId: row.incidentId,
  author: row.authorId ? { id: row.authorId, name: row.authorName ?? "" } : null,
  body: row.body,
  html,
  visibility: "internal",
  edited: row.updatedAt > row.createdAt,
  mentions: row.mentions ?? [],
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

async function messagesWith(ids: string[]): Promise<MessageRecord[]> {
  if (ids.length === 0) return [];
  const rows = await db.$queryRaw<Row[]>`
    select m.id, m.incident_id as "incidentId", m.author_id as "authorId", u.name as "authorName", m.body,
      m.created_at as "createdAt", m.updated_at as "updatedAt"
    from reporter_messages m left join users u on u.id = m.author_id
    where m.id = any(${ids}::uuid[]) order by m.created_at, m.id`;
  const html = await allToHtml(rows.map(({ body }) => body));
  return rows.map((row, index) => messageOf(row, html[index] ?? ""));
}

const messageOf = (row: Row, html: string): MessageRecord => ({
  id: row.id,
  incidentId: row.incidentId,
  author: row.authorId ? { id: row.authorId, name: row.authorName ?? "" } : null,
  body: row.body,
  html,
  visibility: "public",
  edited: row.updatedAt > row.createdAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

type Revisions = { revisions: RevisionRecord[]; total: number };
type Replaced = Omit<RevisionRecord, "html" | "id"> & { id: string | null; total: number };

/** What a note said before each edit, oldest first. */
export const listNoteRevisions = async (noteId: string, query: RevisionQuery): Promise<Revisions> =>
  revisionsFrom(
    await db.$queryRaw<Replaced[]>`
      with every as (
        select id, body, replaced_at as created_at from team_note_revisions where note_id = ${noteId}::uuid
      ), page as (${pageOf(query)})
      select (select count(*)::int from every) as total, p.id, p.body, p.created_at as "replacedAt"
      from (select 1) as one left join page p on true order by p.created_at, p.id`,
  );

/** What a message said before each edit, oldest first. */
export const listMessageRevisions = async (messageId: string, query: RevisionQuery): Promise<Revisions> =>
  revisionsFrom(
    await db.$queryRaw<Replaced[]>`
      with every as (
        select id, body, replaced_at as created_at from reporter_message_revisions where message_id = ${messageId}::uuid
      ), page as (${pageOf(query)})
      select (select count(*)::int from every) as total, p.id, p.body, p.created_at as "replacedAt"
      from (select 1) as one left join page p on true order by p.created_at, p.id`,
  );

async function revisionsFrom(rows: Replaced[]): Promise<Revisions> {
  const there = rows.flatMap(({ id, body, replacedAt }) => (id ? [{ id, body, replacedAt }] : []));
  const html = await allToHtml(there.map(({ body }) => body));
  return {
    revisions: there.map((revision, index) => ({ ...revision, html: html[index] ?? "" })),
    total: rows[0]?.total ?? 0,
  };
}
