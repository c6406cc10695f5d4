import { Prisma } from "#lib/generated/prisma/client.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import type { Actor } from "#lib/operation/policy.ts";
import {
  EVENT_ADMIN_ROLES_SQL,
  OPEN_STATES_SQL,
  ORG_ADMIN_ROLES_SQL,
  REPORTER_ROLES_SQL,
  TEAM_ROLES_SQL,
} from "#lib/access/policy-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";

/**
 * SQL that leaves out the incidents hidden from an actor (docs/decisions/058). Statements have the same form whether or
 * not any incident is hidden, so that neither their text nor their duration reveals a hidden one.
 */

/**
 * The condition that exclusion `x` is in effect: its person hasn't opened the incident for a limited time (contract
 * 16.5).
 */
export const IS_EXCLUSION_IN_EFFECT_SQL = Prisma.sql`(x.opened_until is null or x.opened_until <= now())`;

/** The condition that incident `i` isn't hidden. */
export const incidentNotHiddenSql = (hidden: readonly string[]): Prisma.Sql =>
  Prisma.sql`i.id <> all(${hidden}::uuid[])`;

/**
 * The condition that incident `i` isn't hidden from the actor at this moment, since they may have been excluded after
 * their request began. For a service token, an incident that is hidden from anybody is hidden; for another token, also one
 * that its person has opened for a limited time.
 */
export const incidentNotHiddenNowSql = (actor: Pick<Actor, "id" | "token"> | null): Prisma.Sql =>
  actor?.token?.service
    ? Prisma.sql`not exists (select 1 from incident_exclusions x where x.incident_id = i.id)`
    : Prisma.sql`not exists (select 1 from incident_exclusions x where x.incident_id = i.id
        and x.user_id = ${actor?.id ?? null}::uuid and ${actor?.token ? Prisma.sql`true` : IS_EXCLUSION_IN_EFFECT_SQL})`;

type NewReader = {
  userId: string;
  /** Of the event, or of the organization where there is no event. */
  role: string;
  organizationId: string;
  /** Null for a role in the whole organization. */
  eventId: string | null;
  /** The person who gave them the role or created their invite; null when that account was deleted. */
  grantedById: string | null;
  /** The invite that they redeem, if any. */
  inviteId?: string;
};

/**
 * The statement that copies exclusions to a person who is about to get access to incidents or their numbers: they are
 * excluded from the incidents that are hidden from the person who grants it, so that nobody reads these with a second
 * account. It runs before the role is stored. Incidents that the person already reads aren't affected, nor what was
 * hidden while they had such a role before: an excluded Admin could otherwise take a report from its readers by revoking
 * their roles and granting them again.
 *
 * Everybody who knows the code of an invite may be the one who redeems it. So every exclusion by a reporter or a team
 * is copied then, and a recusal only if the person who recused themself certainly knows the code.
 */
export const inheritExclusionsOfGrantorSql = (reader: NewReader): Prisma.Sql => Prisma.sql`
  ${copyExclusionsSql(reader.userId)} and ${grantsReadingSql(reader)} and e.organization_id = ${reader.organizationId}::uuid
    and e.id = coalesce(${reader.eventId}::uuid, e.id)
    and (x.user_id = ${reader.grantedById}::uuid ${reader.inviteId === undefined ? Prisma.empty : orKnowsInviteSql(reader)})
    ${reader.eventId === null ? andGainsRoleSql(reader) : Prisma.empty} and ${isNewToTeamSql(reader.userId)}
  on conflict do nothing`;

/** Excludes somebody who becomes SystemAdmin from what is hidden from the SystemAdmin who gives them that role. */
export const inheritExclusionsOfPromotingAdminSql = (
  userId: string,
  grantedById: string,
): Prisma.Sql => Prisma.sql`
  ${copyExclusionsSql(userId)} and x.user_id = ${grantedById}::uuid and ${isNewToTeamSql(userId)}
    and not exists (select 1 from users u where u.id = ${userId}::uuid and ${wasStoredBySql(Prisma.sql`u.system_admin_until`)})
  on conflict do nothing`;

/**
 * Excludes somebody whose account is enabled again from what is hidden from the SystemAdmin who enables it. Nobody
 * could tell the reporter or the team about that account while it was disabled, so they aren't spared for being on the
 * team; what was hidden before doesn't count.
 */
export const inheritExclusionsOfReenablingAdminSql = (
  userId: string,
  { enabledById, disabledAt }: { enabledById: string; disabledAt: Date },
): Prisma.Sql => Prisma.sql`
  ${copyExclusionsSql(userId)} and x.user_id = ${enabledById}::uuid and not ${wasStoredBySql(Prisma.sql`${disabledAt}::timestamptz`)}
    and ${holdsReadingRoleSql(userId)}
  on conflict do nothing`;

/**
 * The statement that copies exclusions to a person whose address is about to be verified, since their roles are withheld
 * until then and nobody is offered their name: from whoever gave them a role or redeemed invite that they hold, at any
 * time, and from the people behind those, since the role was given. What the person is assigned to or has opened
 * themself before isn't affected, nor what was given back to them, nor what was hidden before anybody had to verify an
 * address. It runs before the address is stored as verified.
 */
export const inheritExclusionsOnVerificationSql = (userId: string): Prisma.Sql => Prisma.sql`
  ${copyExclusionsSql(userId)} and i.assigned_responder_id is distinct from ${userId}::uuid
    and exists (select 1 from users u where u.id = ${userId}::uuid and not ${isEmailVerifiedIfRequiredSql()})
    and ${holdsReadingRoleSql(userId)} and (${isBehindRoleSql(userId)} or x.source <> 'recusal' and ${cameByInviteSql(userId)})
    and not exists (select 1 from incident_access a where a.incident_id = x.incident_id and a.actor_id = ${userId}::uuid)
    and not exists (select 1 from incident_history h where h.incident_id = x.incident_id and h.action = 'exclusionLifted'
      and h.from_value = ${userId}::text and h.created_at >= x.created_at)
    and not ${wasStoredBySql(FIRST_VERIFICATION_SQL)}
  on conflict do nothing`;

/**
 * The first time at which somebody verified an address. Before it, no installation required that, roles weren't withheld,
 * and everybody could be excluded.
 */
const FIRST_VERIFICATION_SQL = Prisma.sql`(select min(v.email_verified_at) from users v)`;

/** Exclusions `x` of other people, of incidents `i` that a person neither reported nor reads as escalation contact. */
const copyExclusionsSql = (userId: string): Prisma.Sql => Prisma.sql`
  insert into incident_exclusions (incident_id, user_id, source)
  select x.incident_id, ${userId}::uuid, 'team'
  from incident_exclusions x join incidents i on i.id = x.incident_id join events e on e.id = i.event_id
  where x.user_id <> ${userId}::uuid and i.reporter_id is distinct from ${userId}::uuid
    and not exists (select 1 from incident_referrals f
      where f.incident_id = i.id and f.user_id = ${userId}::uuid and not f.for_review)`;

const isNotOnTeamSql = (userId: string): Prisma.Sql => Prisma.sql`
  not exists (select 1 from event_roles r where r.event_id = e.id and r.user_id = ${userId}::uuid
    and r.role_name in ${TEAM_ROLES_SQL})`;

/** The condition that somebody is on the team of event `e`, a member of its organization, or SystemAdmin. */
const holdsReadingRoleSql = (userId: string): Prisma.Sql => Prisma.sql`
  (exists (select 1 from users u where u.id = ${userId}::uuid and u.system_admin) or not ${isNotOnTeamSql(userId)}
    or exists (select 1 from organization_members m where m.organization_id = e.organization_id and m.user_id = ${userId}::uuid))`;

/**
 * The condition that the person of exclusion `x` gave somebody a role of theirs, or is behind whoever did and the
 * exclusion is from after that. What was hidden from those before was passed on with the role, or wasn't to be.
 */
const isBehindRoleSql = (userId: string): Prisma.Sql => Prisma.sql`(
  exists (select 1 from event_roles r where r.event_id = e.id and r.user_id = ${userId}::uuid and r.role_name in ${TEAM_ROLES_SQL}
    and (x.user_id = r.granted_by_id or x.user_id = any(r.granted_through_ids) and not ${wasStoredBySql(Prisma.sql`r.created_at`)}))
  or exists (select 1 from organization_members m where m.organization_id = e.organization_id and m.user_id = ${userId}::uuid
    and (x.user_id = m.added_by_id or x.user_id = any(m.added_through_ids) and not ${wasStoredBySql(Prisma.sql`m.created_at`)}))
  or exists (select 1 from users u where u.id = ${userId}::uuid and u.system_admin and x.user_id = any(u.system_admin_through_ids)))`;

/** The condition that somebody redeemed an invite to the team of event `e` or to its organization. */
const cameByInviteSql = (userId: string): Prisma.Sql => Prisma.sql`
  exists (select 1 from invite_uses n join invites v on v.id = n.invite_id
    where n.user_id = ${userId}::uuid and v.organization_id = e.organization_id and coalesce(v.event_id, e.id) = e.id
      and v.role not in ${REPORTER_ROLES_SQL})`;

/**
 * The condition that exclusion `x` was stored by a time. One that came with a report without a name has the beginning of
 * its quarter of an hour, so one from the quarter of that time may be later.
 */
const wasStoredBySql = (time: Prisma.Sql): Prisma.Sql => Prisma.sql`(x.created_at <= ${time}
  and x.created_at <> date_bin('15 minutes', ${time}, timestamptz '2000-01-01 00:00:00+00'))`;

/** The condition that somebody isn't on the team, and wasn't when exclusion `x` was stored. */
const isNewToTeamSql = (userId: string): Prisma.Sql => Prisma.sql`${isNotOnTeamSql(userId)}
  and not exists (select 1 from former_team_members f where f.event_id = e.id and f.user_id = ${userId}::uuid
    and ${wasStoredBySql(Prisma.sql`f.left_at`)})`;

/** A member of the organization can see its statistics. */
const grantsReadingSql = ({ role, eventId }: NewReader): Prisma.Sql =>
  eventId === null ? Prisma.sql`true` : Prisma.sql`${role}::event_role_name in ${TEAM_ROLES_SQL}`;

/**
 * The condition that a new reader isn't yet a member of the organization with this role or a stronger one, and wasn't
 * when exclusion `x` was stored. The enum begins with the strongest role.
 */
const andGainsRoleSql = ({ userId, role }: NewReader): Prisma.Sql => Prisma.sql`
  and not exists (select 1 from organization_members m where m.organization_id = e.organization_id
    and m.user_id = ${userId}::uuid and m.role <= ${role}::organization_role)
  and not exists (select 1 from former_organization_members f where f.organization_id = e.organization_id
    and f.user_id = ${userId}::uuid and f.role <= ${role}::organization_role and ${wasStoredBySql(Prisma.sql`f.left_at`)})`;

const orKnowsInviteSql = ({ organizationId, eventId, inviteId }: NewReader): Prisma.Sql => Prisma.sql`
  or x.source <> 'recusal'
  or x.user_id in (select n.user_id from invite_uses n where n.invite_id = ${inviteId}::uuid)
  or exists (select 1 from users u where u.id = x.user_id and u.system_admin)
  or x.user_id in (${listInviteReadersSql(organizationId, eventId)})`;

/** The people who see the codes of the invites to an event, or to an organization. */
const listInviteReadersSql = (organizationId: string, eventId: string | null): Prisma.Sql =>
  eventId === null
    ? Prisma.sql`select m.user_id from organization_members m
        where m.organization_id = ${organizationId}::uuid and m.role in ${ORG_ADMIN_ROLES_SQL}`
    : Prisma.sql`select r.user_id from event_roles r
        where r.event_id = ${eventId}::uuid and r.role_name in ${EVENT_ADMIN_ROLES_SQL}`;

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

/** The rows of `incident_counts`, and for each hidden incident a row that subtracts it. */
export const visibleIncidentCountsSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`(
  select c.event_id, ${STATE_COUNTERS}, c.open_unassigned, c.open_escalated, ${SEVERITY_COUNTERS} from incident_counts c
  union all
  select o.event_id, ${STATES_TAKEN_AWAY}, -(o.is_open and o.assigned_responder_id is null)::int,
    -(o.is_open and o.escalated_at is not null)::int, ${SEVERITIES_TAKEN_AWAY}
  from (
    select i.event_id, i.state, coalesce(i.severity::text, 'none') as severity, i.assigned_responder_id, i.escalated_at,
      i.state in ${OPEN_STATES_SQL} as is_open
    from incidents i where i.id = any(${hidden}::uuid[])
  ) o)`;
