import { prisma, sql } from "#lib/database/client.ts";

/** One person's unread markers: an incident stays unread until they open it again. Both functions are idempotent. */

/** Marks an incident as unread; marking it again counts from now. */
export async function addUnreadMarker(userId: string, incidentId: string): Promise<void> {
  await sql.$executeRaw`
    insert into unread_markers (user_id, incident_id, created_at)
    values (${userId}::uuid, ${incidentId}::uuid, clock_timestamp())
    on conflict (user_id, incident_id) do update set created_at = excluded.created_at`;
}

/** Removes the unread marker, if there is one. */
export async function removeUnreadMarker(userId: string, incidentId: string): Promise<void> {
  await prisma.unreadMarker.deleteMany({ where: { userId, incidentId } });
}
