import { isEmailVerifiedIfRequired } from "#lib/accounts/email-verification.ts";
import { compareNames } from "#lib/design/name-order.ts";
import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { buildAvatarUrl } from "#lib/accounts/schema.ts";
import type {
  AdminEventRecord,
  AdminEventsQuery,
  AdminUserDetailsRecord,
  AdminUserRecord,
  AdminUsersQuery,
} from "#lib/admin/schema.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { countedIncidentCountsSql, uncountedIncidentIdsSql, type Reader } from "#lib/access/readers-sql.ts";
import { INCIDENT_STATES, OPEN_STATES } from "#lib/access/incident-states.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";

/** Lists a page of all accounts; `search` matches name and address. Two statements, however many accounts there are. */
export async function listUsers(
  query: AdminUsersQuery,
): Promise<{ users: AdminUserRecord[]; total: number }> {
  const matching = Prisma.sql`select u.id, u.email, u.name, u.created_at from users u where ${userFilterSql(query)}`;
  const { ids, total } = await findPageOfIds(matching, userOrderSql(query), query);
  return { users: sortByIds(ids, await listUsersByIds(ids)), total };
}

async function listUsersByIds(ids: string[]): Promise<AdminUserRecord[]> {
  const rows = await sql.$queryRaw<(Omit<AdminUserRecord, "avatarUrl"> & { avatarKey: string | null })[]>`
    select u.id, u.email, u.name, u.avatar_key as "avatarKey", u.system_admin as "systemAdmin",
      u.disabled_at as "disabledAt", u.created_at as "createdAt",
      date_trunc('day', greatest(
        (select max(s.last_used_at) from sessions s where s.user_id = u.id),
        (select max(t.last_used_at) from api_tokens t where t.user_id = u.id),
        (select a.at from audit_entries a where a.actor_id = u.id order by a.at desc limit 1)
      ), 'UTC') as "lastActiveAt",
      (select count(*)::int from organization_members m where m.user_id = u.id) as organizations,
      (select count(distinct r.event_id)::int from event_roles r where r.user_id = u.id) as events
    from users u where u.id = any(${ids}::uuid[])`;
  return rows.map(({ avatarKey, ...user }) => ({ ...user, avatarUrl: buildAvatarUrl(user.id, avatarKey) }));
}

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
  if (sort === "email") return Prisma.sql`email ${direction}`;
  if (sort === "name") return Prisma.sql`name collate title_order ${direction}, id ${direction}`;
  return Prisma.sql`created_at ${direction}, id ${direction}`;
}

/** Loads what a SystemAdmin sees of an account. @throws AppError NOT_FOUND */
export async function loadUserDetailsForSystemAdmin(userId: string): Promise<AdminUserDetailsRecord> {
  const valid = { where: { expiresAt: { gt: new Date() } } };
  const place = { select: { id: true, name: true, slug: true } };
  const [[user], details] = await Promise.all([
    listUsersByIds([userId]),
    prisma.user.findUnique({
      where: { id: userId },
      select: {
        emailVerifiedAt: true,
        secondFactor: { select: { confirmedAt: true } },
        _count: { select: { sessions: valid, apiTokens: valid } },
        memberships: { orderBy: { organizationId: "asc" }, select: { role: true, organization: place } },
        eventRoles: {
          orderBy: [{ eventId: "asc" }, { roleName: "asc" }],
          select: { roleName: true, event: place },
        },
      },
    }),
  ]);
  if (!user || !details) throw createNotFoundError("person");
  const events = Map.groupBy(details.eventRoles, ({ event }) => event.id);
  return {
    ...user,
    sessions: details._count.sessions,
    tokens: details._count.apiTokens,
    secondFactor: Boolean(details.secondFactor?.confirmedAt),
    emailVerified: isEmailVerifiedIfRequired(details),
    memberships: {
      organizations: details.memberships
        .map(({ role, organization }) => ({ ...organization, role }))
        .toSorted(compareNames),
      events: [...events.values()]
        .map((roles) => ({ ...roles[0]!.event, roles: roles.map(({ roleName }) => roleName) }))
        .toSorted(compareNames),
    },
  };
}

/** Lists a page of all events, newest first; `search` matches names and slugs of the event and of its organization. */
export async function listEvents(
  query: AdminEventsQuery,
  reader: Reader,
): Promise<{ events: AdminEventRecord[]; total: number }> {
  const matching = Prisma.sql`select e.id, e.created_at from events e join organizations o on o.id = e.organization_id
    where ${eventFilterSql(query)}`;
  const { ids, total } = await findPageOfIds(matching, Prisma.sql`created_at desc, id desc`, query);
  const rows = await sql.$queryRaw<(Omit<AdminEventRecord, "bytes"> & { bytes: bigint })[]>`
    select ${eventColumnsSql(reader)} from events e join organizations o on o.id = e.organization_id
    where e.id = any(${ids}::uuid[])`;
  const events = rows.map((event) => ({ ...event, bytes: Number(event.bytes) }));
  return { events: sortByIds(ids, events), total };
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
