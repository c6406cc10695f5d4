import { IS_FROM_MAILBOX_SQL } from "#lib/incidents/messages-sql.ts";
import { z } from "zod";
import type { OperationCall } from "#lib/operation/operation.ts";
import {
  idOutput,
  limitQuery,
  pageNumberQuery,
  Pagination,
  buildPaginationFromTotal,
  timeOutput,
} from "#lib/operation/fields.ts";
import { renderLinkedText } from "#lib/design/linked-text.ts";
import { sql } from "#lib/database/client.ts";
import { AppError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { type Actor, hasTeamAccessToEvent } from "#lib/operation/policy.ts";

/**
 * The history of an incident (contract 8.2): state changes, assignments and other changes, messages, team notes and
 * files, in one order. A separate query selects what the reporter may see (docs/decisions/008).
 */

const HISTORY_KINDS = ["changes", "messages", "notes", "files"] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

export const HistoryEntry = z.object({
  id: idOutput,
  kind: z.enum(HISTORY_KINDS),
  /**
   * submitted, state, reopen, those of `EDITED_FIELDS`, title, reportedPerson, deadline, hidden, letIn, listEnded, emergency,
   * withdrawn, mailbox.closed, downloaded, intake, intake.confirmed, and those that begin with "conversation." or "person.";
   * note, note.edited, note.deleted; message, message.edited, message.deleted; file.added, file.changed, file.original,
   * file.deleted.
   */
  action: z.string(),
  /** The old value; for an edit, the text before it. Null once that text was removed. */
  from: z.string().nullable(),
  /** The new value; for a file, its name. */
  to: z.string().nullable(),
  /** Null for anonymous reports and for the service itself; in a reporter's view, null except for messages. */
  actor: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** Text of a team note; never in a reporter's view. */
  note: z.string().nullable(),
  /** The current note or message that the entry is about. */
  comment: z
    .object({
      /** Null for a note that came with a state change and was deleted since. */
      id: idOutput.nullable(),
      visibility: z.enum(["internal", "public"]),
      body: z.string().nullable(),
      html: z.string().nullable(),
      removed: z.boolean(),
      /** A message that tells the outcome (contract 7.18). */
      outcome: z.boolean(),
      /** Whether the reporter of an anonymous report wrote the message, in their mailbox (contract 14.3). */
      fromMailbox: z.boolean(),
      edited: z.boolean(),
      /** Sent back with a change, so that an outdated page can't overwrite a version it never showed. */
      updatedAt: timeOutput.nullable(),
    })
    .nullable(),
  file: z.object({ id: idOutput, removed: z.boolean() }).nullable(),
  createdAt: timeOutput,
});
type HistoryEntryRecord = z.input<typeof HistoryEntry>;

export const HistoryQuery = z.object({
  page: pageNumberQuery,
  limit: limitQuery(100),
  kind: z.enum(["all", ...HISTORY_KINDS]).default("all"),
  order: z.enum(["asc", "desc"]).default("asc"),
});
type HistoryQuery = z.output<typeof HistoryQuery>;

export const IncidentHistory = z.object({ history: z.array(HistoryEntry), pagination: Pagination });
type History = z.input<typeof IncidentHistory>;

/** Bytes of message and note text on one timeline page. The last entry may run past it. */
const MAX_TIMELINE_BYTES = 40_000;
const MAX_TIMELINE_ENTRIES = 15;

export const TimelineQuery = HistoryQuery.pick({ page: true, kind: true });
type TimelineQuery = z.output<typeof TimelineQuery>;

type HistoryContext = IncidentWithoutContentPermissionSubject & {
  actor: Actor;
  right: string;
  call: OperationCall;
};

/**
 * Loads a page of the history and records a view of the incident. @throws AppError FORBIDDEN for a reporter who asks
 * for team notes
 */
export async function loadHistoryAndRecordView(
  context: HistoryContext,
  query: HistoryQuery,
): Promise<History> {
  const historyPage = await listHistory(context, query.kind, paginateByCount(query));
  return {
    history: historyPage.rows.map(toHistoryEntry),
    pagination: buildPaginationFromTotal(query, historyPage.total),
  };
}

/**
 * Loads a page of the history, newest first, where pages are limited by length. @throws AppError FORBIDDEN for a
 * reporter who asks for team notes
 */
export async function loadIncidentTimelineAndRecordView(
  context: HistoryContext,
  { page, kind }: TimelineQuery,
): Promise<History> {
  const { rows, total, pages } = await listHistory(context, kind, paginateByLength(page));
  const totalPages = Math.max(pages ?? 0, 1);
  return {
    history: rows.map(toHistoryEntry),
    pagination: { page, limit: MAX_TIMELINE_ENTRIES, total, totalPages },
  };
}

async function listHistory(
  context: HistoryContext,
  kind: HistoryQuery["kind"],
  paging: HistoryPaging,
): Promise<HistoryPage> {
  const { actor, eventId, incidentId } = context;
  const team = hasTeamAccessToEvent(actor, eventId);
  if (kind === "notes" && !team) throw new AppError("FORBIDDEN", "teamNotesOnly");
  await recordIncidentAccessByOperation(context, { kind: "view" });
  return team
    ? await listTeamHistory(incidentId, kind, paging)
    : await listReporterHistory(incidentId, actor.id, { kind, paging });
}

export type HistoryRow = {
  id: string;
  action: string;
  from: string | null;
  to: string | null;
  actor: { id: string; name: string } | null;
  objectId: string | null;
  /** Whether the entry's comment or file still exists. */
  there: boolean;
  body: string | null;
  edited: boolean;
  outcome: boolean;
  fromMailbox: boolean;
  updatedAt: Date | null;
  createdAt: Date;
};

/**
 * Lists the team's history of an incident from its beginning, only entries of these kinds and at most as many as
 * `limit`; `total` counts all of them.
 */
export const listTeamHistoryOfKinds = (
  incidentId: string,
  kinds: readonly HistoryKind[],
  limit: number,
): Promise<HistoryPage> =>
  listTeamHistory(incidentId, kinds, paginateByCount({ page: 1, limit, kind: "all", order: "asc" }));

/** `pages` is set only where a page ends by the length of its texts instead of a number of entries. */
type HistoryPage = { rows: HistoryRow[]; total: number; pages: number | null };
type HistoryPageRow = HistoryRow & { total: number; pages: number | null };

/** SQL that selects a `page` of the `matching` entries. */
type HistoryPaging = {
  /** Common table expressions ending with `page`. @param bytes length of the text of an entry `h` */
  page: (bytes: Prisma.Sql) => Prisma.Sql;
  pages: Prisma.Sql;
  way: Prisma.Sql;
};

/**
 * Shows assignees and people from whom it was hidden by name. The entry of a note that came with a state change has no note id; the
 * note is found by its time. An edit's entry names the revision with the text before it; the text after it is the next
 * revision's, or the current one.
 */
const listTeamHistory = async (
  incidentId: string,
  kinds: HistoryQuery["kind"] | readonly HistoryKind[],
  paging: HistoryPaging,
): Promise<HistoryPage> =>
  toHistoryPage(
    await sql.$queryRaw<HistoryPageRow[]>`
      with matching as (
        select h.*, ${PLACE_SQL} as place from incident_history h
        where h.incident_id = ${incidentId}::uuid and (${Prisma.join([kinds].flat().map(kindConditionSql), " or ")})
      ), ${paging.page(Prisma.sql`coalesce(${MESSAGE_BYTES}, ${NOTE_BYTES})`)}
      select (select count(*)::int from matching) as total, ${paging.pages} as pages, h.id, h.action,
        case when h.action in ('assignee', 'letIn') then (select p.name from users p where p.id::text = h.from_value)
          when h.action = 'note.edited' then nr.body when h.action = 'message.edited' then mr.body else h.from_value end as "from",
        case when h.action in ('assignee', 'hidden') then (select p.name from users p where p.id::text = h.to_value)
          when h.action = 'note.edited' then coalesce((select r.body from team_note_revisions r where r.note_id = nr.note_id
            and r.replaced_at > nr.replaced_at order by r.replaced_at limit 1), n.body)
          when h.action = 'message.edited' then ${NEXT_MESSAGE_BODY}
          else h.to_value end as "to",
        case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as actor,
        coalesce(h.object_id, n.id) as "objectId", coalesce(n.id, m.id, f.id) is not null as there,
        coalesce(n.body, m.body) as body, coalesce(n.updated_at, m.updated_at) as "updatedAt",
        coalesce(n.updated_at > n.created_at, m.updated_at > m.created_at, false) as edited, coalesce(m.kind = 'outcome', false) as outcome, coalesce(${IS_FROM_MAILBOX_SQL}, false) as "fromMailbox", h.created_at as "createdAt"
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
      order by h.place ${paging.way}, h.seq ${paging.way}`,
  );

/**
 * Selects what the reporter may see: states, messages, and files that they added. Of the team it shows only who wrote
 * a message, and of a message that somebody else edited only the current text.
 */
const listReporterHistory = async (
  incidentId: string,
  reporterId: string,
  { kind, paging }: { kind: HistoryQuery["kind"]; paging: HistoryPaging },
): Promise<HistoryPage> =>
  toHistoryPage(
    await sql.$queryRaw<HistoryPageRow[]>`
      with matching as (
        select h.*, h.created_at as place from incident_history h
        where h.incident_id = ${incidentId}::uuid and ${kindConditionSql(kind)} and (
          h.action in ('submitted', 'state', 'reopen', 'emergency', 'message', 'message.edited', 'message.deleted')
          or h.action in ('file.added', 'file.deleted') and h.object_id = any(array(
            select own.object_id from incident_history own where own.incident_id = ${incidentId}::uuid
              and own.action = 'file.added' and own.actor_id = ${reporterId}::uuid)))
      ), ${paging.page(MESSAGE_BYTES)}
      select (select count(*)::int from matching) as total, ${paging.pages} as pages, h.id, h.action,
        case when h.action = 'message.edited' then mr.body else h.from_value end as "from",
        case when h.action = 'message.edited' then ${NEXT_MESSAGE_BODY} else h.to_value end as "to",
        case when h.action in ('message', 'message.edited') or h.actor_id = ${reporterId}::uuid
          and h.action not in ('submitted', 'state', 'reopen', 'emergency')
          then (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = h.actor_id) end as actor,
        h.object_id as "objectId", coalesce(m.id, f.id) is not null as there, m.body,
        m.updated_at as "updatedAt", coalesce(m.updated_at > m.created_at, false) as edited,
        coalesce(m.kind = 'outcome', false) as outcome, coalesce(${IS_FROM_MAILBOX_SQL}, false) as "fromMailbox", h.created_at as "createdAt"
      from (select 1) as one left join page h on true
      ${MESSAGE_JOINS} and h.actor_id = ${reporterId}::uuid -- revisions of their own messages only
      left join related_files f on f.id = h.object_id and f.incident_id = h.incident_id
      order by h.place ${paging.way}, h.seq ${paging.way}`,
  );

/** Joins the message `m` of an entry `h`, and the revision `mr` that an edit replaced. */
const MESSAGE_JOINS = Prisma.sql`
  left join messages m on m.id = h.object_id and m.conversation_id = h.incident_id
  left join message_revisions mr on mr.message_id = m.id and h.action = 'message.edited'
    and mr.id::text = h.from_value`;

/** The text of a message after an edit. */
const NEXT_MESSAGE_BODY = Prisma.sql`coalesce((select r.body from message_revisions r where r.message_id = mr.message_id
  and r.replaced_at > mr.replaced_at order by r.replaced_at limit 1), case when mr.id is not null then m.body end)`;

/**
 * The time by which the team's history is ordered. An entry by a reported person or a witness is dated with its day
 * only. So that an appeal still comes after its decision, it is placed no earlier than the entries of conversations
 * written before it.
 */
const PLACE_SQL = Prisma.sql`case when h.action like 'conversation.%' and h.actor_id is null then greatest(h.created_at,
  (select max(earlier.created_at) from incident_history earlier where earlier.incident_id = h.incident_id
    and earlier.action like 'conversation.%' and earlier.seq < h.seq)) else h.created_at end`;

function kindConditionSql(kind: HistoryQuery["kind"]): Prisma.Sql {
  if (kind === "all") return Prisma.sql`true`;
  if (kind !== "changes") return Prisma.sql`starts_with(h.action, ${ACTION_PREFIXES[kind]})`;
  return Prisma.sql`not (${Prisma.join(Object.values(ACTION_PREFIXES).map(actionStartsWithSql), " or ")})`;
}

const ACTION_PREFIXES = { messages: "message", notes: "note", files: "file." } satisfies Record<
  Exclude<HistoryKind, "changes">,
  string
>;
const actionStartsWithSql = (prefix: string) => Prisma.sql`starts_with(h.action, ${prefix})`;

/** Pages with a fixed number of entries. */
function paginateByCount({ page, limit, order }: HistoryQuery): HistoryPaging {
  const direction = order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;
  return {
    page: () => Prisma.sql`page as (
      select * from matching order by place ${direction}, seq ${direction}
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint)`,
    pages: Prisma.sql`null::int`,
    way: direction,
  };
}

/**
 * Pages with a fixed number of bytes of text, newest first. Each entry counts at least the minimum weight, which
 * limits how many short ones a page holds, and at most a whole page, so that no page is empty.
 */
function paginateByLength(page: number): HistoryPaging {
  const minWeight = Math.ceil(MAX_TIMELINE_BYTES / MAX_TIMELINE_ENTRIES);
  return {
    page: (bytes) => Prisma.sql`weighed as (
        select h.*, least(greatest(coalesce(${bytes}, 0), ${minWeight}::int), ${MAX_TIMELINE_BYTES}::int) as weight from matching h
      ), paged as (
        select *, ((sum(weight) over (order by place desc, seq desc) - weight) / ${MAX_TIMELINE_BYTES}::int)::bigint + 1 as page
        from weighed
      ), page as (select * from paged where page = ${page}::bigint)`,
    pages: Prisma.sql`(select max(page)::int from paged)`,
    way: Prisma.sql`desc`,
  };
}

/** Length of the message or note of an entry `h`, computed without loading its text. */
const MESSAGE_BYTES = Prisma.sql`(select octet_length(s.body) from messages s
  where h.action = 'message' and s.id = h.object_id)`;
const NOTE_BYTES = Prisma.sql`coalesce(
  (select octet_length(s.body) from team_notes s where h.action = 'note' and s.id = h.object_id),
  (select max(octet_length(s.body)) from team_notes s where h.action = 'note' and h.object_id is null
    and s.incident_id = h.incident_id and s.created_at = h.created_at))`;

/** An empty page comes as one row without an id, which still carries the total. */
const toHistoryPage = (rows: HistoryPageRow[]): HistoryPage => ({
  rows: rows.filter(({ id }) => id !== null),
  total: rows[0]?.total ?? 0,
  pages: rows[0]?.pages ?? null,
});

function toHistoryEntry(row: HistoryRow): HistoryEntryRecord {
  const { id, action, from, to, actor, objectId, there, body, createdAt } = row;
  const { edited, outcome, fromMailbox, updatedAt } = row;
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
  const comment = {
    id: objectId,
    visibility,
    body,
    html: body === null ? null : renderLinkedText(body),
    removed,
    outcome,
    fromMailbox,
    edited,
    updatedAt,
  } as const;
  return { ...commonFields, comment, file: null };
}

const historyKindOf = (action: string): HistoryKind =>
  (["messages", "notes", "files"] as const).find((kind) => action.startsWith(ACTION_PREFIXES[kind])) ??
  "changes";
