import { db } from "#lib/database/client.ts";

/** Marks of one person: an incident is new to them until they open it again. Both verbs may be repeated. */

/** Marks an incident as new; marking it again counts from now. */
export async function markUnread(userId: string, incidentId: string): Promise<void> {
  await db.$executeRaw`
    insert into unread_marks (user_id, incident_id, created_at)
    values (${userId}::uuid, ${incidentId}::uuid, clock_timestamp())
    on conflict (user_id, incident_id) do update set created_at = excluded.created_at`;
}

/** Takes the mark away if it is there. */
export async function unmarkUnread(userId: string, incidentId: string): Promise<void> {
  await db.unreadMark.deleteMany({ where: { userId, incidentId } });
}
