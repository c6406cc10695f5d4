import type { Tx } from "#lib/database/client.ts";

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
