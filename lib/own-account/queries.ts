import { sql, type Tx } from "#lib/database/client.ts";
import { Prisma, type ReporterMessage } from "#lib/generated/prisma/client.ts";
import { incidentNotHiddenSql } from "#lib/access/hidden-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";

type AuthoredRow = Pick<ReporterMessage, "id" | "incidentId" | "body" | "createdAt" | "updatedAt"> & {
  eventId: string;
};

/** A batch that begins after the last row of the one before. */
type AuthoredBatch = {
  last: { id: string; createdAt: Date } | undefined;
  limit: number;
  withheldEventIds: string[];
};

/** Reads a batch of what the person wrote on other people's reports; team notes only while they are on that team. */
export function readOwnCommentsOnOthersReports(
  actor: Actor,
  table: "reporter_messages" | "team_notes",
  { last, limit, withheldEventIds }: AuthoredBatch,
): Promise<AuthoredRow[]> {
  const later = last
    ? Prisma.sql`(m.created_at, m.id) > (${last.createdAt}::timestamptz, ${last.id}::uuid)`
    : Prisma.sql`true`;
  return sql.$queryRaw<AuthoredRow[]>`
    select m.id, m.incident_id as "incidentId", i.event_id as "eventId", m.body, m.created_at as "createdAt",
      m.updated_at as "updatedAt"
    from ${Prisma.raw(table)} m join incidents i on i.id = m.incident_id
    where m.author_id = ${actor.id}::uuid and i.reporter_id is distinct from ${actor.id}::uuid
      and i.event_id <> all(${withheldEventIds}::uuid[]) and ${table === "team_notes" ? onTeamSql(actor) : Prisma.sql`true`}
      and ${incidentNotHiddenSql(actor.hiddenIncidentIds)} and ${later} order by m.created_at, m.id limit ${limit}::int`;
}

function onTeamSql(actor: Actor): Prisma.Sql {
  const visibility = getVisibleIncidentFilter(actor);
  return visibility.everything ? Prisma.sql`true` : Prisma.sql`i.event_id = any(${visibility.all}::uuid[])`;
}

type Membership = { organizationId: string; data: { userId: string; eventIds: string[] } };

/**
 * Lists where the person belongs, for the audit log of each organization, in the order in which the logs are locked.
 */
export async function listMembershipsByOrganization(tx: Tx, userId: string): Promise<Membership[]> {
  const rows = await tx.$queryRaw<{ organizationId: string; eventIds: string[] }[]>`
    select organization_id as "organizationId", coalesce(array_agg(event_id) filter (where event_id is not null), '{}') as "eventIds"
    from (
      select organization_id, null::uuid as event_id from organization_members where user_id = ${userId}::uuid
      union select e.organization_id, e.id from event_roles r join events e on e.id = r.event_id where r.user_id = ${userId}::uuid
    ) held group by organization_id order by organization_id`;
  return rows.map(({ organizationId, eventIds }) => ({ organizationId, data: { userId, eventIds } }));
}
