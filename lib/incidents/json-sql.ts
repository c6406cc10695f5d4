import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  conflictCheckAnswerSql,
  isConflictCheckUnansweredSql,
  type Reader,
} from "#lib/access/readers-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL } from "#lib/incidents/list-sql.ts";
import type { IncidentRow } from "#lib/incidents/record-queries.ts";

/**
 * The SQL that writes JSON in the shape of the API: incidents, and rows of the inbox. It builds text with `format`, which
 * takes one argument per member; `concat` needs two more for the text in between and is slower. Each value's type is
 * known here, so the database needn't look it up at run time.
 */

/** A member of a JSON object: the SQL of its text, and the quotes around it. */
type JsonSqlMember = { value: string; quotes: "" | '"' };

/** A member whose SQL already yields JSON. */
const rawJsonSql = (value: string): JsonSqlMember => ({ value, quotes: "" });
/** A string member with a column's text, escaped. */
const jsonStringSql = (column: string): JsonSqlMember => rawJsonSql(`to_json(${column})::text`);
/** A string member for enum values and ids, which need no escaping. */
const jsonUnescapedStringSql = (column: string): JsonSqlMember => ({
  value: `${column}::text`,
  quotes: '"',
});
/** A string member with a time as the API writes it (contract 7.1). */
const jsonTimeSql = (column: string): JsonSqlMember => ({
  value: `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  quotes: '"',
});
/** Returns a member that writes `null` where its value is null. */
const nullableJsonSql = ({ value, quotes }: JsonSqlMember): JsonSqlMember =>
  rawJsonSql(`coalesce(${quotes ? `'"' || ${value} || '"'` : value}, 'null')`);

const jsonObjectSql = (members: Record<string, JsonSqlMember>): JsonSqlMember => {
  const placeholders = Object.entries(members).map(([name, { quotes }]) => `"${name}":${quotes}%s${quotes}`);
  const values = Object.values(members).map(({ value }) => value);
  return rawJsonSql(`format('{${placeholders.join(",")}}', ${values.join(", ")})`);
};
/** An object for what a column refers to; `null` if the column is null. */
const nullableJsonObjectSql = (column: string, members: Record<string, JsonSqlMember>): JsonSqlMember =>
  rawJsonSql(`case when ${column} is null then 'null' else ${jsonObjectSql(members).value} end`);

/** @param showsEmail SQL condition for showing the address */
const personMembers = (
  id: string,
  of: string,
  showsEmail: string,
): Record<"id" | "name" | "email", JsonSqlMember> => ({
  id: jsonUnescapedStringSql(id),
  name: jsonStringSql(`coalesce(${of}.name, '')`),
  email: nullableJsonSql(jsonStringSql(`case when ${showsEmail} then ${of}.email end`)),
});

/** Selects the role of a person in the event of an incident `i`, either accepted or pending. */
const eventRoleSql = (id: string, accepted: boolean) =>
  `(select 1 from event_roles h where h.event_id = i.event_id and h.user_id = ${id} and ${accepted ? "not " : ""}h.pending)`;

const RELATED_FILES_JSON = `(select json_agg(json_build_object('id', f.id, 'filename', f.filename, 'mimetype', f.mimetype,
    'size', f.size, 'createdAt', to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'sha256', coalesce(f.copy_sha256, f.sha256), 'original', case when f.original_key is not null
      then json_build_object('sha256', f.sha256, 'size', f.original_size) end, 'description', f.description, 'reveals', f.reveals, 'lost', f.lost, 'clean', f.clean_state,
    'hasOriginal', f.original_key is not null, 'visibleToReporter', f.visible_to_reporter,
    'uploadedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end,
    'fromUnnamedReporter', f.uploaded_by_id is null) order by f.created_at, f.id)
  from related_files f left join users p on p.id = f.uploaded_by_id where f.incident_id = i.id and f.conversation_id is null)`;

/** Whether the reporter of an incident `i` withdrew it, as JSON. Only reporters without an account do. */
const IS_WITHDRAWN_JSON = `(i.reporter_id is null and exists (select 1 from conversations w
  where w.id = i.id and w.withdrawn_on is not null))::text`;

/** Whether the reporter of an incident `i` closed their mailbox, as JSON. */
const IS_MAILBOX_CLOSED_JSON = `(i.reporter_id is null and not i.has_mailbox and exists (select 1 from conversations w
  where w.id = i.id and w.closed_on is not null))::text`;

/** Whether the reporter's address is confirmed, as JSON. incidentJoinsSql knows whether it has to be. */
const IS_REPORTER_VERIFIED_JSON = "coalesce(r.verified, false)::text";

const RECORD_MEMBERS = {
  id: jsonUnescapedStringSql("i.id"),
  number: rawJsonSql("i.number"),
  codeName: jsonUnescapedStringSql("i.code_name"),
  title: jsonStringSql("i.title"),
  description: jsonStringSql("i.description"),
  state: jsonUnescapedStringSql("i.state"),
  severity: nullableJsonSql(jsonUnescapedStringSql("i.severity")),
  urgent: rawJsonSql("i.urgent::text"),
  hasMailbox: rawJsonSql("i.has_mailbox::text"),
  unconfirmed: rawJsonSql("i.unconfirmed::text"),
  mailboxClosed: rawJsonSql(IS_MAILBOX_CLOSED_JSON),
  withdrawn: rawJsonSql(IS_WITHDRAWN_JSON),
  incidentAt: nullableJsonSql(jsonTimeSql("i.incident_at")),
  incidentOn: nullableJsonSql(jsonUnescapedStringSql("i.incident_on")),
  incidentDayPart: nullableJsonSql(jsonUnescapedStringSql("i.incident_day_part")),
  location: nullableJsonSql(jsonStringSql("i.location")),
  parties: nullableJsonSql(jsonStringSql("i.parties")),
  eventId: jsonUnescapedStringSql("i.event_id"),
  reporterId: nullableJsonSql(jsonUnescapedStringSql("i.reporter_id")),
  assignedResponderId: nullableJsonSql(jsonUnescapedStringSql("i.assigned_responder_id")),
  summary: nullableJsonSql(jsonStringSql("i.summary")),
  resolution: nullableJsonSql(jsonStringSql("i.resolution")),
  firstResponseAt: nullableJsonSql(jsonTimeSql("i.first_response_at")),
  resolvedAt: nullableJsonSql(jsonTimeSql("i.resolved_at")),
  escalatedAt: nullableJsonSql(jsonTimeSql("i.escalated_at")),
  reopenedAt: nullableJsonSql(jsonTimeSql("i.reopened_at")),
  createdAt: jsonTimeSql("i.created_at"),
  updatedAt: jsonTimeSql("i.updated_at"),
  type: nullableJsonSql(jsonStringSql("i.type")),
  contactMethod: jsonUnescapedStringSql("i.contact_method"),
  contactPhone: nullableJsonSql(jsonStringSql("i.contact_phone")),
  event: jsonObjectSql({
    id: jsonUnescapedStringSql("e.id"),
    name: jsonStringSql("e.name"),
    slug: jsonStringSql("e.slug"),
  }),
  // Shows the email address of a reporter unless their role is pending, and of an assignee only once they have accepted
  // one (contract 2.7).
  reporter: nullableJsonObjectSql("i.reporter_id", {
    ...personMembers("i.reporter_id", "r", `not exists ${eventRoleSql("i.reporter_id", false)}`),
    emailVerified: rawJsonSql(IS_REPORTER_VERIFIED_JSON),
  }),
  assignedResponder: nullableJsonObjectSql(
    "i.assigned_responder_id",
    personMembers("i.assigned_responder_id", "a", `exists ${eventRoleSql("i.assigned_responder_id", true)}`),
  ),
  relatedFiles: rawJsonSql(`coalesce(${RELATED_FILES_JSON}::text, '[]')`),
  reportedPersonName: nullableJsonSql(jsonStringSql("i.reported_person_name")),
  conflictCheck: nullableJsonSql(jsonUnescapedStringSql("i.conflict")),
} satisfies Record<keyof IncidentRow, JsonSqlMember>;

const INBOX_MEMBERS = {
  id: jsonUnescapedStringSql("i.id"),
  number: rawJsonSql("i.number"),
  codeName: jsonUnescapedStringSql("i.code_name"),
  title: jsonStringSql("i.title"),
  state: jsonUnescapedStringSql("i.state"),
  severity: nullableJsonSql(jsonUnescapedStringSql("i.severity")),
  urgent: rawJsonSql("i.urgent::text"),
  withdrawn: rawJsonSql(IS_WITHDRAWN_JSON),
  type: nullableJsonSql(jsonStringSql("i.type")),
  eventId: jsonUnescapedStringSql("i.event_id"),
  createdAt: jsonTimeSql("i.created_at"),
  updatedAt: jsonTimeSql("i.updated_at"),
  event: jsonObjectSql({ name: jsonStringSql("e.name"), slug: jsonStringSql("e.slug") }),
  reporter: nullableJsonObjectSql("i.reporter_id", {
    id: jsonUnescapedStringSql("i.reporter_id"),
    name: jsonStringSql("coalesce(r.name, '')"),
    emailVerified: rawJsonSql(IS_REPORTER_VERIFIED_JSON),
  }),
  assignee: nullableJsonObjectSql("i.assigned_responder_id", {
    id: jsonUnescapedStringSql("i.assigned_responder_id"),
    name: jsonStringSql("coalesce(a.name, '')"),
  }),
  messages: rawJsonSql("(select count(*) from messages m where m.conversation_id = i.id)"),
  due: nullableJsonObjectSql("i.due_at", {
    for: jsonUnescapedStringSql("i.due_for"),
    since: jsonTimeSql("i.due_since"),
    at: jsonTimeSql("i.due_at"),
  }),
  awaiting: rawJsonSql(
    `case when ${SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.reporter.sql} then '"reporter"' when ${SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.team.sql} then '"team"' else 'null' end`,
  ),
  hiddenFrom: rawJsonSql(`(select coalesce(json_agg(h.user_id order by h.user_id), '[]')::text from (
    select x.user_id from incident_readers x join users p on p.id = x.user_id where x.incident_id = i.id and x.access = 'none'
    union select l.user_id from event_roles l where i.listed and l.event_id = i.event_id and l.role_name in ${TEAM_ROLES_SQL.sql}
      and l.user_id is distinct from i.reporter_id
      and not exists (select 1 from incident_readers x where x.incident_id = i.id and x.user_id = l.user_id and x.access >= 'ask')) h)`),
};

/**
 * An incident `i` of `incidentsWithAnswerSql` with incidentJoinsSql as JSON text in the shape of the contract.
 * This costs the database slightly more than `row_to_json`, and saves the service parsing, shaping and serializing it.
 */
export const INCIDENT_API_JSON_SQL = Prisma.raw(jsonObjectSql(RECORD_MEMBERS).value);
/** The same for rows that `redactIncidentForActor` gets, before anything of them is sent. */
export const INCIDENT_ROW_JSON_SQL = INCIDENT_API_JSON_SQL;

/**
 * Incidents with the reader's answer to their conflict check in the column `conflict`, in place of the table:
 * `unanswered` while it waits, which lists never have.
 */
export const incidentsWithAnswerSql = (
  reader: Reader,
  source = Prisma.sql`incidents`,
): Prisma.Sql => Prisma.sql`(
  select i.*, case when ${isConflictCheckUnansweredSql(reader)} then 'unanswered'
    else ${conflictCheckAnswerSql(reader?.id ?? null)} end as conflict from ${source} i)`;

/** The same for the sender of a report, who isn't asked. */
export const incidentsOfSenderSql = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select n.*, null::text as conflict from ${source} n)`;

export const incidentJoinsSql = (): Prisma.Sql => Prisma.sql`join events e on e.id = i.event_id
  left join lateral (select u.name, u.email, ${isEmailVerifiedIfRequiredSql()} as verified
    from users u where u.id = i.reporter_id) r on true left join users a on a.id = i.assigned_responder_id`;

const INBOX_MEMBERS_SQL = Prisma.raw(jsonObjectSql(INBOX_MEMBERS).value);

/**
 * A row of the inbox for an incident `i` of `incidentsWithAnswerSql` with incidentJoinsSql as JSON text, which
 * `lib/incidents/inbox.ts` parses. The markers come last, since they depend on the reader.
 * @param isUnread SQL condition: the reader hasn't read the incident
 */
export function inboxRowJsonSql({
  readerId,
  isUnread,
}: {
  readerId: string;
  isUnread: Prisma.Sql;
}): Prisma.Sql {
  const me = Prisma.sql`${readerId}::uuid`;
  return Prisma.sql`concat(left(${INBOX_MEMBERS_SQL}, -1), ',"pinned":',
    exists (select 1 from pins p where p.user_id = ${me} and p.incident_id = i.id)::text, ',"unread":',
    ${isUnread}::text, ',"files":',
    (select concat('{"all":', count(*), ',"shown":', count(*) filter (where f.visible_to_reporter
        or f.uploaded_by_id = ${me}), '}') from related_files f where f.incident_id = i.id and f.conversation_id is null), '}')`;
}
