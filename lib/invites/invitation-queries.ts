import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";
import { sql } from "#lib/database/client.ts";
import type { InvitationRecord } from "#lib/invites/invitation-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Lists the person's invitations, newest first: all roles in one organization or event are one invitation. */
export const listInvitationsReceivedByUser = (userId: string): Promise<InvitationRecord[]> =>
  sql.$queryRaw<InvitationRecord[]>`
    select coalesce(e.id, o.id) as id, p.roles, p.at as "invitedAt",
      case when u.id is not null then json_build_object('name', u.name) end as "invitedBy",
      json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) as organization,
      case when e.id is not null then json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) end as event
    from (
      select organization_id, null::uuid as event_id, array[role::text] as roles, invited_by_id, created_at as at
      from organization_members where user_id = ${userId}::uuid and pending
      union all
      select e.organization_id, e.id, array_agg(r.role_name::text order by r.role_name),
        (array_agg(r.invited_by_id order by r.created_at desc))[1], max(r.created_at)
      from event_roles r join events e on e.id = r.event_id
      where r.user_id = ${userId}::uuid and r.pending group by e.id
    ) p join organizations o on o.id = p.organization_id left join events e on e.id = p.event_id
    left join users u on u.id = p.invited_by_id
    order by p.at desc, 1`;

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
