import { Prisma } from "#lib/generated/prisma/client.ts";
import { isReaderSql, RESTRICTED_INCIDENT_IDS_SQL } from "#lib/access/readers-sql.ts";
import { EVENT_ADMIN_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";

/**
 * People on the response team of an event, or only its Admins, who can use their role: they have accepted it, have
 * confirmed their address, have the second factor that their organization requires, and aren't disabled.
 */
export const activeTeamMembersSql = (eventId: string, { admins = false } = {}): Prisma.Sql =>
  readersOfSql(Prisma.sql`${eventId}::uuid`, admins ? EVENT_ADMIN_ROLES_SQL : TEAM_ROLES_SQL);

const readersOfSql = (eventId: Prisma.Sql, roles: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select r.user_id, r.role_name
  from event_roles r join users u on u.id = r.user_id
    join events e on e.id = r.event_id join organizations o on o.id = e.organization_id
  where r.event_id = ${eventId} and r.role_name in ${roles} and not r.pending and ${isNotWithheldSql()}`;

/**
 * The condition that somebody can read the reports of an event now: a Responder or Admin who can use the role. Where
 * nobody can, the event isn't open (contract 6.10). `eventId` must not refer to a table alias `r`, `u`, `e` or `o`.
 */
export const hasEventReaderSql = (eventId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (${readersOfSql(eventId, TEAM_ROLES_SQL)})`;

/** The condition that user `u` can use their roles in organization `o`. */
const isNotWithheldSql = () => Prisma.sql`u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()}
  and (not o.require_second_factor
    or exists (select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null))`;

/** The condition that the holder of event role `r` has accepted it and can use it (contract 2.6). */
export const isEventRoleUsableSql = (): Prisma.Sql => Prisma.sql`not r.pending and exists (
  select 1 from users u, events e join organizations o on o.id = e.organization_id
  where u.id = r.user_id and e.id = r.event_id and ${isNotWithheldSql()})`;

/** People on the team of an event or invited to it, and members of its organization, who can see its statistics. */
export const teamAndOrganizationMembersSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select r.user_id from event_roles r where r.event_id = ${eventId}::uuid and r.role_name in ${TEAM_ROLES_SQL}
  union select m.user_id from organization_members m join events e on e.organization_id = m.organization_id
    where e.id = ${eventId}::uuid`;

/** Everybody whom a reporter may mean who types the name of somebody on the team: SystemAdmins can read a report as well. */
export const peopleWhoMayBeNamedSql = (
  eventId: string,
): Prisma.Sql => Prisma.sql`${teamAndOrganizationMembersSql(eventId)}
  union select s.id from users s where s.system_admin`;

/** The outside person of the organization of an event, while they are a member of it; no row if there is none. */
export const selectOutsidePersonOfEventSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select m.user_id from events e join organizations o on o.id = e.organization_id
    join organization_members m on m.organization_id = o.id and m.user_id = o.outside_person_id and not m.pending
    join users u on u.id = m.user_id and u.disabled_at is null
  where e.id = ${eventId}::uuid`;

/** The access of somebody who is let in to an incident: they read it, or are asked first where it is under the conflict check. */
export const accessOnceLetInSql = (isUnderConflictCheck: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`case when ${isUnderConflictCheck} then 'ask' else 'full' end::reader_access`;

/**
 * The rows of `incident_readers` that begin a list, `user_id` and `access`, for everybody who can use a role at this
 * moment. The team and SystemAdmins read, members of the organization count.
 * @param isUnderConflictCheck the column of the incident
 */
export const peopleOfNewListSql = (
  eventId: string,
  isUnderConflictCheck: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  select distinct on (p.user_id) p.user_id, p.access from (
    select r.user_id, ${accessOnceLetInSql(isUnderConflictCheck)} as access from (${activeTeamMembersSql(eventId)}) r
    union all
    select s.user_id, ${accessOnceLetInSql(isUnderConflictCheck)} from (${usableSystemAdminsSql(eventId)}) s
    union all
    select m.user_id, 'numbers' from events e join organizations o on o.id = e.organization_id
        join organization_members m on m.organization_id = o.id and not m.pending join users u on u.id = m.user_id
      where e.id = ${eventId}::uuid and ${isNotWithheldSql()}
  ) p order by p.user_id, p.access desc`;

/**
 * The people who hold a role with which an incident can be read, `user_id` and `as`: the outside person to whom it was
 * passed on, the team, and SystemAdmins. Whether they may read it depends on its list, too (readers-sql.ts).
 */
export const peopleWithRoleToReadSql = ({
  eventId,
  incidentId,
}: {
  eventId: string;
  incidentId: string;
}): Prisma.Sql => Prisma.sql`
  select distinct on (p.user_id) p.user_id, p."as" from (
    select f.user_id, 'outsidePerson' as "as", 1 as place from (${outsideReadersSql(Prisma.sql`${incidentId}::uuid`, isNotWithheldSql())}) f
    union all
    select r.user_id, 'team', 2 from (${activeTeamMembersSql(eventId)}) r
    union all
    select s.user_id, 'systemAdmin', 3 from (${usableSystemAdminsSql(eventId)}) s
  ) p order by p.user_id, p.place`;

const usableSystemAdminsSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select u.id as user_id from users u, events e join organizations o on o.id = e.organization_id
  where u.system_admin and e.id = ${eventId}::uuid and ${isNotWithheldSql()}`;

/** People outside the team to whom an incident was passed on so that they read it, while they are members of its organization. */
export const outsideReadersOfIncidentSql = (incidentId: string): Prisma.Sql =>
  outsideReadersSql(Prisma.sql`${incidentId}::uuid`, IS_ENABLED_SQL);

const IS_ENABLED_SQL = Prisma.sql`u.disabled_at is null`;

const outsideReadersSql = (incidentId: Prisma.Sql, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select m.user_id from incident_readers f join incidents n on n.id = f.incident_id join events e on e.id = n.event_id
    join organizations o on o.id = e.organization_id
    join organization_members m on m.organization_id = o.id and m.user_id = f.user_id and not m.pending
    join users u on u.id = m.user_id
  where f.incident_id = ${incidentId} and f.source = 'outside' and f.access >= 'ask' and ${condition}`;

/**
 * People who hold a role on the team of incident `i` and may read it. Roles that are withheld for now (contract 2.8)
 * count, unlike in `activeTeamMembersSql`: their holders can read as soon as they do what is missing.
 */
export const TEAM_READERS_OF_INCIDENT_SQL = Prisma.sql`
  select r.user_id from event_roles r join users u on u.id = r.user_id and u.disabled_at is null
  where r.event_id = i.event_id and not r.pending and r.role_name in ${TEAM_ROLES_SQL}
    and ${isReaderSql(Prisma.sql`r.user_id`)}`;

/** People to whom incident `i` was passed on, and who can read it, or could if their role weren't withheld. */
export const OUTSIDE_READERS_SQL = outsideReadersSql(Prisma.sql`i.id`, IS_ENABLED_SQL);

/**
 * The person to whom incident `i` can be passed on: the outside person of the moment when its list was made, or, where
 * it has none, today's, unless it is hidden from them.
 */
export const OUTSIDE_PERSON_TO_LET_IN_SQL = Prisma.sql`
  select m.user_id from events e join organizations o on o.id = e.organization_id
    join organization_members m on m.organization_id = o.id and not m.pending
      and m.user_id = case when i.listed then i.outside_person_id else o.outside_person_id end
    join users u on u.id = m.user_id and u.disabled_at is null
  where e.id = i.event_id and m.user_id is distinct from i.reporter_id
    and not exists (select 1 from incident_readers x where x.incident_id = i.id and x.user_id = m.user_id and x.access = 'none')`;

/** The condition that somebody can read incident `i` now, apart from its reporter and SystemAdmins. */
export const hasReaderBesidesReporterSql = (): Prisma.Sql => Prisma.sql`(
  exists (select 1 from (${readersOfSql(Prisma.sql`i.event_id`, TEAM_ROLES_SQL)}) t
    where t.user_id is distinct from i.reporter_id and ${isReaderSql(Prisma.sql`t.user_id`)})
  or exists (${outsideReadersSql(Prisma.sql`i.id`, isNotWithheldSql())}))`;

/** The condition that incident `i` is restricted, and that nobody but its reporter holds a role to read it with. */
export const INCIDENT_LOST_ALL_READERS_SQL = Prisma.sql`
  i.id in (${RESTRICTED_INCIDENT_IDS_SQL})
  and not exists (select 1 from (${TEAM_READERS_OF_INCIDENT_SQL}) t where t.user_id is distinct from i.reporter_id)
  and not exists (${OUTSIDE_READERS_SQL})`;
