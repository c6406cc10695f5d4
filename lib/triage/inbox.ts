import { Prisma } from "#lib/generated/prisma/client.ts";
import { AWAITED_CONDITIONS } from "#lib/incidents/list-sql.ts";
import {
  listIncidentProjectionsAcrossEvents,
  listEventIncidentProjections,
  type IncidentPageText,
} from "#lib/incidents/queries.ts";
import {
  rawJson,
  nullableJson,
  jsonObject,
  nullableJsonObject,
  jsonString,
  jsonTime,
  jsonUnescapedString,
} from "#lib/incidents/json-sql.ts";
import { IS_DEADLINE_SHOWN_SQL } from "#lib/incidents/readable-sql.ts";
import { IS_WITHDRAWN_JSON } from "#lib/incidents/record-queries.ts";
import type { CrossEventIncidentQuery, IncidentListQuery } from "#lib/incidents/schema.ts";
import { isTeamMember, type Actor } from "#lib/operation/policy.ts";
import type { InboxRow } from "#lib/triage/schema.ts";
import { isUnreadSql } from "#lib/triage/unread-sql.ts";

/** The inbox list: fetches each incident's row and markers in one statement. */

export type InboxPage = { rows: InboxRow[]; total: number };

export const listInboxRowsAcrossEvents = async (
  actor: Actor,
  query: CrossEventIncidentQuery,
): Promise<InboxPage> =>
  shown(actor, await listIncidentProjectionsAcrossEvents(actor, query, inboxRowSql(actor)));

export const listEventInboxRows = async (
  actor: Actor,
  eventId: string,
  query: IncidentListQuery,
): Promise<InboxPage> =>
  shown(actor, await listEventIncidentProjections(actor, { ...query, eventId }, inboxRowSql(actor)));

/** The database's row; what is for the team only is removed for anybody else. */
type UnredactedRow = Omit<InboxRow, "files"> & { files: { all: number; shown: number } };

function shown(actor: Actor, { records, total }: IncidentPageText): InboxPage {
  const unredactedRows = JSON.parse(`[${records}]`) as UnredactedRow[];
  const rows = unredactedRows.map(({ files, ...row }) =>
    isTeamMember(actor, row.eventId)
      ? { ...row, files: files.all }
      : { ...row, files: files.shown, unread: false, due: null, awaiting: null, hiddenFrom: [] },
  );
  return { rows, total };
}

const ROW_MEMBERS = {
  id: jsonUnescapedString("i.id"),
  title: jsonString("i.title"),
  state: jsonUnescapedString("i.state"),
  severity: nullableJson(jsonUnescapedString("i.severity")),
  urgent: rawJson("i.urgent::text"),
  withdrawn: rawJson(IS_WITHDRAWN_JSON),
  type: nullableJson(jsonString("i.type")),
  eventId: jsonUnescapedString("i.event_id"),
  createdAt: jsonTime("i.created_at"),
  updatedAt: jsonTime("i.updated_at"),
  event: jsonObject({ name: jsonString("e.name"), slug: jsonString("e.slug") }),
  reporter: nullableJsonObject("i.reporter_id", { name: jsonString("coalesce(r.name, '')") }),
  assignee: nullableJsonObject("i.assigned_responder_id", {
    id: jsonUnescapedString("i.assigned_responder_id"),
    name: jsonString("coalesce(a.name, '')"),
  }),
  messages: rawJson("(select count(*) from reporter_messages m where m.incident_id = i.content_id)"),
  due: nullableJsonObject(`case when ${IS_DEADLINE_SHOWN_SQL.sql} then i.due_at end`, {
    for: jsonUnescapedString("i.due_for"),
    since: jsonTime("i.due_since"),
    at: jsonTime("i.due_at"),
  }),
  awaiting: rawJson(
    `case when ${AWAITED_CONDITIONS.reporter.sql} then '"reporter"' when ${AWAITED_CONDITIONS.team.sql} then '"team"' else 'null' end`,
  ),
  conflictCheck: nullableJson(jsonUnescapedString("i.conflict")),
  hiddenFrom: rawJson(`(select coalesce(json_agg(x.user_id order by x.user_id), '[]')::text
    from incident_exclusions x join users p on p.id = x.user_id where x.incident_id = i.content_id)`),
};

function inboxRowSql(actor: Actor): Prisma.Sql {
  const me = Prisma.sql`${actor.id}::uuid`;
  const membersSql = Prisma.raw(jsonObject(ROW_MEMBERS).value);
  return Prisma.sql`concat(left(${membersSql}, -1), ',"pinned":',
    exists (select 1 from pins p where p.user_id = ${me} and p.incident_id = i.id)::text, ',"unread":',
    ${isUnreadSql(actor.id)}::text, ',"files":',
    (select concat('{"all":', count(*), ',"shown":', count(*) filter (where f.visible_to_reporter
        or f.uploaded_by_id = ${me}), '}') from related_files f where f.incident_id = i.content_id and f.letterbox_id is null), '}')`;
}
