import { z } from "zod";
import type { OperationCall } from "#lib/operation/operation.ts";
import {
  idOutput,
  limitQuery,
  pageQuery,
  Pagination,
  toPagination,
  timeOutput,
} from "#lib/operation/fields.ts";
import { allMarkdownToHtml } from "#lib/design/markdown.ts";
import { db } from "#lib/database/client.ts";
import { forbidden } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { recordAccess } from "#lib/incidents/access.ts";
import type { IncidentRefSubject } from "#lib/incidents/scope.ts";
import { type Actor, isTeamMember } from "#lib/operation/policy.ts";

/**
 * The history of an incident (contract 8.2): moves, assignments and changes, messages, notes of the team and files, in
 * one order. What the reporter may see of it is a query of its own (docs/decisions/008).
 */

const HISTORY_KINDS = ["changes", "messages", "notes", "files"] as const;
type HistoryKind = (typeof HISTORY_KINDS)[number];

const HistoryEntry = z.object({
  id: idOutput,
  kind: z.enum(HISTORY_KINDS),
  /**
   * submitted, state, reopen, assignee, severity, resolution, title, deadline; note, note.edited, note.deleted; message,
   * message.edited, message.deleted; file.added, file.deleted.
   */
  action: z.string(),
  /** The old value; of an edited text what it said until then. Null once that was removed. */
  from: z.string().nullable(),
  /** The new value; of a file its name. */
  to: z.string().nullable(),
  /** Null for anonymous reports and for the service itself. A Reporter sees who wrote a message, and nobody else. */
  actor: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** Text of a note of the team; never in a Reporter's view. */
  note: z.string().nullable(),
  /** The note or message it tells of, as it is now. */
  comment: z
    .object({
      /** Null for the note of a move that was removed since. */
      id: idOutput.nullable(),
      visibility: z.enum(["internal", "public"]),
      body: z.string().nullable(),
      html: z.string().nullable(),
      removed: z.boolean(),
      edited: z.boolean(),
      /** To be sent along with a change, so that no stale screen replaces what it never saw. */
      updatedAt: timeOutput.nullable(),
    })
    .nullable(),
  file: z.object({ id: idOutput, removed: z.boolean() }).nullable(),
  createdAt: timeOutput,
});
type HistoryEntryRecord = z.input<typeof HistoryEntry>;

export const HistoryQuery = z.object({
  page: pageQuery,
  limit: limitQuery(100),
  kind: z.enum(["all", ...HISTORY_KINDS]).default("all"),
  order: z.enum(["asc", "desc"]).default("asc"),
});
type HistoryQuery = z.output<typeof HistoryQuery>;

export const History = z.object({ history: z.array(HistoryEntry), pagination: Pagination });
type History = z.input<typeof History>;

/** What a page of the timeline holds at most, in bytes of the messages and notes in it, but for the last one's end. */
const MAX_TIMELINE_BYTES = 40_000;
const MAX_TIMELINE_ENTRIES = 50;

export const TimelineQuery = HistoryQuery.pick({ page: true, kind: true });
type TimelineQuery = z.output<typeof TimelineQuery>;

type HistoryContext = IncidentRefSubject & { actor: Actor; right: string; call: OperationCall };

/** A page of the history, which is recorded as a look at the incident. @throws AppError FORBIDDEN for notes of the team */
export async function readHistory(context: HistoryContext, query: HistoryQuery): Promise<History> {
  const historyPage = await findHistory(context, query.kind, paginateByCount(query));
  return {
    history: await toHistoryEntries(historyPage.rows),
    pagination: toPagination(query, historyPage.total),
  };
}

/** The same in pages that are short enough to show, newest first. @throws AppError FORBIDDEN for notes of the team */
export async function readTimeline(context: HistoryContext, { page, kind }: TimelineQuery): Promise<History> {
  const { rows, total, pages } = await findHistory(context, kind, paginateByLength(page));
  const totalPages = Math.max(pages ?? 0, 1);
  return {
    history: await toHistoryEntries(rows),
    pagination: { page, limit: MAX_TIMELINE_ENTRIES, total, totalPages },
  };
}

async function findHistory(
  context: HistoryContext,
  kind: HistoryQuery["kind"],
  paging: HistoryPaging,
): Promise<HistoryPage> {
  const { actor, eventId, incidentId, reporterId, right, call } = context;
  const team = isTeamMember(actor, eventId);
  if (kind === "notes" && !team) throw forbidden("Notes of the response team are for the team.");
  const accessEntry = {
    incidentId,
    eventId,
    reporterId,
    actorId: actor.id,
    right,
    requestId: call.requestId,
  };
  await recordAccess({ ...accessEntry, kind: "view" });
  return team
    ? await findTeamHistory(incidentId, kind, paging)
    : await findReporterHistory(incidentId, actor.id, { kind, paging });
}

type HistoryRow = {
  id: string;
  action: string;
  from: string | null;
  to: string | null;
  actor: { id: string; name: string } | null;
  objectId: string | null;
  /** Of a comment, and of a file where it is still there. */
  there: boolean;
  body: string | null;
  edited: boolean;
  updatedAt: Date | null;
  createdAt: Date;
};

/** `pages` where the paging counts them. */
type HistoryPage = { rows: HistoryRow[]; total: number; pages: number | null };
type HistoryPageRow = HistoryRow & { total: number; pages: number | null };

/** Chooses a `page` among the `chosen` entries. */
type HistoryPaging = {
  /** Common table expressions, of which the last one is `page`. @param bytes of the words of an entry `h` */
  page: (bytes: Prisma.Sql) => Prisma.Sql;
  pages: Prisma.Sql;
  way: Prisma.Sql;
};

/**
 * Assignees are told by name. A note that came with a move has no id in its entry: it is the one of that moment. An
 * edit names its revision; what it said afterwards is the next revision's text, or the present one.
 */
const findTeamHistory = async (
  incidentId: string,
  kind: HistoryQuery["kind"],
  paging: HistoryPaging,
): Promise<HistoryPage> =>
  toHistoryPage(
    await db.$queryRaw<HistoryPageRow[]>`
      with chosen as (
        select h.* from incident_history h where h.incident_id = ${incidentId}::uuid and ${kindCondition(kind)}
      ), ${paging.page(Prisma.sql`coalesce(${MESSAGE_BYTES}, ${NOTE_BYTES})`)}
      select (select count(*)::int from chosen) as total, ${paging.pages} as pages, h.id, h.action,
        case h.action when 'assignee' then (select p.name from users p where p.id::text = h.from_value)
          when 'note.edited' then nr.body when 'message.edited' then mr.body else h.from_value end as "from",
        case h.action when 'assignee' then (select p.name from users p where p.id::text = h.to_value)
          when 'note.edited' then coalesce((select r.body from team_note_revisions r where r.note_id = nr.note_id
            and r.replaced_at > nr.replaced_at order by r.replaced_at limit 1), n.body)
          when 'message.edited' then ${NEXT_MESSAGE_BODY}
          else h.to_value end as "to",
        case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as actor,
        coalesce(h.object_id, n.id) as "objectId", coalesce(n.id, m.id, f.id) is not null as there,
        coalesce(n.body, m.body) as body, coalesce(n.updated_at, m.updated_at) as "updatedAt",
        coalesce(n.updated_at > n.created_at, m.updated_at > m.created_at, false) as edited, h.created_at as "createdAt"
      from (select 1) as one left join page h on true
      left join users u on u.id = h.actor_id
      left join lateral (
        select s.id from team_notes s where h.action = 'note' and h.object_id is null and s.incident_id = h.incident_id
          and s.created_at = h.created_at order by s.author_id is not distinct from h.actor_id desc, s.id limit 1
      ) moved on true
      left join team_notes n on n.id = coalesce(h.object_id, moved.id) and n.incident_id = h.incident_id
      left join team_note_revisions nr on nr.note_id = n.id and h.action = 'note.edited' and nr.id::text = h.from_value
      ${MESSAGE_JOINS}
      left join related_files f on f.id = h.object_id and f.incident_id = h.incident_id
      order by h.created_at ${paging.way}, h.id ${paging.way}`,
  );

/**
 * For the reporter: states, messages, and the files that they added. Of the team only who wrote a message, and of a
 * message that somebody else edited only what it says now.
 */
const findReporterHistory = async (
  incidentId: string,
  reporterId: string,
  { kind, paging }: { kind: HistoryQuery["kind"]; paging: HistoryPaging },
): Promise<HistoryPage> =>
  toHistoryPage(
    await db.$queryRaw<HistoryPageRow[]>`
      with chosen as (
        select h.* from incident_history h where h.incident_id = ${incidentId}::uuid and ${kindCondition(kind)} and (
          h.action in ('submitted', 'state', 'reopen', 'message', 'message.edited', 'message.deleted')
          or h.action in ('file.added', 'file.deleted') and h.object_id = any(array(
            select own.object_id from incident_history own where own.incident_id = ${incidentId}::uuid
              and own.action = 'file.added' and own.actor_id = ${reporterId}::uuid)))
      ), ${paging.page(MESSAGE_BYTES)}
      select (select count(*)::int from chosen) as total, ${paging.pages} as pages, h.id, h.action,
        case when h.action = 'message.edited' then mr.body else h.from_value end as "from",
        case when h.action = 'message.edited' then ${NEXT_MESSAGE_BODY} else h.to_value end as "to",
        case when h.action in ('message', 'message.edited') or h.actor_id = ${reporterId}::uuid
          and h.action not in ('submitted', 'state', 'reopen')
          then (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = h.actor_id) end as actor,
        h.object_id as "objectId", coalesce(m.id, f.id) is not null as there, m.body,
        m.updated_at as "updatedAt", coalesce(m.updated_at > m.created_at, false) as edited, h.created_at as "createdAt"
      from (select 1) as one left join page h on true
      ${MESSAGE_JOINS} and h.actor_id = ${reporterId}::uuid -- revisions of their own messages only
      left join related_files f on f.id = h.object_id and f.incident_id = h.incident_id
      order by h.created_at ${paging.way}, h.id ${paging.way}`,
  );

/** The message `m` of an entry `h`, and the revision `mr` of an edit. */
const MESSAGE_JOINS = Prisma.sql`
  left join reporter_messages m on m.id = h.object_id and m.incident_id = h.incident_id
  left join reporter_message_revisions mr on mr.message_id = m.id and h.action = 'message.edited'
    and mr.id::text = h.from_value`;

/** What an edit made of a message. */
const NEXT_MESSAGE_BODY = Prisma.sql`coalesce((select r.body from reporter_message_revisions r where r.message_id = mr.message_id
  and r.replaced_at > mr.replaced_at order by r.replaced_at limit 1), case when mr.id is not null then m.body end)`;

function kindCondition(kind: HistoryQuery["kind"]): Prisma.Sql {
  if (kind === "all") return Prisma.sql`true`;
  if (kind !== "changes") return Prisma.sql`starts_with(h.action, ${ACTION_PREFIXES[kind]})`;
  return Prisma.sql`not (${Prisma.join(Object.values(ACTION_PREFIXES).map(actionStartsWith), " or ")})`;
}

const ACTION_PREFIXES = { messages: "message", notes: "note", files: "file." } satisfies Record<
  Exclude<HistoryKind, "changes">,
  string
>;
const actionStartsWith = (prefix: string) => Prisma.sql`starts_with(h.action, ${prefix})`;

/** Pages of so many entries each. */
function paginateByCount({ page, limit, order }: HistoryQuery): HistoryPaging {
  const direction = order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;
  return {
    page: () => Prisma.sql`page as (
      select * from chosen order by created_at ${direction}, id ${direction}
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint)`,
    pages: Prisma.sql`null::int`,
    way: direction,
  };
}

/**
 * Pages of so many bytes of words each, the newest first. Every entry counts for some, so that short ones are limited
 * in number; none counts for more than a page, so that no page is empty.
 */
function paginateByLength(page: number): HistoryPaging {
  const minWeight = MAX_TIMELINE_BYTES / MAX_TIMELINE_ENTRIES;
  return {
    page: (bytes) => Prisma.sql`weighed as (
        select h.*, least(greatest(coalesce(${bytes}, 0), ${minWeight}::int), ${MAX_TIMELINE_BYTES}::int) as weight from chosen h
      ), placed as (
        select *, ((sum(weight) over (order by created_at desc, id desc) - weight) / ${MAX_TIMELINE_BYTES}::int)::bigint + 1 as page
        from weighed
      ), page as (select * from placed where page = ${page}::bigint)`,
    pages: Prisma.sql`(select max(page)::int from placed)`,
    way: Prisma.sql`desc`,
  };
}

/** How long the message or the note of an entry `h` is, told without reading it. */
const MESSAGE_BYTES = Prisma.sql`(select octet_length(s.body) from reporter_messages s
  where h.action = 'message' and s.id = h.object_id)`;
const NOTE_BYTES = Prisma.sql`coalesce(
  (select octet_length(s.body) from team_notes s where h.action = 'note' and s.id = h.object_id),
  (select max(octet_length(s.body)) from team_notes s where h.action = 'note' and h.object_id is null
    and s.incident_id = h.incident_id and s.created_at = h.created_at))`;

/** One row without an id tells the total of an empty page. */
const toHistoryPage = (rows: HistoryPageRow[]): HistoryPage => ({
  rows: rows.filter(({ id }) => id !== null),
  total: rows[0]?.total ?? 0,
  pages: rows[0]?.pages ?? null,
});

async function toHistoryEntries(rows: HistoryRow[]): Promise<HistoryEntryRecord[]> {
  const html = await allMarkdownToHtml(rows.map(({ body }) => body ?? ""));
  return rows.map((row, index) => toHistoryEntry(row, html[index] ?? ""));
}

function toHistoryEntry(row: HistoryRow, html: string): HistoryEntryRecord {
  const { id, action, from, to, actor, objectId, there, body, edited, updatedAt, createdAt } = row;
  const kind = historyKindOf(action);
  const commonFields = {
    id,
    kind,
    action,
    from,
    to,
    actor,
    note: action === "note" ? body : null,
    createdAt,
  };
  const removed = !there;
  if (kind === "files")
    return { ...commonFields, comment: null, file: objectId ? { id: objectId, removed } : null };
  if (kind === "changes") return { ...commonFields, comment: null, file: null };
  const visibility = kind === "notes" ? "internal" : "public";
  const commentHtml = body === null ? null : html;
  const comment = { id: objectId, visibility, body, html: commentHtml, removed, edited, updatedAt } as const;
  return { ...commonFields, comment, file: null };
}

const historyKindOf = (action: string): HistoryKind =>
  (["messages", "notes", "files"] as const).find((kind) => action.startsWith(ACTION_PREFIXES[kind])) ??
  "changes";
