import { Prisma } from "#lib/generated/prisma/client.ts";
import { EVENT_ADMIN_ROLES_SQL, ORG_ADMIN_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/operation/policy-sql.ts";

/** People on the response team of an event who have accepted their role and aren't disabled, or only its Admins. */
export const readersSql = (eventId: string, { admins = false } = {}): Prisma.Sql => Prisma.sql`
  select r.user_id from event_roles r join users u on u.id = r.user_id
  where r.event_id = ${eventId}::uuid and r.role_name in ${admins ? EVENT_ADMIN_ROLES_SQL : TEAM_ROLES_SQL}
    and not r.pending and u.disabled_at is null`;

/** People who are on the team of an event, are invited to it, or could join it as admins of its organization. */
export const possibleReadersSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select r.user_id from event_roles r where r.event_id = ${eventId}::uuid and r.role_name in ${TEAM_ROLES_SQL}
  union select m.user_id from organization_members m join events e on e.organization_id = m.organization_id
    where e.id = ${eventId}::uuid and m.role in ${ORG_ADMIN_ROLES_SQL}`;
