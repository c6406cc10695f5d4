import {
  isConflictCheckUnansweredSql,
  isKnownSql,
  RESTRICTED_INCIDENT_IDS_SQL,
} from "#lib/access/readers-sql.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import {
  OUTSIDE_PERSON_TO_LET_IN_SQL,
  hasReaderBesidesReporterSql,
  INCIDENT_LOST_ALL_READERS_SQL,
  OUTSIDE_READERS_SQL,
  TEAM_READERS_OF_INCIDENT_SQL,
} from "#lib/access/team-sql.ts";
import { sql, type Tx } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { listOrganizationIdsClosedToSystemAdmin, type Actor } from "#lib/operation/policy.ts";
import type { IncidentWithoutReaderRecord, OutsideIncidentRecord } from "#lib/readers/schema.ts";

/** Incidents that nobody on the team can read, and those that were passed on to an outside person. */

/**
 * Lists the hidden incidents that nobody can read now, oldest first, without those that are hidden from the actor, and
 * those of organizations that are closed to them.
 */
export function listIncidentsWithoutReader(actor: Actor): Promise<IncidentWithoutReaderRecord[]> {
  const closedIds = listOrganizationIdsClosedToSystemAdmin(actor) ?? [];
  return sql.$queryRaw<IncidentWithoutReaderRecord[]>`
    select i.id, i.created_at as "createdAt", ${EVENT_SQL},
      json_build_object('name', o.name, 'slug', o.slug) as organization
    from incidents i join events e on e.id = i.event_id join organizations o on o.id = e.organization_id
    where i.id in (${RESTRICTED_INCIDENT_IDS_SQL}) and not ${hasReaderBesidesReporterSql()} and ${isKnownSql(actor)} and o.id <> all(${closedIds}::uuid[])
    order by i.created_at, i.id`;
}

const EVENT_SQL = Prisma.sql`json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) as event`;

/** Lists the ids of the incidents that have lost all readers, and that have an outside person to let in. */
export async function listIncidentIdsForOutsidePeople(): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`
    select i.id from incidents i where ${INCIDENT_LOST_ALL_READERS_SQL} and exists (${OUTSIDE_PERSON_TO_LET_IN_SQL}) order by i.id`;
  return rows.map(({ id }) => id);
}

/** Finds the outside person to let in to such an incident; undefined where there is none. */
export async function findOutsidePersonToLetIn(tx: Tx, incidentId: string): Promise<string | undefined> {
  const [person] = await tx.$queryRaw<{ userId: string }[]>`
    select c.user_id as "userId" from incidents i cross join lateral (${OUTSIDE_PERSON_TO_LET_IN_SQL}) c
    where i.id = ${incidentId}::uuid and ${INCIDENT_LOST_ALL_READERS_SQL}`;
  return person?.userId;
}

export type FormerOutsidePerson = { organizationId: string; userId: string };
export type FormerOutsidePersonAssignment = FormerOutsidePerson & {
  incidentId: string;
  eventId: string;
};

/**
 * Lists the open incidents that are assigned to an outside person who can no longer read them, and all those that
 * are assigned to the given former outside person, although that person can still read them. Leaves out contacts who are on
 * the team themselves.
 */
export const listFormerOutsidePersonAssignments = (
  former: FormerOutsidePerson | null,
): Promise<FormerOutsidePersonAssignment[]> =>
  sql.$queryRaw<FormerOutsidePersonAssignment[]>`
    select i.id as "incidentId", i.event_id as "eventId", e.organization_id as "organizationId", f.user_id as "userId"
    from incident_readers f join incidents i on i.id = f.incident_id and i.assigned_responder_id = f.user_id
      join events e on e.id = i.event_id
    where f.source = 'outside' and i.state in ${OPEN_STATES_SQL} and f.user_id not in (${TEAM_READERS_OF_INCIDENT_SQL})
      and (f.user_id not in (${OUTSIDE_READERS_SQL})
        or f.user_id = ${former?.userId ?? null}::uuid and e.organization_id = ${former?.organizationId ?? null}::uuid)
    order by i.id`;

/** Lists the incidents that the actor reads as outside person, newest first. */
export function listOutsideIncidents(actor: Actor): Promise<OutsideIncidentRecord[]> {
  const ids = (actor.outsideIncidents ?? []).map(({ incidentId }) => incidentId);
  return sql.$queryRaw<OutsideIncidentRecord[]>`
    select i.id, case when not ${isConflictCheckUnansweredSql(actor)} then i.title end as title, i.state::text as state, i.severity::text as severity,
      i.created_at as "createdAt", ${EVENT_SQL}
    from incidents i join events e on e.id = i.event_id
    where i.id = any(${ids}::uuid[]) and ${isKnownSql(actor)}
    order by i.created_at desc, i.id desc`;
}
