import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { OPEN_STATES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";

/**
 * Who may read an incident (docs/decisions/058): the team reads it, unless a row of `incident_readers` says otherwise of a
 * person. Only people with a row read one with a list. Statements have the same form whether or not anything is hidden, so
 * that neither their text nor their duration reveals it.
 */

/** For how long an incident is open to whoever opened it in an emergency, in hours. */
export const EMERGENCY_HOURS = 24;

/** The condition that incident `i` isn't among those that are hidden from its reader. */
export const incidentNotHiddenSql = (hidden: readonly string[]): Prisma.Sql =>
  Prisma.sql`i.id <> all(${hidden}::uuid[])`;

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

/** The same as `isReaderSql`, also for what a person has opened in an emergency, and for the reporter. */
export const isReaderNowSql = (
  personId: Prisma.Sql,
): Prisma.Sql => Prisma.sql`(coalesce(i.reporter_id = ${personId}, false)
  or coalesce((select x.access >= 'ask' or coalesce(x.opened_until > now(), false)
    from incident_readers x where x.incident_id = i.id and x.user_id = ${personId}), i.listed is not true))`;

/** The condition that row `x` of `incident_readers` keeps nobody out and puts nobody on a list: somebody opened the incident. */
export const ONLY_SAYS_WHO_OPENED_SQL = Prisma.sql`(x.source in ('answer', 'emergency') and x.access >= 'ask')`;

/** The condition that incident `i` has a list, or is hidden from somebody: nothing of it leaves the service by itself. */
export const IS_INCIDENT_RESTRICTED_SQL = Prisma.sql`(i.listed
  or exists (select 1 from incident_readers x where x.incident_id = i.id and x.access = 'none'))`;

/** The ids of all restricted incidents, for statements that begin with these few; small indexes have them. */
export const RESTRICTED_INCIDENT_IDS_SQL = Prisma.sql`select l.id from incidents l where l.listed
  union all select x.incident_id from incident_readers x where x.access = 'none'`;

/**
 * The condition that incident `i` isn't hidden from the actor at this moment, since that may have changed after their
 * request began. For a service token, restricted incidents are hidden; for another token, also one that its person has
 * opened in an emergency.
 */
export function incidentNotHiddenNowSql(actor: Pick<Actor, "id" | "token"> | null): Prisma.Sql {
  if (actor?.token?.service) return Prisma.sql`not ${IS_INCIDENT_RESTRICTED_SQL}`;
  const personId = Prisma.sql`${actor?.id ?? null}::uuid`;
  return actor?.token
    ? Prisma.sql`(coalesce(i.reporter_id = ${personId}, false) or ${isReaderSql(personId)})`
    : isReaderNowSql(personId);
}

/**
 * The ids of the incidents that user `u` must not read, in one text with spaces; null if there are none. A plus follows
 * the id of one that counts in the numbers that they read. For SystemAdmins, who read the system's audit log, there are
 * those of deleted incidents among them.
 * @param showsOpened whether they read what they have opened in an emergency, which no token does
 */
export const hiddenIncidentIdsSql = ({ showsOpened }: { showsOpened: boolean }): Prisma.Sql => Prisma.sql`(
  select string_agg(concat(h.incident_id, case when h.is_counted then '+' end), ' ') from (
    select x.incident_id, x.access = 'numbers' as is_counted from incident_readers x
    where x.user_id = u.id and x.access < 'ask' and (${!showsOpened}::boolean or x.opened_until is null or x.opened_until <= now())
      and not exists (select 1 from incidents i where i.id = x.incident_id and i.reporter_id = u.id)
    union all
    select i.id, false from (
      select r.event_id from event_roles r where r.user_id = u.id and r.role_name in ${TEAM_ROLES_SQL}
      union select e.id from organization_members m join events e on e.organization_id = m.organization_id where m.user_id = u.id
    ) place join incidents i on i.event_id = place.event_id and i.listed and i.reporter_id is distinct from u.id
    where ${isWithoutRowSql(Prisma.sql`i.id`)}
    union
    select i.id, false from incidents i
    where u.system_admin and i.listed and i.reporter_id is distinct from u.id and ${isWithoutRowSql(Prisma.sql`i.id`)}
    union
    select x.incident_id, false from incident_readers x
    where u.system_admin and x.access = 'none' and x.source in ('reporter', 'team') and ${isWithoutRowSql(Prisma.sql`x.incident_id`)}
  ) h)`;

const isWithoutRowSql = (incidentId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`not exists (select 1 from incident_readers own where own.incident_id = ${incidentId} and own.user_id = u.id)`;

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

/** The rows of `incident_counts`, and for each hidden incident a row that subtracts it. */
export const visibleIncidentCountsSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`(
  select c.event_id, ${STATE_COUNTERS}, c.open_unassigned, c.open_escalated, ${SEVERITY_COUNTERS} from incident_counts c
  union all ${subtractedCountsSql(Prisma.sql`i.id = any(${hidden}::uuid[])`)})`;

/** Like `visibleIncidentCountsSql`, and for each incident whose conflict check waits for the reader another such row. */
export const readableIncidentCountsSql = (
  hidden: readonly string[],
  readerId: string | null,
): Prisma.Sql => Prisma.sql`(
  select v.* from ${visibleIncidentCountsSql(hidden)} v
  union all ${subtractedCountsSql(Prisma.sql`${isConflictCheckUnansweredSql(readerId)} and ${incidentNotHiddenSql(hidden)}`)})`;
