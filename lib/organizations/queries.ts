import { compareNames } from "#lib/design/name-order.ts";
import { USER_COLUMNS, toUser } from "#lib/accounts/schema.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { toOrganizationRecord, ORGANIZATION_COLUMNS } from "#lib/organizations/schema.ts";
import type {
  OrganizationMemberRecord,
  OrganizationRecord,
  OrganizationRow,
  OrganizationsQuery,
} from "#lib/organizations/schema.ts";
import type { Actor, OrganizationRole } from "#lib/operation/policy.ts";

/** Loads an organization. @throws AppError NOT_FOUND when it was deleted after its path was resolved */
export async function loadOrganization(organizationId: string): Promise<OrganizationRecord> {
  const row = await prisma.organization.findUnique({
    where: { id: organizationId },
    select: ORGANIZATION_COLUMNS,
  });
  if (!row) throw createNotFoundError("organization");
  return toOrganizationRecord(row);
}

type OwnOrganizationRecord = OrganizationRecord & { role: OrganizationRole };

/**
 * Lists the organizations that the user is a member of, newest first, each with the user's role; none while their
 * address is unverified.
 */
export async function listOwnOrganizations({
  id: userId,
  unverified,
}: Actor): Promise<OwnOrganizationRecord[]> {
  if (unverified) return [];
  const rows = await sql.$queryRaw<(OrganizationRow & { role: OrganizationRole })[]>`
    select ${ORGANIZATION_SQL}, m.role::text as role
    from organization_members m join organizations o on o.id = m.organization_id
    where m.user_id = ${userId}::uuid
    order by o.created_at desc, o.id desc`;
  return rows.map((row) => ({ ...toOrganizationRecord(row), role: row.role }));
}

type OrganizationCounts = { memberCount: number; eventCount: number };

/** Lists a page of all organizations, newest first; `search` matches name and description (contract 5.1). */
export async function listOrganizations(
  query: OrganizationsQuery,
): Promise<{ organizations: (OrganizationRecord & OrganizationCounts)[]; total: number }> {
  const searchFilter = query.search
    ? Prisma.sql`where ${containsSearchTextSql([Prisma.sql`o.name`, Prisma.sql`o.description`], query.search)}`
    : Prisma.empty;
  const [rows, counted] = await Promise.all([
    sql.$queryRaw<(OrganizationRow & OrganizationCounts)[]>`
      select ${ORGANIZATION_SQL},
        (select count(*)::int from organization_members m where m.organization_id = o.id) as "memberCount",
        (select count(*)::int from events e where e.organization_id = o.id) as "eventCount"
      from organizations o ${searchFilter}
      order by o.created_at desc, o.id desc
      limit ${query.limit} offset ${(query.page - 1) * query.limit}`,
    sql.$queryRaw<{ total: number }[]>`select count(*)::int as total from organizations o ${searchFilter}`,
  ]);
  const organizations = rows.map((row) => ({
    ...toOrganizationRecord(row),
    memberCount: row.memberCount,
    eventCount: row.eventCount,
  }));
  return { organizations, total: counted[0]?.total ?? 0 };
}

/**
 * Lists the members of an organization, admins first, then by name; without the address of members who haven't
 * accepted yet.
 */
export async function listOrganizationMemberRecords(
  organizationId: string,
): Promise<OrganizationMemberRecord[]> {
  const rows = await prisma.organizationMember.findMany({
    where: { organizationId },
    orderBy: [{ role: "asc" }, { userId: "asc" }],
    select: { role: true, pending: true, createdAt: true, user: { select: USER_COLUMNS } },
  });
  const byRoleAndName = rows.toSorted((a, b) => a.role.localeCompare(b.role) || compareNames(a.user, b.user));
  return byRoleAndName.map(({ user, role, pending, createdAt }) => ({
    user: { ...toUser(user), email: pending ? null : user.email },
    role,
    invited: pending,
    joinedAt: createdAt,
  }));
}

const ORGANIZATION_SQL = Prisma.sql`o.id, o.name, o.slug, o.description, o.website, o.logo_key as "logoKey",
  o.require_second_factor as "requireSecondFactor", o.conflict_check as "conflictCheck",
  o.created_at as "createdAt", o.updated_at as "updatedAt"`;

type Place = { userId: string; organizationId: string; eventId: string | null };

/**
 * Returns whether a person has to accept a new role first: they have a role elsewhere, SystemAdmin included, and
 * haven't accepted any role in this organization; or they haven't accepted the role that they have in this event.
 */
export async function requiresRoleInvitation(
  tx: SqlClient,
  { userId, organizationId, eventId }: Place,
): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ invitation: boolean }[]>`
    with memberships as (
      select m.organization_id, null::uuid as event_id, m.pending from organization_members m
      where m.user_id = ${userId}::uuid
      union all
      select e.organization_id, e.id, r.pending from event_roles r join events e on e.id = r.event_id
      where r.user_id = ${userId}::uuid
    )
    select exists (select 1 from memberships where event_id = ${eventId}::uuid and pending)
      or (not exists (select 1 from memberships where organization_id = ${organizationId}::uuid and not pending)
        and (u.system_admin or exists (select 1 from memberships))) as invitation
    from users u where u.id = ${userId}::uuid`;
  return row?.invitation ?? false;
}
