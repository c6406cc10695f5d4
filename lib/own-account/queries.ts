import type { Tx } from "#lib/database/client.ts";

type Membership = { organizationId: string; data: { userId: string; eventIds: string[] } };

/**
 * Lists where the person belongs, for the audit log of each organization, in the order in which the logs are locked.
 */
export async function listMembershipsByOrganization(tx: Tx, userId: string): Promise<Membership[]> {
  const memberships = await tx.organizationMember.findMany({
    where: { userId },
    select: { organizationId: true },
  });
  const events = await tx.event.findMany({
    where: { roles: { some: { userId } } },
    select: { id: true, organizationId: true },
  });
  const organizationIds = [...memberships, ...events].map(({ organizationId }) => organizationId);
  return [...new Set(organizationIds)].toSorted().map((organizationId) => {
    const eventIds = events.filter((event) => event.organizationId === organizationId).map(({ id }) => id);
    return { organizationId, data: { userId, eventIds } };
  });
}
