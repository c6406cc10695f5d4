import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { InvitationRecord } from "#lib/invites/invitation-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

const PLACE = { select: { id: true, name: true, slug: true } } as const;
const GRANT = { invitedById: true, createdAt: true } as const;

/** Lists the person's invitations, newest first: all roles in one organization or event are one invitation. */
export async function listInvitationsReceivedByUser(userId: string): Promise<InvitationRecord[]> {
  const where = { userId, pending: true };
  const [memberships, eventRoles] = await Promise.all([
    prisma.organizationMember.findMany({ where, select: { ...GRANT, role: true, organization: PLACE } }),
    prisma.eventRole.findMany({
      where,
      orderBy: { roleName: "asc" },
      select: { ...GRANT, roleName: true, event: { select: { ...PLACE.select, organization: PLACE } } },
    }),
  ]);
  const grants = [
    ...memberships.map(({ role, ...grant }) => ({ ...grant, event: null, roleName: role })),
    ...eventRoles.map(({ event: { organization, ...event }, ...grant }) => ({
      ...grant,
      event,
      organization,
    })),
  ];
  const inviters = await prisma.user.findMany({
    where: { id: { in: grants.flatMap(({ invitedById }) => invitedById ?? []) } },
    select: { id: true, name: true },
  });
  const places = Map.groupBy(grants, ({ event, organization }) => (event ?? organization).id);
  const invitations = [...places].map(([id, roles]) => {
    const newest = roles.reduce((one, other) => (other.createdAt > one.createdAt ? other : one));
    const { event, organization, invitedById, createdAt: invitedAt } = newest;
    const inviter = inviters.find((person) => person.id === invitedById);
    const invitedBy = inviter ? { name: inviter.name } : null;
    return { id, event, organization, roles: roles.map(({ roleName }) => roleName), invitedBy, invitedAt };
  });
  return invitations.toSorted((a, b) => Number(b.invitedAt) - Number(a.invitedAt) || (a.id < b.id ? -1 : 1));
}

/** Lists the events of those incidents that the actor may see, each once. */
export async function listEventIdsOfVisibleIncidents(
  actor: Actor,
  incidentIds: readonly string[],
): Promise<string[]> {
  const rows = await sql.$queryRaw<{ eventId: string }[]>`
    select distinct i.event_id as "eventId" from incidents i
    where i.id = any(${[...incidentIds]}::uuid[]) and ${incidentVisibilityConditionSql(getVisibleIncidentFilter(actor), actor)}`;
  return rows.map(({ eventId }) => eventId);
}
