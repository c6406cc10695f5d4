import { Prisma } from "#lib/generated/prisma/client.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";

/**
 * Who may read an incident (docs/decisions/058): the team reads it, unless a row of `incident_readers` says otherwise of a
 * person. Only people with a row read one with a list. Statements have the same form whether or not anything is hidden, so
 * that neither their text nor their duration reveals it.
 */

/** For how long an incident is open to whoever opened it in an emergency, in hours. */
export const EMERGENCY_HOURS = 24;

/**
 * The condition that a person may read incident `i`, if there is one, as far as that depends on its list and rows, and not
 * on their role. Doesn't count what they opened in an emergency: nobody would be notified once that is over.
 */
export const isReaderSql = (personId: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce(
  (select x.access >= 'ask' from incident_readers x where x.incident_id = i.id and x.user_id = ${personId}), i.listed is not true)`;

/**
 * The condition that a person may read incident `i`, as `isReaderSql`, and has answered its conflict check: who decides about
 * others who read it does, and nobody who reads it in an emergency.
 */
export const isFullReaderSql = (personId: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce(
  (select x.access = 'full' from incident_readers x where x.incident_id = i.id and x.user_id = ${personId}), i.listed is not true and not i.conflict_check)`;

/**
 * The condition that nobody decided whether person `userId` reads incident `i`, which has a list: they have no row, or one by
 * which they count it or once opened it in an emergency.
 */
export const isUndecidedOnListSql = (userId: Prisma.Sql): Prisma.Sql => Prisma.sql`(i.listed
  and i.reporter_id is distinct from ${userId} and not exists (select 1 from incident_readers x
    where x.incident_id = i.id and x.user_id = ${userId} and x.access <> 'numbers' and not (x.access = 'none' and x.source = 'emergency')))`;

/** The condition that row `x` of `incident_readers` keeps nobody out and puts nobody on a list: somebody opened the incident. */
export const ONLY_SAYS_WHO_OPENED_SQL = Prisma.sql`(x.source in ('answer', 'emergency') and x.access >= 'ask')`;

/** The condition that incident `i` has a list, or is hidden from somebody: nothing of it leaves the service by itself. */
export const IS_INCIDENT_RESTRICTED_SQL = Prisma.sql`(i.listed
  or exists (select 1 from incident_readers x where x.incident_id = i.id and x.access = 'none'))`;

/** The ids of all restricted incidents, for statements that begin with these few; small indexes have them. */
export const RESTRICTED_INCIDENT_IDS_SQL = Prisma.sql`select l.id from incidents l where l.listed
  union all select x.incident_id from incident_readers x where x.access = 'none'`;

/** Who asks: a person in a session, one of their tokens, or a service token. Null: nobody in particular. */
export type Reader = Pick<Actor, "id" | "token"> | null;

/**
 * The condition that the reader knows of incident `i`, apart from roles: it has no list or they are on it, and no row
 * keeps them out. Whether they read it depends on its conflict check, too. A service token knows none that has a list or is
 * hidden from anybody.
 */
export const isKnownSql = (reader: Reader): Prisma.Sql =>
  reader?.token?.service
    ? Prisma.sql`not ${IS_INCIDENT_RESTRICTED_SQL}`
    : isOpenToSql(reader, Prisma.sql`x.access >= 'ask'`);

/** The condition that incident `i` counts in the numbers that the reader sees: like `isKnownSql`, and for members who only count it. */
export const isCountedSql = (reader: Reader): Prisma.Sql =>
  reader?.token?.service
    ? Prisma.sql`not ${IS_INCIDENT_RESTRICTED_SQL}`
    : isOpenToSql(reader, Prisma.sql`x.access >= 'numbers'`);

/** The condition that the reader reads incident `i`: they know of it, and have answered its conflict check, if it has one. */
export const isReadableSql = (reader: Reader): Prisma.Sql =>
  Prisma.sql`${isKnownSql(reader)} and not ${isConflictCheckUnansweredSql(reader)}`;

/** The same as `isKnownSql` for a person in a session. */
export const isKnownToPersonSql = (personId: Prisma.Sql): Prisma.Sql =>
  isOpenToPersonSql(personId, Prisma.sql`x.access >= 'ask' or coalesce(x.opened_until > now(), false)`);

/** No token reads what its person opened in an emergency. */
const isOpenToSql = (reader: Reader, lets: Prisma.Sql): Prisma.Sql =>
  isOpenToPersonSql(
    Prisma.sql`${reader?.id ?? null}::uuid`,
    reader?.token ? lets : Prisma.sql`${lets} or coalesce(x.opened_until > now(), false)`,
  );

/**
 * The database looks up a person's rows once for a statement that reads many incidents, and one by one where it reads few.
 * @param lets the condition that a row `x` of theirs opens the incident to them; without a row, its list decides
 */
const isOpenToPersonSql = (personId: Prisma.Sql, lets: Prisma.Sql): Prisma.Sql => {
  const hasRowSql = (condition: Prisma.Sql) =>
    Prisma.sql`exists (select 1 from incident_readers x where x.incident_id = i.id and x.user_id = ${personId} and ${condition})`;
  return Prisma.sql`(coalesce(i.reporter_id = ${personId}, false)
    or i.listed is not true and not ${hasRowSql(Prisma.sql`not (${lets})`)} or i.listed and ${hasRowSql(Prisma.sql`(${lets})`)})`;
};

/**
 * Selects the ids of the incidents that the reader doesn't know of, `id`, for statements on many rows that name incidents.
 * They are few, and small indexes have them.
 */
export const unknownIncidentIdsSql = (reader: Reader): Prisma.Sql =>
  closedIncidentIdsSql(reader, isKnownSql(reader));

/** Selects the ids of the incidents that don't count for the reader, `id`. */
export const uncountedIncidentIdsSql = (reader: Reader): Prisma.Sql =>
  closedIncidentIdsSql(reader, isCountedSql(reader));

const closedIncidentIdsSql = (reader: Reader, isOpen: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select i.id from incidents i where i.id in (${RESTRICTED_INCIDENT_IDS_SQL}
    union all select x.incident_id from incident_readers x where x.user_id = ${reader?.id ?? null}::uuid and x.access < 'ask') and not ${isOpen}`;

/** `incident_counts` has a column for each state, and for each severity of open incidents. */
const COUNTED_SEVERITIES = ["critical", "high", "medium", "low"] as const;

const STATE_COUNTERS = Prisma.raw(INCIDENT_STATES.map((state) => `c.${state}`).join(", "));
const SEVERITY_COUNTERS = Prisma.raw(COUNTED_SEVERITIES.map((severity) => `c.open_${severity}`).join(", "));
const STATES_TAKEN_AWAY = Prisma.raw(
  INCIDENT_STATES.map((state) => `-(o.state = '${state}')::int`).join(", "),
);
const SEVERITIES_TAKEN_AWAY = Prisma.raw(
  COUNTED_SEVERITIES.map((severity) => `-(o.is_open and o.severity = '${severity}')::int`).join(", "),
);

/** For each incident `i` of the condition a row that subtracts it from `incident_counts`. */
const subtractedCountsSql = (condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select o.event_id, ${STATES_TAKEN_AWAY}, -(o.is_open and o.assigned_responder_id is null)::int,
    -(o.is_open and o.escalated_at is not null)::int, ${SEVERITIES_TAKEN_AWAY}
  from (
    select i.event_id, i.state, coalesce(i.severity::text, 'none') as severity, i.assigned_responder_id, i.escalated_at,
      i.state in ${OPEN_STATES_SQL} as is_open
    from incidents i where ${condition}
  ) o`;

/** The rows of `incident_counts`, and one for each incident that doesn't count for the reader, which subtracts it. */
export const countedIncidentCountsSql = (reader: Reader): Prisma.Sql =>
  countsWithoutSql(Prisma.sql`i.listed`, isCountedSql(reader));

/** The same for incidents that the reader doesn't read. */
export const readableIncidentCountsSql = (reader: Reader): Prisma.Sql =>
  countsWithoutSql(Prisma.sql`(i.listed or i.conflict_check)`, isReadableSql(reader));

/** @param mayBeClosed the condition that incident `i` can be closed to somebody without a row; an index has these */
const countsWithoutSql = (mayBeClosed: Prisma.Sql, isOpen: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  select c.event_id, ${STATE_COUNTERS}, c.open_unassigned, c.open_escalated, ${SEVERITY_COUNTERS} from incident_counts c
  union all ${subtractedCountsSql(Prisma.sql`${mayBeClosed} and not (${isOpen})`)}
  union all ${subtractedCountsSql(Prisma.sql`not ${mayBeClosed} and not (${isOpen}) and i.id in (select x.incident_id from incident_readers x where x.access = 'none')`)})`;

/**
 * The condition that the reader hasn't answered the conflict check of incident `i` yet: it is closed to everybody but its
 * reporter until they have a row with full access, or one that they opened in an emergency. Service tokens never have one.
 * @param reader null for a reader who can't answer, to whom every incident under the check is closed
 */
export const isConflictCheckUnansweredSql = (reader: Reader): Prisma.Sql => {
  const id = Prisma.sql`${reader?.id ?? null}::uuid`;
  const isOpened = reader?.token ? Prisma.sql`false` : Prisma.sql`x.opened_until > now()`;
  return Prisma.sql`(i.conflict_check and not coalesce(i.reporter_id = ${id}, false) and not exists (
    select 1 from incident_readers x where x.incident_id = i.id and x.user_id = ${id} and (x.access = 'full' or ${isOpened})))`;
};

/**
 * The condition that the reader reads incident `i` in an emergency: otherwise it would be hidden from them, or closed by its
 * conflict check.
 */
export const isOpenInEmergencySql = (
  reader: Reader,
): Prisma.Sql => Prisma.sql`exists (select 1 from incident_readers x
  where x.incident_id = i.id and x.user_id = ${reader?.id ?? null}::uuid and x.opened_until > now()
    and (x.access < 'ask' or x.access = 'ask' and i.conflict_check))`;

/** How a reader opened incident `i`, a text: with which answer, or "emergency"; null if they weren't asked. */
export const conflictCheckAnswerSql = (readerId: string | null): Prisma.Sql => Prisma.sql`(
  select case when x.answer is not null then x.answer::text when x.access = 'ask' and x.opened_until > now() then 'emergency' end
  from incident_readers x where i.conflict_check and x.incident_id = i.id and x.user_id = ${readerId}::uuid)`;

/**
 * Statement that clears what the rows of a deleted incident, or of all deleted ones, say beyond who must not see it: reasons,
 * answers to the conflict check, and their times. What keeps it from somebody stays, as the audit log does; rows that only
 * say who had opened it go.
 */
export const clearReadersOfDeletedIncidentsSql = (incidentId?: string): Prisma.Sql => {
  const isDeleted =
    incidentId === undefined
      ? Prisma.sql`not exists (select 1 from incidents i where i.id = x.incident_id)`
      : Prisma.sql`x.incident_id = ${incidentId}::uuid`;
  return Prisma.sql`
  with opened as (delete from incident_readers x where ${ONLY_SAYS_WHO_OPENED_SQL} and ${isDeleted})
  update incident_readers x set reason = null, answer = null, created_at = now(),
    access = case x.access when 'ask' then 'full' else x.access end
  where (x.reason is not null or x.access >= 'ask') and not ${ONLY_SAYS_WHO_OPENED_SQL} and ${isDeleted}`;
};

/** Statement that clears a person's answers to conflict checks. */
export const clearAnswersOfPersonSql = (userId: string): Prisma.Sql => Prisma.sql`
  with opened as (delete from incident_readers x where ${ONLY_SAYS_WHO_OPENED_SQL} and x.user_id = ${userId}::uuid)
  update incident_readers x set answer = null, access = 'ask' where x.answer is not null and not ${ONLY_SAYS_WHO_OPENED_SQL} and x.user_id = ${userId}::uuid`;
