import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Condition on an incident `i`: somebody else did something after the user's last view, or the user marked it as unread
 * since (docs/decisions/016).
 */
export const isUnreadSql = (userId: string): Prisma.Sql => Prisma.sql`(
  select exists (select 1 from unread_markers k where k.user_id = ${userId}::uuid and k.incident_id = i.id
      and (last_view.at is null or k.created_at > last_view.at))
    or exists (select 1 from incident_history h where h.incident_id = i.id
      and (last_view.at is null or h.created_at > last_view.at) and h.actor_id is distinct from ${userId}::uuid)
  from (select max(a.at) as at from incident_access a
    where a.incident_id = i.id and a.actor_id = ${userId}::uuid and a.kind = 'view') last_view)`;
