import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import {
  isKnownSql,
  isKnownToPersonSql,
  RESTRICTED_INCIDENT_IDS_SQL,
  uncountedIncidentIdsSql,
  type Reader,
} from "#lib/access/readers-sql.ts";
import { peopleWhoMayBeNamedSql, selectOutsidePersonOfEventSql } from "#lib/access/team-sql.ts";
import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** A reader with the roles that a request found. They count until it ends, also those that were lost since. */
type ReaderWithRoles = NonNullable<Reader> & Partial<Pick<Actor, "systemAdmin" | "organizations" | "events">>;

/**
 * Lists the incidents of the reader's places that they must not know of, for what has no row of an incident at hand: live
 * updates, and the audit log, which outlives incidents. Of deleted ones there are those from which a row keeps the reader,
 * and for SystemAdmins, who read the system's log, all from which somebody was kept and for which they have no row.
 */
export async function listHiddenIncidentIds(reader: ReaderWithRoles): Promise<string[]> {
  const { id, token, systemAdmin = false, organizations = [], events = [] } = reader;
  const rows = await sql.$queryRaw<{ id: string }[]>`
    with me as (select ${id}::uuid as id, ${systemAdmin || token?.system === true}::boolean
      or exists (select 1 from users u where u.id = ${id}::uuid and u.system_admin) as is_system_admin),
    rows as (select x.* from incident_readers x, me where x.user_id = me.id)
    select i.id from incidents i join events e on e.id = i.event_id, me
    where i.id in (${RESTRICTED_INCIDENT_IDS_SQL} union all select incident_id from rows where access = 'numbers')
      and (me.is_system_admin or i.id in (select incident_id from rows where access < 'ask')
        or e.id = any(${events.map(({ eventId }) => eventId)}::uuid[])
        or e.organization_id = any(${organizations.map(({ organizationId }) => organizationId)}::uuid[])
        or e.id in (select r.event_id from event_roles r where r.user_id = me.id)
        or e.organization_id in (select m.organization_id from organization_members m where m.user_id = me.id
          union all select t.organization_id from service_tokens t where t.id = me.id))
      and not ${isKnownSql(reader)}
    union all
    select incident_id from rows where access < 'ask' and not exists (select 1 from incidents i where i.id = incident_id)
    union all
    select distinct x.incident_id from incident_readers x, me
    where me.is_system_admin and x.access = 'none' and x.source in ('reporter', 'team')
      and not exists (select 1 from incidents i where i.id = x.incident_id) and x.incident_id not in (select incident_id from rows)`;
  return rows.map(({ id: incidentId }) => incidentId);
}

/** Lists the incidents that don't count in the numbers that the reader sees. */
export async function listUncountedIncidentIds(reader: Reader): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>(uncountedIncidentIdsSql(reader));
  return rows.map(({ id }) => id);
}

/** Returns those of the given people from whom the incident is hidden now. */
export async function listHiddenFromPersonIds(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  people: readonly (string | null)[],
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select p.id as "userId" from incidents i, unnest(${people}::uuid[]) as p(id)
    where i.id = ${incidentId}::uuid and p.id is not null and not ${isKnownToPersonSql(Prisma.sql`p.id`)}`;
  return rows.map(({ userId }) => userId);
}

export type HidingProblem = "mustBeOnTeam" | "mustLeaveReader";

/**
 * Finds out why a new report can't be hidden from those whom it names; null if it can.
 * @param checkSql query that returns one row, with the column `hiding_problem`
 */
export async function findNewReportHidingProblem(checkSql: Prisma.Sql): Promise<HidingProblem | null> {
  const [row] = await sql.$queryRaw<{ problem: HidingProblem | null }[]>`
    select c.hiding_problem as problem from (${checkSql}) c`;
  return row?.problem ?? null;
}

type PossibleReader = { id: string; name: string; onTeam: boolean; isOutsidePerson: boolean };

/**
 * Lists the people who could read a new report of an event, or its numbers: the team, also those invited to it, and the
 * members of the organization, among them the outside person.
 */
export const listPossibleReadersOfNewReport = (eventId: string): Promise<PossibleReader[]> => sql.$queryRaw<
  PossibleReader[]
>`
  select u.id, u.name, u.id in (select c.user_id from (${selectOutsidePersonOfEventSql(eventId)}) c) as "isOutsidePerson",
    exists (select 1 from event_roles r where r.event_id = ${eventId}::uuid and r.user_id = u.id and r.role_name in ${TEAM_ROLES_SQL}) as "onTeam"
  from users u where u.id in (${peopleWhoMayBeNamedSql(eventId)})`;
