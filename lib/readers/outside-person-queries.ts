import {
  isConflictCheckUnansweredSql,
  isKnownSql,
  RESTRICTED_INCIDENT_IDS_SQL,
} from "#lib/access/readers-sql.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import {
  OUTSIDE_PERSON_TO_LET_IN_SQL,
  hasReaderBesidesReporterSql,
  OUTSIDE_READERS_SQL,
  TEAM_READERS_OF_INCIDENT_SQL,
} from "#lib/access/team-sql.ts";
import { sql } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { listOrganizationIdsClosedToSystemAdmin, type Actor } from "#lib/operation/policy.ts";
import type { IncidentWithoutReaderRecord, OutsideIncidentRecord } from "#lib/readers/schema.ts";

/** Incidents that nobody on the team can read, and those that were passed on to an outside person. */

/**
 * Lists the hidden incidents that nobody can read now, oldest first, without those that are hidden from the actor, and
 * those of organizations that are closed to them.
 */
export async function listIncidentsWithoutReader(actor: Actor): Promise<IncidentWithoutReaderRecord[]> {
  const closedIds = listOrganizationIdsClosedToSystemAdmin(actor) ?? [];
  const rows = await sql.$queryRaw<(PlaceRow & Pick<IncidentWithoutReaderRecord, "id" | "createdAt">)[]>`
    select i.id, i.created_at as "createdAt", e.id as "eventId", e.name as "eventName", e.slug as "eventSlug",
      o.name as "organizationName", o.slug as "organizationSlug"
    from incidents i join events e on e.id = i.event_id join organizations o on o.id = e.organization_id
    where i.id in (${RESTRICTED_INCIDENT_IDS_SQL}) and not ${hasReaderBesidesReporterSql()} and ${isKnownSql(actor)} and o.id <> all(${closedIds}::uuid[])
    order by i.created_at, i.id`;
  return rows.map(({ id, createdAt, ...place }) => ({
    id,
    createdAt,
    event: { id: place.eventId, name: place.eventName, slug: place.eventSlug },
    organization: { name: place.organizationName, slug: place.organizationSlug },
  }));
}

type PlaceRow = {
  eventId: string;
  eventName: string;
  eventSlug: string;
  organizationName: string;
  organizationSlug: string;
};

/** Lists the ids of the incidents `i` for which the condition holds and that have an outside person to let in. */
export async function listIncidentIdsForOutsidePeople(conditionSql: Prisma.Sql): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`
    select i.id from incidents i where ${conditionSql} and exists (${OUTSIDE_PERSON_TO_LET_IN_SQL}) order by i.id`;
  return rows.map(({ id }) => id);
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

type OutsideIncidentRow = Omit<OutsideIncidentRecord, "event"> & {
  eventId: string;
  eventName: string;
  eventSlug: string;
};

/** Lists the incidents that the actor reads as outside person, newest first. */
export async function listOutsideIncidents(actor: Actor): Promise<OutsideIncidentRecord[]> {
  const ids = (actor.outsideIncidents ?? []).map(({ incidentId }) => incidentId);
  const rows = await sql.$queryRaw<OutsideIncidentRow[]>`
    select i.id, case when not ${isConflictCheckUnansweredSql(actor)} then i.title end as title, i.state::text as state, i.severity::text as severity,
      i.created_at as "createdAt", e.id as "eventId", e.name as "eventName", e.slug as "eventSlug"
    from incidents i join events e on e.id = i.event_id
    where i.id = any(${ids}::uuid[]) and ${isKnownSql(actor)}
    order by i.created_at desc, i.id desc`;
  return rows.map(({ eventId, eventName, eventSlug, ...row }) => ({
    ...row,
    event: { id: eventId, name: eventName, slug: eventSlug },
  }));
}
