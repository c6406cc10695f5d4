import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import { env } from "#lib/env.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** SQL about the deadlines of an incident `i`: the one place of their rule (docs/decisions/020). */

/** What decides which deadline runs, and the one that runs so far. */
const DECIDING_COLUMNS = [
  "state",
  "urgent",
  "event_id",
  "reporter_id",
  "has_mailbox",
  "contact_method",
  "created_at",
  "first_response_at",
  "reopened_at",
  "last_message_from",
  "last_message_at",
  "awaits_reporter",
  "due_for",
  "due_since",
  "due_at",
] as const;

/** Open, with a reporter who reads what the team sends and wants to, and whose answer the team doesn't wait for. */
const WAITS_FOR_NEXT_MESSAGE_SQL = Prisma.sql`n.state in ${OPEN_STATES_SQL} and (n.reporter_id is not null or n.has_mailbox)
  and not n.awaits_reporter and (n.last_message_from is not null or n.has_mailbox or n.contact_method <> 'no_contact')`;

/**
 * The part of `update incidents i set …` that sets `urgent`, `due_for`, `due_since` and `due_at`. A running deadline keeps
 * its length; one that starts has the length that its event promises now. An incident is urgent until it leaves submitted.
 * @param changes the new values of columns that the same statement changes
 */
export const deadlineSql = (
  changes: Partial<Record<(typeof DECIDING_COLUMNS)[number], Prisma.Sql>> = {},
): Prisma.Sql => {
  const columns = DECIDING_COLUMNS.map(
    (name) => Prisma.sql`${changes[name] ?? Prisma.raw(`i.${name}`)} as ${Prisma.raw(name)}`,
  );
  return Prisma.sql`(urgent, due_for, due_since, due_at) = (
    select n.urgent and kind is not distinct from 'acknowledge', kind, since,
      case when kind = n.due_for and since = n.due_since then n.due_at
        when kind = 'acknowledge' then since + ${firstResponseTimeSql(Prisma.sql`n.event_id`, Prisma.sql`n.urgent`)}
        else since + ${NEXT_MESSAGE_TIME_SQL} end
    from (select ${Prisma.join(columns)}) n
    cross join lateral (select case when n.state = ${"submitted"}::incident_state then 'acknowledge'
      when ${WAITS_FOR_NEXT_MESSAGE_SQL} then 'update' end::deadline_kind as kind) running
    cross join lateral (select case kind when 'acknowledge' then n.created_at
      when 'update' then coalesce(greatest(n.first_response_at, n.reopened_at, n.last_message_at), n.created_at) end as since) began
  )`;
};

/** The part of `update incidents i set …` that opens or closes the mailbox of a reporter, who can be reached in it. */
export const mailboxSql = (becomes: "open" | "closed"): Prisma.Sql => {
  const isOpen = Prisma.sql`${becomes === "open"}::boolean`;
  return Prisma.sql`has_mailbox = ${isOpen}, ${deadlineSql({ has_mailbox: isOpen })}`;
};

/** The values of `due_for`, `due_since`, `due_at` and `first_response_due_at` for a new report. */
export const newDeadlineSql = (
  { eventId, isUrgent }: { eventId: string; isUrgent: boolean },
  since: Prisma.Sql,
): Prisma.Sql => {
  const dueAt = Prisma.sql`${since} + ${firstResponseTimeSql(Prisma.sql`${eventId}::uuid`, Prisma.sql`${isUrgent}::boolean`)}`;
  return Prisma.sql`'acknowledge'::deadline_kind, ${since}, ${dueAt}, ${dueAt}`;
};

/** How long a first response may take, as the event promises it now; an urgent report has minutes, whatever it promises. */
const firstResponseTimeSql = (eventId: Prisma.Sql, isUrgent: Prisma.Sql): Prisma.Sql => Prisma.sql`
  case when ${isUrgent} then make_interval(mins => ${env().URGENT_DEADLINE_MINUTES}::int)
    else make_interval(hours => coalesce((select s.answer_within_hours from event_report_settings s where s.event_id = ${eventId}),
      ${env().RESPONSE_DEADLINE_HOURS}::int)) end`;

/** A day is 24 hours: the length of a calendar day depends on the time zone of the session. */
const NEXT_MESSAGE_TIME_SQL = Prisma.sql`make_interval(hours => 24 * coalesce(
  (select s.next_update_within_days from event_report_settings s where s.event_id = n.event_id), 7))`;

/** The statement after which incidents that were inserted with times of the past have the deadlines of these times. */
export const startDeadlinesSql = (condition = Prisma.sql`true`): Prisma.Sql => Prisma.sql`
  update incidents i set ${deadlineSql()},
    first_response_due_at = i.created_at + ${firstResponseTimeSql(Prisma.sql`i.event_id`, Prisma.sql`i.urgent`)}
  where ${condition}`;

/**
 * Condition: once the deadline of the first response is missed, the history still needs an entry about that. A report
 * that is escalated already needs none, except an urgent one, which is escalated as it arrives, before its deadline.
 */
export const LACKS_DEADLINE_HISTORY_ENTRY_SQL = Prisma.sql`(i.escalated_at is null or i.urgent
  and not exists (select 1 from incident_history h where h.incident_id = i.id and h.action = 'deadline'))`;

/** The length of the deadline as the history writes it: "15 min" or "24 h". */
export const DEADLINE_LENGTH_LABEL_SQL = Prisma.sql`case when i.due_at - i.due_since < interval '1 hour'
  then round(extract(epoch from i.due_at - i.due_since) / 60) || ' min'
  else round(extract(epoch from i.due_at - i.due_since) / 3600) || ' h' end`;
