import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import {
  hasSystemAdminAccessEverywhere,
  listOrganizationIdsClosedToSystemAdmin,
  listEventIdsOpenToLimitedSystemAdmin,
  type Actor,
} from "#lib/operation/policy.ts";

export type ReachableEventOrOrganization = {
  kind: "event" | "organization";
  id: string;
  organizationId: string;
  name: string;
  slug: string;
};

/** Bounds the list of events and organizations, which begins with the best matches. */
const MAX_PLACES = 200;

/** Lists the events and organizations whose pages the actor may open, those that match most words first. */
export function listReachableEventsAndOrganizations(
  actor: Actor,
  searchTerms: readonly string[],
): Promise<ReachableEventOrOrganization[]> {
  const events = [
    ...actor.events.map(({ eventId }) => eventId),
    ...listEventIdsOpenToLimitedSystemAdmin(actor),
  ];
  const organizations = actor.organizations.map(({ organizationId }) => organizationId);
  const canReachAll = hasSystemAdminAccessEverywhere(actor);
  const closed = listOrganizationIdsClosedToSystemAdmin(actor);
  const matchCountSql = (name: Prisma.Sql, slug: Prisma.Sql) =>
    Prisma.sql`(${Prisma.join(
      searchTerms.map((term) => Prisma.sql`${containsSearchTextSql([name, slug], term)}::int`),
      " + ",
    )})`;
  return sql.$queryRaw<ReachableEventOrOrganization[]>`
    select kind, id, organization_id as "organizationId", name, slug from (
      select 'event' as kind, e.id, e.organization_id, e.name, e.slug, e.is_active as active,
        ${matchCountSql(Prisma.sql`e.name`, Prisma.sql`e.slug`)} as hits
      from events e where ${canReachAll}::boolean or e.id = any(${events}::uuid[])
      union all
      select 'organization', o.id, o.id, o.name, o.slug, true,
        ${matchCountSql(Prisma.sql`o.name`, Prisma.sql`o.slug`)}
      from organizations o where ${canReachAll}::boolean or o.id = any(${organizations}::uuid[]) or o.id <> all(${closed}::uuid[])
    ) p order by hits desc, active desc, name collate title_order, kind, id limit ${MAX_PLACES}::int`;
}
