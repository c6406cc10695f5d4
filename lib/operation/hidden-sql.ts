import { Prisma } from "#lib/generated/prisma/client.ts";
import { INCIDENT_STATES } from "#lib/operation/incident-states.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { OPEN_STATES_SQL, ORG_ADMIN_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/operation/policy-sql.ts";

/**
 * SQL that leaves out the incidents hidden from an actor (docs/decisions/058). Statements have the same form whether or
 * not any incident is hidden, so that neither their text nor their duration reveals a hidden one.
 */

/**
 * The condition that exclusion `x` is in effect: its person hasn't opened the incident for a limited time (contract
 * 16.5).
 */
export const EXCLUSION_COUNTS_SQL = Prisma.sql`(x.opened_until is null or x.opened_until <= now())`;

/** The condition that incident `i` isn't hidden. */
export const notHiddenSql = (hidden: readonly string[]): Prisma.Sql =>
  Prisma.sql`i.id <> all(${hidden}::uuid[])`;

/**
 * The condition that incident `i` isn't hidden from the actor at this moment, since they may have been excluded after
 * their request began. For a service token, an incident that is hidden from anybody is hidden.
 */
export const notHiddenNowSql = (actor: Actor | null): Prisma.Sql =>
  actor?.token?.service
    ? Prisma.sql`not exists (select 1 from incident_exclusions x where x.incident_id = i.id)`
    : Prisma.sql`not exists (select 1 from incident_exclusions x where x.incident_id = i.id
        and x.user_id = ${actor?.id ?? null}::uuid and ${EXCLUSION_COUNTS_SQL})`;

type NewTeamMember = {
  userId: string;
  /** Of the event, or of the organization where there is no event. */
  role: string;
  /** The person who gave them the role; null when that account was deleted. */
  grantedById: string | null;
  organizationId: string;
  /** Null for a role in the whole organization. */
  eventId: string | null;
};

/**
 * The statement that excludes a new team member from the incidents that are hidden from the person who added them, so
 * that nobody reads those with a second account. It runs before the role is stored. People who are on the team of the
 * event already aren't affected.
 */
export const inheritExclusionsSql = (member: NewTeamMember): Prisma.Sql => Prisma.sql`
  insert into incident_exclusions (incident_id, user_id, source)
  select x.incident_id, ${member.userId}::uuid, 'team'
  from incident_exclusions x join incidents i on i.id = x.incident_id join events e on e.id = i.event_id
  where ${grantsReadingSql(member)} and x.user_id = ${member.grantedById}::uuid and x.user_id <> ${member.userId}::uuid
    and e.organization_id = ${member.organizationId}::uuid
    and e.id = coalesce(${member.eventId}::uuid, e.id) and i.reporter_id is distinct from ${member.userId}::uuid
    and not exists (select 1 from event_roles r where r.event_id = e.id and r.user_id = ${member.userId}::uuid
      and r.role_name in ${TEAM_ROLES_SQL})
  on conflict do nothing`;

const grantsReadingSql = ({ role, eventId }: NewTeamMember): Prisma.Sql =>
  eventId === null
    ? Prisma.sql`${role}::organization_role in ${ORG_ADMIN_ROLES_SQL}`
    : Prisma.sql`${role}::event_role_name in ${TEAM_ROLES_SQL}`;

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
export const visibleCountsSql = (hidden: readonly string[]): Prisma.Sql => Prisma.sql`(
  select c.event_id, ${STATE_COUNTERS}, c.open_unassigned, c.open_escalated, ${SEVERITY_COUNTERS} from incident_counts c
  union all
  select o.event_id, ${STATES_TAKEN_AWAY}, -(o.is_open and o.assigned_responder_id is null)::int,
    -(o.is_open and o.escalated_at is not null)::int, ${SEVERITIES_TAKEN_AWAY}
  from (
    select i.event_id, i.state, coalesce(i.severity::text, 'none') as severity, i.assigned_responder_id, i.escalated_at,
      i.state in ${OPEN_STATES_SQL} as is_open
    from incidents i where i.id = any(${hidden}::uuid[])
  ) o)`;
