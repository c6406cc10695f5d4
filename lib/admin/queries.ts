import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { buildAvatarUrl } from "#lib/accounts/schema.ts";
import type {
  AdminEventRecord,
  AdminEventsQuery,
  AdminUserDetailsRecord,
  AdminUserRecord,
  AdminUsersQuery,
} from "#lib/admin/schema.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import { sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { countedIncidentCountsSql, uncountedIncidentIdsSql, type Reader } from "#lib/access/readers-sql.ts";
import { INCIDENT_STATES, OPEN_STATES } from "#lib/access/incident-states.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";

/**
 * Lists a page of all accounts; `search` matches name and address. Two statements, however many accounts there are.
 */
export async function listUsers(
  query: AdminUsersQuery,
): Promise<{ users: AdminUserRecord[]; total: number }> {
  const where = userFilterSql(query);
  const [rows, counted] = await Promise.all([
    sql.$queryRaw<UserRow[]>`
      with shown as materialized (
        select u.* from users u where ${where} order by ${userOrderSql(query)}
        limit ${query.limit}::bigint offset ${(query.page - 1) * query.limit}::bigint
      )
      select ${USER_COLUMNS_SQL} from shown u order by ${userOrderSql(query)}`,
    sql.$queryRaw<{ total: number }[]>`select count(*)::int as total from users u where ${where}`,
  ]);
  return { users: rows.map(toAdminUser), total: counted[0]?.total ?? 0 };
}

type UserRow = Omit<AdminUserRecord, "avatarUrl"> & { avatarKey: string | null };

const toAdminUser = ({ avatarKey, ...user }: UserRow): AdminUserRecord => ({
  ...user,
  avatarUrl: buildAvatarUrl(user.id, avatarKey),
});

const USER_COLUMNS_SQL = Prisma.sql`u.id, u.email, u.name, u.avatar_key as "avatarKey", u.system_admin as "systemAdmin",
  u.disabled_at as "disabledAt", u.created_at as "createdAt",
  date_trunc('day', greatest(
    (select max(s.last_used_at) from sessions s where s.user_id = u.id),
    (select max(t.last_used_at) from api_tokens t where t.user_id = u.id),
    (select a.at from audit_entries a where a.actor_id = u.id order by a.at desc limit 1)
  ), 'UTC') as "lastActiveAt",
  (select count(*)::int from organization_members m where m.user_id = u.id) as organizations,
  (select count(distinct r.event_id)::int from event_roles r where r.user_id = u.id) as events`;

function userFilterSql({ search, systemAdmin, disabled }: AdminUsersQuery): Prisma.Sql {
  const parts = [Prisma.sql`true`];
  if (systemAdmin !== undefined) parts.push(Prisma.sql`u.system_admin = ${systemAdmin}`);
  if (disabled !== undefined)
    parts.push(disabled ? Prisma.sql`u.disabled_at is not null` : Prisma.sql`u.disabled_at is null`);
  if (search) parts.push(containsSearchTextSql([Prisma.sql`u.name`, Prisma.sql`u.email`], search));
  return Prisma.join(parts, " and ");
}

function userOrderSql({ sort, order }: AdminUsersQuery): Prisma.Sql {
  const direction = order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;
  if (sort === "email") return Prisma.sql`u.email ${direction}`;
  if (sort === "name") return Prisma.sql`u.name collate title_order ${direction}, u.id ${direction}`;
  return Prisma.sql`u.created_at ${direction}, u.id ${direction}`;
}

/** Loads what a SystemAdmin sees of an account. @throws AppError NOT_FOUND */
export async function loadUserDetailsForSystemAdmin(userId: string): Promise<AdminUserDetailsRecord> {
  type Row = UserRow &
    Omit<AdminUserDetailsRecord, keyof AdminUserRecord | "memberships"> &
    MembershipColumns;
  type MembershipColumns = {
    heldOrganizations: AdminUserDetailsRecord["memberships"]["organizations"];
    heldEvents: AdminUserDetailsRecord["memberships"]["events"];
  };
  const [row] = await sql.$queryRaw<Row[]>`
    select ${USER_COLUMNS_SQL}, ${ACCESS_COUNTS_SQL}, ${isEmailVerifiedIfRequiredSql()} as "emailVerified", ${MEMBERSHIPS_SQL} from users u where u.id = ${userId}::uuid`;
  if (!row) throw createNotFoundError("person");
  const { heldOrganizations, heldEvents, ...user } = row;
  const { sessions, tokens, secondFactor, emailVerified } = user;
  const memberships = { organizations: heldOrganizations, events: heldEvents };
  return { ...toAdminUser(user), sessions, tokens, secondFactor, emailVerified, memberships };
}

const ACCESS_COUNTS_SQL = Prisma.sql`
  (select count(*)::int from sessions s where s.user_id = u.id and s.expires_at > now()) as sessions,
  (select count(*)::int from api_tokens t where t.user_id = u.id and t.expires_at > now()) as tokens,
  exists(select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as "secondFactor"`;

const MEMBERSHIPS_SQL = Prisma.sql`
  (select coalesce(json_agg(json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'role', m.role) order by o.name collate title_order, o.id), '[]')
    from organization_members m join organizations o on o.id = m.organization_id where m.user_id = u.id) as "heldOrganizations",
  (select coalesce(json_agg(json_build_object('id', e.id, 'name', e.name, 'slug', e.slug, 'roles', r.roles) order by e.name collate title_order, e.id), '[]')
    from (select event_id, json_agg(role_name order by role_name) as roles from event_roles where user_id = u.id group by event_id) r
    join events e on e.id = r.event_id) as "heldEvents"`;

/** Lists a page of all events, newest first; `search` matches names and slugs of the event and of its organization. */
export async function listEvents(
  query: AdminEventsQuery,
  reader: Reader,
): Promise<{ events: AdminEventRecord[]; total: number }> {
  const where = eventFilterSql(query);
  const [events, counted] = await Promise.all([
    sql.$queryRaw<(Omit<AdminEventRecord, "bytes"> & { bytes: bigint })[]>`
      with shown as materialized (
        select e.* from events e join organizations o on o.id = e.organization_id where ${where}
        order by e.created_at desc, e.id desc
        limit ${query.limit}::bigint offset ${(query.page - 1) * query.limit}::bigint
      )
      select ${eventColumnsSql(reader)} from shown e join organizations o on o.id = e.organization_id
      order by e.created_at desc, e.id desc`,
    sql.$queryRaw<{ total: number }[]>`
      select count(*)::int as total from events e join organizations o on o.id = e.organization_id where ${where}`,
  ]);
  return {
    events: events.map((event) => ({ ...event, bytes: Number(event.bytes) })),
    total: counted[0]?.total ?? 0,
  };
}

const eventColumnsSql = (
  reader: Reader,
) => Prisma.sql`e.id, e.name, e.slug, e.is_active as "isActive", e.start_date as "startDate",
  e.end_date as "endDate", e.created_at as "createdAt",
  json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) as organization,
  (select count(distinct r.user_id)::int from event_roles r where r.event_id = e.id) as people,
  (select json_build_object(
      'total', coalesce(sum(${sumStateCountsSql("c", INCIDENT_STATES)}), 0),
      'open', coalesce(sum(${sumStateCountsSql("c", OPEN_STATES)}), 0))
    from ${countedIncidentCountsSql(reader)} c where c.event_id = e.id) as incidents,
  (select coalesce(sum(f.size::bigint + coalesce(f.original_size, 0)), 0)::bigint from related_files f
    where f.event_id = e.id and f.incident_id not in (${uncountedIncidentIdsSql(reader)})) as bytes`;

const NAMES_AND_SLUGS = [Prisma.sql`e.name`, Prisma.sql`e.slug`, Prisma.sql`o.name`, Prisma.sql`o.slug`];

function eventFilterSql({ search, organizationId, isActive }: AdminEventsQuery): Prisma.Sql {
  const parts = [Prisma.sql`true`];
  if (organizationId) parts.push(Prisma.sql`e.organization_id = ${organizationId}::uuid`);
  if (isActive !== undefined) parts.push(Prisma.sql`e.is_active = ${isActive}`);
  if (search) parts.push(containsSearchTextSql(NAMES_AND_SLUGS, search));
  return Prisma.join(parts, " and ");
}
