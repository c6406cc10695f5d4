import { Prisma } from "#lib/generated/prisma/client.ts";
import { SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL } from "#lib/incidents/list-sql.ts";
import {
  listIncidentFieldsAcrossEventsAsJson,
  listEventIncidentFieldsAsJson,
  type IncidentListPageJson,
} from "#lib/incidents/list-queries.ts";
import {
  rawJsonSql,
  nullableJsonSql,
  jsonObjectSql,
  nullableJsonObjectSql,
  jsonStringSql,
  jsonTimeSql,
  jsonUnescapedStringSql,
} from "#lib/incidents/json-sql.ts";
import { IS_DEADLINE_SHOWN_SQL } from "#lib/incidents/readable-sql.ts";
import { IS_WITHDRAWN_JSON_SQL } from "#lib/incidents/record-queries.ts";
import type { ParsedIncidentsAcrossEventsQuery, IncidentListQuery } from "#lib/incidents/schema.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import type { InboxRow } from "#lib/triage/schema.ts";
import { isUnreadSql } from "#lib/triage/unread-sql.ts";

/** The inbox list: fetches each incident's row and markers in one statement. */

type InboxRowsWithTotal = { rows: InboxRow[]; total: number };

export const listInboxRowsAcrossEvents = async (
  actor: Actor,
  query: ParsedIncidentsAcrossEventsQuery,
): Promise<InboxRowsWithTotal> =>
  shown(actor, await listIncidentFieldsAcrossEventsAsJson(actor, query, inboxRowSql(actor)));

export const listEventInboxRows = async (
  actor: Actor,
  eventId: string,
  query: IncidentListQuery,
): Promise<InboxRowsWithTotal> =>
  shown(actor, await listEventIncidentFieldsAsJson(actor, { ...query, eventId }, inboxRowSql(actor)));

/** The database's row; what is for the team only is removed for anybody else. */
type UnredactedRow = Omit<InboxRow, "files"> & { files: { all: number; shown: number } };

function shown(actor: Actor, { records, total }: IncidentListPageJson): InboxRowsWithTotal {
  const unredactedRows = JSON.parse(`[${records}]`) as UnredactedRow[];
  const rows = unredactedRows.map(({ files, ...row }) =>
    hasTeamAccessToEvent(actor, row.eventId)
      ? { ...row, files: files.all }
      : { ...row, files: files.shown, unread: false, due: null, awaiting: null, hiddenFrom: [] },
  );
  return { rows, total };
}

const ROW_MEMBERS = {
  id: jsonUnescapedStringSql("i.id"),
  title: jsonStringSql("i.title"),
  state: jsonUnescapedStringSql("i.state"),
  severity: nullableJsonSql(jsonUnescapedStringSql("i.severity")),
  urgent: rawJsonSql("i.urgent::text"),
  withdrawn: rawJsonSql(IS_WITHDRAWN_JSON_SQL),
  type: nullableJsonSql(jsonStringSql("i.type")),
  eventId: jsonUnescapedStringSql("i.event_id"),
  createdAt: jsonTimeSql("i.created_at"),
  updatedAt: jsonTimeSql("i.updated_at"),
  event: jsonObjectSql({ name: jsonStringSql("e.name"), slug: jsonStringSql("e.slug") }),
  reporter: nullableJsonObjectSql("i.reporter_id", { name: jsonStringSql("coalesce(r.name, '')") }),
  assignee: nullableJsonObjectSql("i.assigned_responder_id", {
    id: jsonUnescapedStringSql("i.assigned_responder_id"),
    name: jsonStringSql("coalesce(a.name, '')"),
  }),
  messages: rawJsonSql("(select count(*) from reporter_messages m where m.incident_id = i.content_id)"),
  due: nullableJsonObjectSql(`case when ${IS_DEADLINE_SHOWN_SQL.sql} then i.due_at end`, {
    for: jsonUnescapedStringSql("i.due_for"),
    since: jsonTimeSql("i.due_since"),
    at: jsonTimeSql("i.due_at"),
  }),
  awaiting: rawJsonSql(
    `case when ${SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.reporter.sql} then '"reporter"' when ${SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.team.sql} then '"team"' else 'null' end`,
  ),
  conflictCheck: nullableJsonSql(jsonUnescapedStringSql("i.conflict")),
  hiddenFrom: rawJsonSql(`(select coalesce(json_agg(x.user_id order by x.user_id), '[]')::text
    from incident_exclusions x join users p on p.id = x.user_id where x.incident_id = i.content_id)`),
};

function inboxRowSql(actor: Actor): Prisma.Sql {
  const me = Prisma.sql`${actor.id}::uuid`;
  const membersSql = Prisma.raw(jsonObjectSql(ROW_MEMBERS).value);
  return Prisma.sql`concat(left(${membersSql}, -1), ',"pinned":',
    exists (select 1 from pins p where p.user_id = ${me} and p.incident_id = i.id)::text, ',"unread":',
    ${isUnreadSql(actor.id)}::text, ',"files":',
    (select concat('{"all":', count(*), ',"shown":', count(*) filter (where f.visible_to_reporter
        or f.uploaded_by_id = ${me}), '}') from related_files f where f.incident_id = i.content_id and f.letterbox_id is null), '}')`;
}
