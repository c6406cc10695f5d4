import { Prisma } from "#lib/generated/prisma/client.ts";
import { isKnownToPersonSql, IS_INCIDENT_RESTRICTED_SQL } from "#lib/access/readers-sql.ts";
import { OPEN_STATES_SQL, REPORTER_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { hasEventReaderSql, isEventRoleUsableSql } from "#lib/access/team-sql.ts";
import { CURRENT_QUARTER_HOUR_SQL } from "#lib/incidents/coarse-times-sql.ts";

/** The condition that incident `i` is open, isn't hidden from a person, and that the person hasn't opened it yet. */
export const isUnopenedForSql = (personId: Prisma.Sql): Prisma.Sql => Prisma.sql`i.state in ${OPEN_STATES_SQL}
  and ${isKnownToPersonSql(personId)}
  and not exists (select 1 from incident_access a where a.incident_id = i.id and a.actor_id = ${personId} and a.kind = 'view')`;

/**
 * The condition that people rely on event `v`: a report is open there, or it is active and has a report or a Reporter.
 * Restricted reports don't count: the notice goes to people from whom they may be hidden, and they have rules of their own.
 */
const IS_RELIED_ON_SQL = Prisma.sql`(
  exists (select 1 from incidents i where i.event_id = v.id and i.state in ${OPEN_STATES_SQL} and not ${IS_INCIDENT_RESTRICTED_SQL})
  or v.is_active and (
    exists (select 1 from event_roles a where a.event_id = v.id and a.role_name in ${REPORTER_ROLES_SQL} and not a.pending)
    or exists (select 1 from incidents i where i.event_id = v.id and not ${IS_INCIDENT_RESTRICTED_SQL})))`;

/**
 * The statement that finds the events of which a notice is due that nobody can read their reports: at once and then
 * daily, until somebody can. The time is stored no finer than that of an anonymous report, which may have caused it.
 */
export const claimEventsWithoutReaderSql = (): Prisma.Sql => Prisma.sql`
  with unread as materialized (
    select v.id from events v where not ${hasEventReaderSql(Prisma.sql`v.id`)} and ${IS_RELIED_ON_SQL}
  ), settled as (
    update events set reader_missing_since_notice = null
    where reader_missing_since_notice is not null and id not in (select id from unread)
  )
  update events v set reader_missing_since_notice = ${CURRENT_QUARTER_HOUR_SQL} from unread
  where v.id = unread.id and (v.reader_missing_since_notice is null or v.reader_missing_since_notice <= now() - interval '1 day')
  returning v.id as "eventId", v.organization_id as "organizationId"`;

/**
 * The statement that records which team roles have begun to count, and returns the people whom reports are waiting for:
 * open ones that they haven't opened and weren't notified of. Another role of somebody on the team changes nothing.
 */
export const claimNewTeamMembersSql = (): Prisma.Sql => Prisma.sql`
  with started as (
    update event_roles r set counts_from = now()
    where r.counts_from is null and r.role_name in ${TEAM_ROLES_SQL} and ${isEventRoleUsableSql()}
    returning r.event_id, r.user_id
  )
  select distinct v.id as "eventId", v.organization_id as "organizationId", s.user_id as "userId"
  from started s join events v on v.id = s.event_id
  where not exists (
      select 1 from event_roles h where h.event_id = s.event_id and h.user_id = s.user_id and h.role_name in ${TEAM_ROLES_SQL} and h.counts_from is not null)
    and exists (
      select 1 from incidents i where i.event_id = s.event_id and ${isUnopenedForSql(Prisma.sql`s.user_id`)}
        and not exists (select 1 from notifications n where n.user_id = s.user_id and n.incident_id = i.id))`;
