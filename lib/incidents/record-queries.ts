import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  rawJsonSql,
  type JsonSqlMember,
  nullableJsonSql,
  jsonObjectSql,
  nullableJsonObjectSql,
  jsonStringSql,
  jsonTimeSql,
  jsonUnescapedStringSql,
} from "#lib/incidents/json-sql.ts";
import { incidentsUnmaskedForReporterSql, incidentsMaskedForReaderSql } from "#lib/incidents/readable-sql.ts";
import type {
  ConflictCheckStatus,
  CONTACT_METHODS,
  IncidentState,
  RelatedFile,
  Severity,
} from "#lib/incidents/schema.ts";
import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** An incident with its related records. Times are already text, as the API writes them (contract 3.6). */
export type IncidentRow = {
  id: string;
  title: string;
  description: string;
  state: IncidentState;
  severity: Severity | null;
  /** Whether somebody is in danger and nobody has acknowledged the report yet. */
  urgent: boolean;
  /** Whether the reporter reads messages in a mailbox. */
  hasMailbox: boolean;
  /** Whether a team member wrote it down and the reporter hasn't confirmed the text. */
  unconfirmed: boolean;
  /** Whether the reporter closed their mailbox for good. */
  mailboxClosed: boolean;
  withdrawn: boolean;
  incidentAt: string | null;
  location: string | null;
  parties: string | null;
  eventId: string;
  reporterId: string | null;
  assignedResponderId: string | null;
  resolution: string | null;
  /** Whether the resolution is internal to the team. */
  resolutionInternal: boolean;
  firstResponseAt: string | null;
  resolvedAt: string | null;
  escalatedAt: string | null;
  reopenedAt: string | null;
  createdAt: string;
  updatedAt: string;
  type: string | null;
  contactMethod: (typeof CONTACT_METHODS)[number];
  contactPhone: string | null;
  event: { id: string; name: string; slug: string };
  reporter: Person | null;
  assignedResponder: Person | null;
  relatedFiles: RelatedFile[];
  reportedPersonName: string | null;
  /** The reader's answer to the conflict check; null where they aren't asked (contract 18). */
  conflictCheck: ConflictCheckStatus | null;
};

type Person = { id: string; name: string; email: string | null };

type IncidentKey = { eventId: string; incidentId: string };

/**
 * Finds one incident of one event as its reader may see it; both ids must match (contract 3.5). Null without a match.
 * @param condition another one that incident `i` has to fulfill
 */
export async function findIncidentAsSeenByReader(
  client: SqlClient,
  { readerId, ...key }: IncidentKey & { readerId: string | null },
  condition = Prisma.sql`true`,
): Promise<IncidentRow | null> {
  return findRecord(
    client,
    incidentsMaskedForReaderSql(readerId),
    Prisma.sql`${hasKeySql(key)} and ${condition}`,
  );
}

/** Finds who reported an incident, and whether it is closed to the reader by its conflict check. */
export async function findReporterAndConflictCheckState(
  { readerId, ...key }: IncidentKey & { readerId: string | null },
  condition: Prisma.Sql,
): Promise<{ reporterId: string | null; isUnopened: boolean } | undefined> {
  const [row] = await sql.$queryRaw<{ reporterId: string | null; isUnopened: boolean }[]>`
    select reporter_id as "reporterId", ${isConflictCheckUnansweredSql(readerId)} as "isUnopened" from incidents i
    where ${hasKeySql(key)} and ${condition}`;
  return row;
}

/** Finds an incident for its sender, named or anonymous, who reads it back. */
export const findIncidentForReporter = (client: SqlClient, key: IncidentKey): Promise<IncidentRow | null> =>
  findRecord(client, incidentsUnmaskedForReporterSql(Prisma.sql`incidents`), hasKeySql(key));

const hasKeySql = ({ eventId, incidentId }: IncidentKey) =>
  Prisma.sql`i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;

async function findRecord(
  client: SqlClient,
  source: Prisma.Sql,
  condition: Prisma.Sql,
): Promise<IncidentRow | null> {
  const [found] = await client.$queryRaw<{ record: string }[]>`${selectRecordSql(source)} where ${condition}`;
  return found ? parseIncidentRowJson(found.record) : null;
}

/** Selects rows that their sender has just written, as JSON text in the column `record`. */
export const selectJustSentIncidentJsonSql = (source: Prisma.Sql): Prisma.Sql =>
  selectRecordSql(incidentsUnmaskedForReporterSql(source));

/** Selects incidents as JSON text in the column `record`, which `parseIncidentRowJson` parses. */
const selectRecordSql = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select ${INCIDENT_ROW_JSON_SQL} as record from ${source} i ${INCIDENT_JOINS_SQL}`;

export const parseIncidentRowJson = (record: string): IncidentRow => JSON.parse(record) as IncidentRow;

/** Reads the record as this transaction leaves it, redacted for the actor. @throws AppError NOT_FOUND */
export async function refetchIncidentForActor(
  tx: SqlClient,
  { actor, eventId }: { actor: Actor; eventId: string },
  incidentId: string,
): Promise<IncidentRow> {
  const incident = await findIncidentAsSeenByReader(tx, { eventId, incidentId, readerId: actor.id });
  if (!incident) throw createNotFoundError("incident");
  return redactIncidentForActor(actor, incident);
}

/** @param showsEmail SQL condition for showing the address */
const personJson = (id: string, of: string, showsEmail: string): JsonSqlMember =>
  nullableJsonObjectSql(id, {
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
      then json_build_object('sha256', f.sha256, 'size', f.original_size) end, 'description', f.description, 'reveals', f.reveals, 'clean', f.clean_state,
    'hasOriginal', f.original_key is not null, 'visibleToReporter', f.visible_to_reporter,
    'uploadedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end,
    'fromUnnamedReporter', f.uploaded_by_id is null) order by f.created_at, f.id)
  from related_files f left join users p on p.id = f.uploaded_by_id where f.incident_id = i.content_id and f.letterbox_id is null)`;

/** Whether the reporter of an incident `i` withdrew it, as JSON; false where the incident is closed to the reader. */
export const IS_WITHDRAWN_JSON_SQL = `exists (select 1 from report_mailboxes w
  where w.incident_id = i.content_id and w.withdrawn_on is not null)::text`;

/** Whether the reporter of an incident `i` closed their mailbox, as JSON; false where it is closed to the reader. */
const IS_MAILBOX_CLOSED_JSON = `(not i.has_mailbox and exists (select 1 from report_mailboxes w
  where w.incident_id = i.content_id and w.closed_on is not null))::text`;

const RECORD_MEMBERS = {
  id: jsonUnescapedStringSql("i.id"),
  title: jsonStringSql("i.title"),
  description: jsonStringSql("i.description"),
  state: jsonUnescapedStringSql("i.state"),
  severity: nullableJsonSql(jsonUnescapedStringSql("i.severity")),
  urgent: rawJsonSql("i.urgent::text"),
  hasMailbox: rawJsonSql("i.has_mailbox::text"),
  unconfirmed: rawJsonSql("i.unconfirmed::text"),
  mailboxClosed: rawJsonSql(IS_MAILBOX_CLOSED_JSON),
  withdrawn: rawJsonSql(IS_WITHDRAWN_JSON_SQL),
  incidentAt: nullableJsonSql(jsonTimeSql("i.incident_at")),
  location: nullableJsonSql(jsonStringSql("i.location")),
  parties: nullableJsonSql(jsonStringSql("i.parties")),
  eventId: jsonUnescapedStringSql("i.event_id"),
  reporterId: nullableJsonSql(jsonUnescapedStringSql("i.reporter_id")),
  assignedResponderId: nullableJsonSql(jsonUnescapedStringSql("i.assigned_responder_id")),
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
  reporter: personJson("i.reporter_id", "r", `not exists ${eventRoleSql("i.reporter_id", false)}`),
  assignedResponder: personJson(
    "i.assigned_responder_id",
    "a",
    `exists ${eventRoleSql("i.assigned_responder_id", true)}`,
  ),
  relatedFiles: rawJsonSql(`coalesce(${RELATED_FILES_JSON}::text, '[]')`),
  reportedPersonName: nullableJsonSql(jsonStringSql("i.reported_person_name")),
  conflictCheck: nullableJsonSql(jsonUnescapedStringSql("i.conflict")),
} satisfies Record<Exclude<keyof IncidentRow, "resolutionInternal">, JsonSqlMember>;

/**
 * An incident `i` of `incidentsMaskedForReaderSql` with INCIDENT_JOINS_SQL as JSON text in the shape of the contract.
 * This costs the database slightly more than `row_to_json`, and saves the service parsing, shaping and serializing it.
 */
export const INCIDENT_API_JSON_SQL = Prisma.raw(jsonObjectSql(RECORD_MEMBERS).value);
/** `INCIDENT_API_JSON_SQL` with `resolutionInternal`, which `redactIncidentForActor` needs. */
export const INCIDENT_ROW_JSON_SQL = Prisma.raw(
  jsonObjectSql({ ...RECORD_MEMBERS, resolutionInternal: jsonStringSql("i.resolution_internal") }).value,
);

export const INCIDENT_JOINS_SQL = Prisma.sql`join events e on e.id = i.event_id
  left join users r on r.id = i.reporter_id left join users a on a.id = i.assigned_responder_id`;
