import { db } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { hashToken, renewSession } from "#lib/accounts/sessions.ts";
import { avatarUrl } from "#lib/accounts/schema.ts";
import type { Actor } from "#lib/policy.ts";

type Row = {
  sessionId: string;
  lastUsedAt: Date;
  id: string;
  email: string;
  name: string;
  avatarKey: string | null;
  systemAdmin: boolean;
  organizations: Actor["organizations"];
  events: Actor["events"];
};

/**
 * The one query that finds who asks: session, user and every role, read live (rulings R2, R3). Null when
 * the session is over (idle or absolute limit, signed out) or the account is disabled.
 */
export async function findActor(token: string): Promise<Actor | null> {
  const idle = env().SESSION_IDLE_SECONDS;
  const [row] = await db.$queryRaw<Row[]>`
    select s.id as "sessionId", s.last_used_at as "lastUsedAt",
      u.id, u.email, u.name, u.avatar_key as "avatarKey", u.system_admin as "systemAdmin",
      (select coalesce(json_agg(json_build_object('organizationId', m.organization_id, 'slug', o.slug, 'role', m.role) order by o.slug), '[]')
        from organization_members m join organizations o on o.id = m.organization_id
        where m.user_id = u.id) as organizations,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'slug', e.slug, 'organizationId', e.organization_id, 'roles', r.roles) order by e.slug), '[]')
        from (select event_id, json_agg(role_name order by role_name) as roles from event_roles where user_id = u.id group by event_id) r
        join events e on e.id = r.event_id) as events
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${hashToken(token)} and s.expires_at > now()
      and s.last_used_at > now() - make_interval(secs => ${idle}::int) and u.disabled_at is null`;
  if (!row) return null;
  await renewSession(row.sessionId, row.lastUsedAt);
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    avatarUrl: avatarUrl(row.id, row.avatarKey),
    sessionId: row.sessionId,
    systemAdmin: row.systemAdmin,
    organizations: row.organizations,
    events: row.events,
  };
}
