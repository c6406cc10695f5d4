import { Prisma } from "#lib/generated/prisma/client.ts";
import { EVENT_ADMIN_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";

/**
 * People on the response team of an event, or only its Admins, who can use their role: they have accepted it, have
 * confirmed their address, have the second factor that their organization requires, and aren't disabled.
 */
export const activeTeamMembersSql = (eventId: string, { admins = false } = {}): Prisma.Sql =>
  readersOfSql(Prisma.sql`${eventId}::uuid`, admins ? EVENT_ADMIN_ROLES_SQL : TEAM_ROLES_SQL);

/**
 * The ids of the people through whom event role `r` came, as an array. Empty for a role from before this was stored.
 */
const BEHIND_ROLE_SQL = Prisma.sql`array_remove(r.granted_by_id || r.granted_through_ids, null)`;

const readersOfSql = (eventId: Prisma.Sql, roles: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select r.user_id, r.role_name, r.created_at as joined_at, ${BEHIND_ROLE_SQL} as behind_ids
  from event_roles r join users u on u.id = r.user_id
    join events e on e.id = r.event_id join organizations o on o.id = e.organization_id
  where r.event_id = ${eventId} and r.role_name in ${roles} and not r.pending and ${isNotWithheldSql()}`;

/** The condition that user `u` can use their roles in organization `o`. */
const isNotWithheldSql = () => Prisma.sql`u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()}
  and (not o.require_second_factor
    or exists (select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null))`;

/** The condition that the holder of event role `r` has accepted it and can use it (contract 2.6). */
export const isEventRoleUsableSql = (): Prisma.Sql => Prisma.sql`not r.pending and exists (
  select 1 from users u, events e join organizations o on o.id = e.organization_id
  where u.id = r.user_id and e.id = r.event_id and ${isNotWithheldSql()})`;

/** The condition that member `m` of an organization has accepted the role and can use it (contract 2.6). */
export const isMembershipUsableSql = (): Prisma.Sql => Prisma.sql`not m.pending and exists (
  select 1 from users u, organizations o where u.id = m.user_id and o.id = m.organization_id and ${isNotWithheldSql()})`;

/** People on the team of an event or invited to it, and members of its organization, who can see its statistics. */
export const teamAndOrganizationMembersSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select r.user_id from event_roles r where r.event_id = ${eventId}::uuid and r.role_name in ${TEAM_ROLES_SQL}
  union select m.user_id from organization_members m join events e on e.organization_id = m.organization_id
    where e.id = ${eventId}::uuid`;

/**
 * The escalation contact of the organization of an event, while they are a member of it, with who named them and who
 * brought them into the organization; no row if there is none.
 */
export const selectEscalationContactOfEventSql = (eventId: string): Prisma.Sql =>
  contactOfSql(Prisma.sql`${eventId}::uuid`);

const contactOfSql = (eventId: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select m.user_id, o.contact_named_by_id, o.contact_named_at, least(m.created_at, o.contact_named_at) as joined_at,
    array_remove(o.contact_named_by_id || o.contact_named_through_ids, null) as behind_ids
  from events e join organizations o on o.id = e.organization_id
    join organization_members m on m.organization_id = o.id and m.user_id = o.escalation_contact_id and not m.pending
    join users u on u.id = m.user_id and u.disabled_at is null
  where e.id = ${eventId}`;

/** Stands for unknown people among those who brought somebody in. */
const UNKNOWN_PERSON_SQL = Prisma.sql`'00000000-0000-0000-0000-000000000000'::uuid`;

/**
 * The condition that none of `personIds` is among `behindIds` (docs/decisions/070).
 * @param personIds ids of people, as an array
 * @param behindIds ids of the people who brought somebody in or named them escalation contact, over any number of
 *   steps, as an array
 */
export const hasNoInviterAmongSql = (personIds: Prisma.Sql, behindIds: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`not (${personIds} && ${behindIds})`;

/**
 * The condition that escalation contact `c` isn't one of these people, and that none of them brought in or named the
 * contact.
 */
export const isEscalationContactIndependentOfSql = (personIds: Prisma.Sql): Prisma.Sql =>
  hasNoInviterAmongSql(personIds, Prisma.sql`(c.user_id || c.behind_ids)`);

/**
 * The condition that the database says who named escalation contact `c` and through whom they joined the organization,
 * or that this was before incident `i` was reported.
 */
const IS_KNOWN_OR_EARLIER_SQL = Prisma.sql`(c.contact_named_by_id is not null or coalesce(c.contact_named_at <= i.created_at, false))
  and (${UNKNOWN_PERSON_SQL} <> all(c.behind_ids) or c.joined_at <= i.created_at)`;

/** The condition that escalation contact `c` may read incident `i`, supposing that it is hidden from these people. */
export const canContactReadHiddenIncidentSql = (personIds: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`c.user_id is distinct from i.reporter_id and ${isEscalationContactIndependentOfSql(personIds)} and ${IS_KNOWN_OR_EARLIER_SQL}`;

/** The people from whom incident `i` is hidden, as an array. */
export const EXCLUDED_PERSON_IDS_ARRAY_SQL = Prisma.sql`array(select x.user_id from incident_exclusions x where x.incident_id = i.id)`;

/** People to whom an incident was referred so that they read it, as long as they are members of its organization. */
export const referralReadersSql = (incidentId: string): Prisma.Sql =>
  referredToSql(Prisma.sql`${incidentId}::uuid`, IS_READER_SQL);

/** The people of `referralReadersSql`, and those who review how the incident was opened without reading it. */
export const referralReadersAndReviewersSql = (incidentId: string): Prisma.Sql =>
  referredToSql(Prisma.sql`${incidentId}::uuid`, IS_ENABLED_SQL);

const IS_ENABLED_SQL = Prisma.sql`u.disabled_at is null`;
const IS_READER_SQL = Prisma.sql`${IS_ENABLED_SQL} and not f.for_review`;

const referredToSql = (incidentId: Prisma.Sql, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select m.user_id from incident_referrals f join incidents n on n.id = f.incident_id join events e on e.id = n.event_id
    join organizations o on o.id = e.organization_id
    join organization_members m on m.organization_id = o.id and m.user_id = f.user_id and not m.pending
    join users u on u.id = m.user_id
  where f.incident_id = ${incidentId} and ${condition}`;

/** The condition that incident `i` isn't hidden from a person. */
const notHiddenFromSql = (personId: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`not exists (select 1 from incident_exclusions x where x.incident_id = i.id and x.user_id = ${personId})`;

/** The same people as `TEAM_MEMBERS_NOT_EXCLUDED_SQL`, with the people who brought them in. */
const TEAM_WITH_ORIGINS_SQL = Prisma.sql`
  select r.user_id, r.created_at as joined_at, ${BEHIND_ROLE_SQL} as behind_ids
  from event_roles r join users u on u.id = r.user_id and u.disabled_at is null
  where r.event_id = i.event_id and not r.pending and r.role_name in ${TEAM_ROLES_SQL}
    and ${notHiddenFromSql(Prisma.sql`r.user_id`)}`;

/**
 * People who hold a role on the team of incident `i` and from whom it isn't hidden. Roles that are withheld for now
 * (contract 2.8) count, unlike in `activeTeamMembersSql`: their holders can read as soon as they do what is missing.
 */
export const TEAM_MEMBERS_NOT_EXCLUDED_SQL = Prisma.sql`select t.user_id from (${TEAM_WITH_ORIGINS_SQL}) t`;

/**
 * People of `TEAM_MEMBERS_NOT_EXCLUDED_SQL` whom none of the given people brought to the team, over any number of
 * steps.
 */
export const teamMembersNotInvitedThroughSql = (personIds: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`${TEAM_MEMBERS_NOT_EXCLUDED_SQL} where ${hasNoInviterAmongSql(personIds, Prisma.sql`t.behind_ids`)}`;

/**
 * The condition that person `t` didn't come to the team through anybody from whom incident `i` is hidden. If it
 * isn't recorded who brought them, they must have joined before the report was made.
 */
const IS_INDEPENDENT_READER_SQL = Prisma.sql`(i.id not in (select h.incident_id from incident_exclusions h)
  or ${hasNoInviterAmongSql(EXCLUDED_PERSON_IDS_ARRAY_SQL, Prisma.sql`t.behind_ids`)}
    and (${UNKNOWN_PERSON_SQL} <> all(t.behind_ids) or t.joined_at <= i.created_at))`;

/** People to whom incident `i` was referred, and who can read it, or could if their role weren't withheld. */
export const INCIDENT_REFERRAL_READERS_SQL = Prisma.sql`
  select f.user_id from (${referredToSql(Prisma.sql`i.id`, IS_READER_SQL)}) f where ${notHiddenFromSql(Prisma.sql`f.user_id`)}`;

/**
 * The people of `INCIDENT_REFERRAL_READERS_SQL`, and those who review how incident `i` was opened without reading it.
 */
export const INCIDENT_REFERRAL_READERS_AND_REVIEWERS_SQL = Prisma.sql`
  select f.user_id from (${referredToSql(Prisma.sql`i.id`, IS_ENABLED_SQL)}) f where ${notHiddenFromSql(Prisma.sql`f.user_id`)}`;

/**
 * The escalation contact to whom incident `i` can be referred. A contact doesn't qualify if a person from whom the
 * incident is hidden named them or brought them in: they may be a second account of that person (docs/decisions/066).
 */
export const REFERABLE_ESCALATION_CONTACT_SQL = Prisma.sql`
  select c.user_id from (${contactOfSql(Prisma.sql`i.event_id`)}) c
  where ${canContactReadHiddenIncidentSql(EXCLUDED_PERSON_IDS_ARRAY_SQL)}
    or c.user_id is distinct from i.reporter_id and i.id not in (select h.incident_id from incident_exclusions h)`;

/**
 * The condition that somebody can read incident `i` now, apart from its reporter and SystemAdmins. A team member
 * doesn't count if a person from whom the incident is hidden brought them in: they may be a second account of that
 * person (docs/decisions/070).
 */
export const hasReaderBesidesReporterSql = (): Prisma.Sql => Prisma.sql`(
  exists (select 1 from (${readersOfSql(Prisma.sql`i.event_id`, TEAM_ROLES_SQL)}) t
    where t.user_id is distinct from i.reporter_id and ${notHiddenFromSql(Prisma.sql`t.user_id`)} and ${IS_INDEPENDENT_READER_SQL})
  or exists (select 1 from (${referredToSql(Prisma.sql`i.id`, Prisma.sql`${isNotWithheldSql()} and not f.for_review`)}) f
    where ${notHiddenFromSql(Prisma.sql`f.user_id`)}))`;

/**
 * The condition that incident `i` is hidden from somebody, and that nobody who counts as a reader in
 * `hasReaderBesidesReporterSql` remains.
 */
export const INCIDENT_LOST_ALL_READERS_SQL = Prisma.sql`
  i.id in (select h.incident_id from incident_exclusions h)
  and not exists (select 1 from (${TEAM_WITH_ORIGINS_SQL}) t
    where t.user_id is distinct from i.reporter_id and ${IS_INDEPENDENT_READER_SQL})
  and not exists (${INCIDENT_REFERRAL_READERS_SQL})`;

/**
 * The ids of the people who brought in somebody who reads an event's incidents, on its team, as a member of its
 * organization or as SystemAdmin, over any number of steps, as an array.
 */
export const inviterChainIdsOfIncidentReaderSql = (
  eventId: string,
  personId: string,
): Prisma.Sql => Prisma.sql`coalesce(
  list_people_behind_role(${eventId}::uuid, ${personId}::uuid), ${inviterIdsOfMemberSql(eventId, Prisma.sql`${personId}::uuid`)})`;

/**
 * The ids of the people who brought in a member of an event's organization, as its escalation contact or otherwise, or
 * who made somebody else SystemAdmin, as an array.
 */
export const inviterIdsOfMemberSql = (
  eventId: string,
  personId: Prisma.Sql,
): Prisma.Sql => Prisma.sql`coalesce(
  (select c.behind_ids from (${selectEscalationContactOfEventSql(eventId)}) c where c.user_id = ${personId}),
  (select list_people_behind(e.organization_id, ${personId}) from events e where e.id = ${eventId}::uuid),
  list_people_behind_system_admin(${personId}), '{}')`;

/** The condition that incident `i` has an escalation contact whom none of these people brought in or named. */
export const hasEscalationContactIndependentOfSql = (personIds: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`exists (select 1 from (${contactOfSql(Prisma.sql`i.event_id`)}) c where ${isEscalationContactIndependentOfSql(personIds)})`;
