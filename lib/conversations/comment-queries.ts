import { IS_FROM_MAILBOX_SQL } from "#lib/incidents/messages-sql.ts";
import { renderLinkedText } from "#lib/design/linked-text.ts";
import type {
  CommentListQuery,
  CommentRecord,
  ReporterMessageRecord,
  TeamNoteRecord,
  CommentRevisionsQuery,
  CommentRevisionRecord,
  CommentVisibility,
} from "#lib/conversations/comment-schema.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Reads the comments on an incident. Team notes and messages have separate statements and separate mapping functions
 * (docs/decisions/008), so that nothing for the reporter ever touches the notes.
 */

type CommentAuthorRef = { id: string; authorId: string | null };

const AUTHOR_REF_COLUMNS = { id: true, authorId: true } as const;

export const findNoteAuthorRef = (incidentId: string, id: string): Promise<CommentAuthorRef | null> =>
  prisma.teamNote.findUnique({ where: { id, incidentId }, select: AUTHOR_REF_COLUMNS });

export const findMessageAuthorRef = (incidentId: string, id: string): Promise<CommentAuthorRef | null> =>
  prisma.message.findUnique({
    where: { id, conversationId: incidentId },
    select: AUTHOR_REF_COLUMNS,
  });

/** Loads a note. @throws AppError NOT_FOUND */
export async function loadNote(id: string): Promise<TeamNoteRecord> {
  const [note] = await listNotesByIds([id]);
  if (!note) throw createNotFoundError("comment");
  return note;
}

/** Loads a message. @throws AppError NOT_FOUND */
export async function loadMessage(id: string): Promise<ReporterMessageRecord> {
  const [message] = await listMessagesByIds([id]);
  if (!message) throw createNotFoundError("comment");
  return message;
}

/** Lists the people whom a note mentions. */
export async function listUserIdsMentionedInNote(client: SqlClient, noteId: string): Promise<string[]> {
  const rows = await client.$queryRaw<{ userId: string }[]>`
    select user_id as "userId" from team_note_mentions where note_id = ${noteId}::uuid`;
  return rows.map(({ userId }) => userId);
}

type CommentPage = { comments: CommentRecord[]; total: number };

/** Lists an incident's messages, oldest first; the total counts only what its reporter may see. */
export async function listCommentsForReporter(
  incidentId: string,
  query: CommentListQuery,
): Promise<CommentPage> {
  const { ids, total } = splitPageRows(
    await sql.$queryRaw<PageRow[]>`
      with matching as (
        select id, created_at from messages where conversation_id = ${incidentId}::uuid
      ), page as (${pageSql(query)})
      select (select count(*)::int from matching) as total, p.id, 'public' as visibility
      from (select 1) as one left join page p on true order by p.created_at, p.id`,
  );
  return { comments: await listMessagesByIds(ids), total };
}

/** Lists an incident's notes and messages together, oldest first, or only one kind. */
export async function listCommentsForTeam(incidentId: string, query: CommentListQuery): Promise<CommentPage> {
  const visibilityFilter = query.visibility ?? null;
  const { rows, total } = splitPageRows(
    await sql.$queryRaw<PageRow[]>`
      with matching as (
        select id, created_at, 'internal' as visibility from team_notes
        where incident_id = ${incidentId}::uuid and ${visibilityFilter}::text is distinct from 'public'
        union all
        select id, created_at, 'public' from messages
        where conversation_id = ${incidentId}::uuid and ${visibilityFilter}::text is distinct from 'internal'
      ), page as (${pageSql(query)})
      select (select count(*)::int from matching) as total, p.id, p.visibility
      from (select 1) as one left join page p on true order by p.created_at, p.id`,
  );
  const idsOf = (kind: CommentVisibility) =>
    rows.filter(({ visibility }) => visibility === kind).map(({ id }) => id);
  const records = (
    await Promise.all([listNotesByIds(idsOf("internal")), listMessagesByIds(idsOf("public"))])
  ).flat();
  const byId = new Map<string, CommentRecord>(records.map((comment) => [comment.id, comment]));
  return { comments: rows.flatMap(({ id }) => byId.get(id) ?? []), total };
}

/** A row for each comment of the page. An empty page comes as one row without an id, which still carries the total. */
type PageRow = { total: number; id: string | null; visibility: CommentVisibility };

function splitPageRows(pageRows: PageRow[]) {
  const rows = pageRows.flatMap(({ id, visibility }) => (id ? [{ id, visibility }] : []));
  return { rows, ids: rows.map(({ id }) => id), total: pageRows[0]?.total ?? 0 };
}

const pageSql = ({ page, limit }: { page: number; limit: number }) =>
  Prisma.sql`select * from matching order by created_at, id limit ${limit}::bigint offset ${(page - 1) * limit}::bigint`;

type CommentRow = {
  id: string;
  incidentId: string;
  authorId: string | null;
  authorName: string | null;
  body: string;
  createdAt: Date;
  updatedAt: Date;
};

type MessageRow = CommentRow & { outcome: boolean; fromMailbox: boolean };
type NoteRow = CommentRow & { mentions: { id: string; name: string }[] | null };

async function listNotesByIds(ids: string[]): Promise<TeamNoteRecord[]> {
  if (ids.length === 0) return [];
  const rows = await sql.$queryRaw<NoteRow[]>`
    select n.id, n.incident_id as "incidentId", n.author_id as "authorId", u.name as "authorName", n.body,
      n.created_at as "createdAt", n.updated_at as "updatedAt",
      (select json_agg(json_build_object('id', p.id, 'name', p.name) order by p.name collate title_order, p.id)
        from team_note_mentions m join users p on p.id = m.user_id where m.note_id = n.id) as mentions
    from team_notes n left join users u on u.id = n.author_id
    where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`;
  return rows.map(toNoteRecord);
}

const toNoteRecord = (row: NoteRow): TeamNoteRecord => ({
  id: row.id,
  incidentId: row.incidentId,
  author: row.authorId ? { id: row.authorId, name: row.authorName ?? "" } : null,
  body: row.body,
  html: renderLinkedText(row.body),
  visibility: "internal",
  edited: row.updatedAt > row.createdAt,
  mentions: row.mentions ?? [],
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

async function listMessagesByIds(ids: string[]): Promise<ReporterMessageRecord[]> {
  if (ids.length === 0) return [];
  const rows = await sql.$queryRaw<MessageRow[]>`
    select m.id, c.id as "incidentId", m.author_id as "authorId", u.name as "authorName", m.body, m.kind = 'outcome' as outcome,
      ${IS_FROM_MAILBOX_SQL} as "fromMailbox",
      m.created_at as "createdAt", m.updated_at as "updatedAt"
    from messages m join conversations c on c.id = m.conversation_id left join users u on u.id = m.author_id
    where m.id = any(${ids}::uuid[]) and c.party = 'reporter' order by m.created_at, m.id`;
  return rows.map(toMessageRecord);
}

const toMessageRecord = (row: MessageRow): ReporterMessageRecord => ({
  id: row.id,
  incidentId: row.incidentId,
  author: row.authorId ? { id: row.authorId, name: row.authorName ?? "" } : null,
  body: row.body,
  html: renderLinkedText(row.body),
  visibility: "public",
  outcome: row.outcome,
  fromMailbox: row.fromMailbox,
  edited: row.updatedAt > row.createdAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

type RevisionPage = { revisions: CommentRevisionRecord[]; total: number };
type RevisionRow = Omit<CommentRevisionRecord, "html" | "id"> & { id: string | null; total: number };

/** Lists the earlier texts of a note or message, oldest first. */
export async function listRevisions(
  { id, visibility }: Pick<CommentRecord, "id" | "visibility">,
  query: CommentRevisionsQuery,
): Promise<RevisionPage> {
  const of =
    visibility === "internal"
      ? Prisma.sql`team_note_revisions where note_id`
      : Prisma.sql`message_revisions where message_id`;
  const rows = await sql.$queryRaw<RevisionRow[]>`
    with matching as (
      select id, body, replaced_at as created_at from ${of} = ${id}::uuid
    ), page as (${pageSql(query)})
    select (select count(*)::int from matching) as total, p.id, p.body, p.created_at as "replacedAt"
    from (select 1) as one left join page p on true order by p.created_at, p.id`;
  const revisionRows = rows.flatMap((row) =>
    row.id ? [{ id: row.id, body: row.body, replacedAt: row.replacedAt }] : [],
  );
  return {
    revisions: revisionRows.map((revision) => ({ ...revision, html: renderLinkedText(revision.body) })),
    total: rows[0]?.total ?? 0,
  };
}
