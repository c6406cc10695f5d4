import { IS_FROM_MAILBOX_SQL } from "#lib/incidents/messages-sql.ts";
import { renderLinkedText } from "#lib/design/linked-text.ts";
import type {
  CommentListQuery,
  CommentRecord,
  ReporterMessageRecord,
  TeamNoteRecord,
  CommentRevisionsQuery,
  CommentRevisionRecord,
} from "#lib/conversations/comment-schema.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { computePageOffset } from "#lib/operation/fields.ts";
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

type CommentPage = { comments: CommentRecord[]; total: number };

/** Lists an incident's messages, oldest first; the total counts only what its reporter may see. */
export async function listCommentsForReporter(
  incidentId: string,
  query: CommentListQuery,
): Promise<CommentPage> {
  const { ids, total } = await findPageOfIds(selectMessagesSql(incidentId), OLDEST_FIRST_SQL, query);
  return { comments: await listMessagesByIds(ids), total };
}

/** Lists an incident's notes and messages together, oldest first, or only one kind. */
export async function listCommentsForTeam(incidentId: string, query: CommentListQuery): Promise<CommentPage> {
  const { visibility } = query;
  if (visibility === "public") return listCommentsForReporter(incidentId, query);
  const notes = Prisma.sql`select id, created_at from team_notes where incident_id = ${incidentId}::uuid`;
  const matching =
    visibility === "internal" ? notes : Prisma.sql`${notes} union all ${selectMessagesSql(incidentId)}`;
  const { ids, total } = await findPageOfIds(matching, OLDEST_FIRST_SQL, query);
  const records = await Promise.all([
    listNotesByIds(ids),
    visibility === "internal" ? [] : listMessagesByIds(ids),
  ]);
  return { comments: sortByIds<CommentRecord>(ids, records.flat()), total };
}

const selectMessagesSql = (incidentId: string) =>
  Prisma.sql`select id, created_at from messages where conversation_id = ${incidentId}::uuid`;

const OLDEST_FIRST_SQL = Prisma.sql`created_at, id`;

/** A comment without what isn't stored. */
type Stored<Comment> = Omit<Comment, "html" | "edited" | "visibility">;

const AUTHOR_SQL = Prisma.sql`case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as author`;

async function listNotesByIds(ids: string[]): Promise<TeamNoteRecord[]> {
  if (ids.length === 0) return [];
  const rows = await sql.$queryRaw<Stored<TeamNoteRecord>[]>`
    select n.id, n.incident_id as "incidentId", ${AUTHOR_SQL}, n.body, n.created_at as "createdAt", n.updated_at as "updatedAt",
      (select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name) order by p.name collate title_order, p.id), '[]')
        from team_note_mentions m join users p on p.id = m.user_id where m.note_id = n.id) as mentions
    from team_notes n left join users u on u.id = n.author_id
    where n.id = any(${ids}::uuid[]) order by n.created_at, n.id`;
  return rows.map((row) => ({ ...row, ...describeText(row), visibility: "internal" }));
}

async function listMessagesByIds(ids: string[]): Promise<ReporterMessageRecord[]> {
  if (ids.length === 0) return [];
  const rows = await sql.$queryRaw<Stored<ReporterMessageRecord>[]>`
    select m.id, c.id as "incidentId", ${AUTHOR_SQL}, m.body, m.kind = 'outcome' as outcome, ${IS_FROM_MAILBOX_SQL} as "fromMailbox",
      m.created_at as "createdAt", m.updated_at as "updatedAt"
    from messages m join conversations c on c.id = m.conversation_id left join users u on u.id = m.author_id
    where m.id = any(${ids}::uuid[]) and c.party = 'reporter' order by m.created_at, m.id`;
  return rows.map((row) => ({ ...row, ...describeText(row), visibility: "public" }));
}

const describeText = ({
  body,
  createdAt,
  updatedAt,
}: Pick<CommentRecord, "body" | "createdAt" | "updatedAt">) => ({
  html: renderLinkedText(body),
  edited: updatedAt > createdAt,
});

type RevisionPage = { revisions: CommentRevisionRecord[]; total: number };
/** Lists the earlier texts of a note or message, oldest first. */
export async function listRevisions(
  { id, visibility }: Pick<CommentRecord, "id" | "visibility">,
  query: CommentRevisionsQuery,
): Promise<RevisionPage> {
  const paged = {
    orderBy: [{ replacedAt: "asc" as const }, { id: "asc" as const }],
    skip: computePageOffset(query.page, query.limit),
    take: query.limit,
    select: { id: true, body: true, replacedAt: true } as const,
  };
  const [rows, total] = await (visibility === "internal"
    ? Promise.all([
        prisma.teamNoteRevision.findMany({ where: { noteId: id }, ...paged }),
        prisma.teamNoteRevision.count({ where: { noteId: id } }),
      ])
    : Promise.all([
        prisma.messageRevision.findMany({ where: { messageId: id }, ...paged }),
        prisma.messageRevision.count({ where: { messageId: id } }),
      ]));
  return { revisions: rows.map((row) => ({ ...row, html: renderLinkedText(row.body) })), total };
}
