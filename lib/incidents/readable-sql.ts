import { Prisma } from "#lib/generated/prisma/client.ts";
import { UNANSWERED_CONFLICT_CHECK_TITLE_SQL, WITHHELD_UPDATED_AT_SQL } from "#lib/access/conflict-sql.ts";

/** The columns that everybody who may see the incident may read. */
const OPEN_COLUMNS = [
  "id",
  "event_id",
  "state",
  "severity",
  "urgent",
  "assigned_responder_id",
  "first_response_at",
  "resolved_at",
  "escalated_at",
  "reopened_at",
  "created_at",
  "reported_person_name",
  "conflict_check",
] as const;

/** Replacements for columns that are withheld from a reader who hasn't answered the conflict check. */
const WITHHELD_COLUMNS = {
  title: UNANSWERED_CONFLICT_CHECK_TITLE_SQL.sql,
  description: "''",
  type: "null",
  contact_method: "'no_contact'::contact_method",
  contact_phone: "null",
  incident_at: "null",
  location: "null",
  parties: "null",
  reporter_id: "null",
  resolution: "null",
  resolution_internal: "false",
  has_mailbox: "false",
  unconfirmed: "false",
  last_message_from: "null",
  last_message_at: "null",
  message_after_closing: "false",
  updated_at: WITHHELD_UPDATED_AT_SQL.sql,
} as const;

/** Columns that are withheld from that reader unless the deadline is that of the first response (`isDeadlineWithheldSql`). */
const DEADLINE_COLUMNS = ["due_for", "due_since", "due_at"] as const;

const COLUMNS_SQL = Prisma.raw(
  [
    ...OPEN_COLUMNS.map((column) => `i.${column}`),
    ...Object.entries(WITHHELD_COLUMNS).map(
      ([column, withheld]) => `case when c.unopened then ${withheld} else i.${column} end as ${column}`,
    ),
    ...DEADLINE_COLUMNS.map(
      (column) => `case when c.unopened and i.due_for = 'update' then null else i.${column} end as ${column}`,
    ),
    // Null where the content is withheld, so that messages and files aren't joined there.
    "case when not c.unopened then i.id end as content_id",
    `case when c.unopened then 'unanswered' when i.conflict_check and o.user_id is not null
      then coalesce(o.answer::text, 'bypassed') end as conflict`,
  ].join(", "),
);

/**
 * Rows of incidents as a person may read them, to select from in place of the table: without content as long as they
 * haven't answered the conflict check (docs/decisions/065). Two columns are added: `content_id`, the incident's id or
 * null where the content is withheld, and `conflict`, the person's answer, `unanswered`, `bypassed`, or null where the
 * person isn't asked.
 */
export const incidentsMaskedForReaderSql = (readerId: string | null): Prisma.Sql => Prisma.sql`(
  select ${COLUMNS_SQL} from incidents i
  left join conflict_answers o on o.incident_id = i.id and o.user_id = ${readerId}::uuid
  cross join lateral (
    select i.conflict_check and o.user_id is null and not coalesce(i.reporter_id = ${readerId}::uuid, false) as unopened) c)`;

/** Rows like those of `incidentsMaskedForReaderSql`, for the sender of a report, with or without a name. */
export const incidentsUnmaskedForReporterSql = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(select n.*, n.id as content_id, null::text as conflict from ${source} n)`;
