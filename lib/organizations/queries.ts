import { compareNames } from "#lib/design/name-order.ts";
import { USER_COLUMNS, toUser } from "#lib/accounts/schema.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { prisma } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { toOrganizationRecord, ORGANIZATION_COLUMNS } from "#lib/organizations/schema.ts";
import type {
  OrganizationMemberRecord,
  OrganizationRecord,
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
  const memberships = await prisma.organizationMember.findMany({
    where: { userId },
    orderBy: [{ organization: { createdAt: "desc" } }, { organizationId: "desc" }],
    select: { role: true, organization: { select: ORGANIZATION_COLUMNS } },
  });
  return memberships.map(({ role, organization }) => ({ ...toOrganizationRecord(organization), role }));
}

type OrganizationCounts = { memberCount: number; eventCount: number };

/** Lists a page of all organizations, newest first; `search` matches name and description (contract 5.1). */
export async function listOrganizations(
  query: OrganizationsQuery,
): Promise<{ organizations: (OrganizationRecord & OrganizationCounts)[]; total: number }> {
  const searchFilter = query.search
    ? Prisma.sql`where ${containsSearchTextSql([Prisma.sql`o.name`, Prisma.sql`o.description`], query.search)}`
    : Prisma.empty;
  const { ids, total } = await findPageOfIds(
    Prisma.sql`select o.id, o.created_at from organizations o ${searchFilter}`,
    Prisma.sql`created_at desc, id desc`,
    query,
  );
  const rows = await prisma.organization.findMany({
    where: { id: { in: ids } },
    select: { ...ORGANIZATION_COLUMNS, _count: { select: { members: true, events: true } } },
  });
  const organizations = sortByIds(ids, rows).map(({ _count, ...row }) => ({
    ...toOrganizationRecord(row),
    memberCount: _count.members,
    eventCount: _count.events,
  }));
  return { organizations, total };
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
