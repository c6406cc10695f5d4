import { prisma } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { parsePathIdOrNilUuid, requirePathSlug } from "#lib/operation/path-params.ts";
import type { PathParams, OperationScopeResolvers } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";

export type OrganizationPermissionSubject = { organizationId: string };

/**
 * The organization that a path names by `:organizationId` or `:orgSlug`. A member's roles were loaded with the
 * session and identify it; for everyone else a query checks that it exists.
 */
export const organizationScope: OperationScopeResolvers<
  OrganizationPermissionSubject,
  OrganizationPermissionSubject
> = {
  container: async (params, actor) => ({
    organizationId: findHeldOrganizationId(actor, params) ?? (await requireOrganizationId(params)),
  }),
};

export type OrganizationMemberPermissionSubject = OrganizationPermissionSubject & { userId: string };

/**
 * A member of the organization. Looks up only the organization here; the statement that changes the member checks
 * that there is one, after the body has been read.
 */
export const organizationMemberScope: OperationScopeResolvers<
  OrganizationMemberPermissionSubject,
  OrganizationMemberPermissionSubject
> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    userId: parsePathIdOrNilUuid(params.userId),
  }),
};

/** A service token of the organization; the statement that revokes it checks that there is one. */
export const serviceTokenPathScope: OperationScopeResolvers<
  OrganizationPermissionSubject & { tokenId: string },
  OrganizationPermissionSubject & { tokenId: string }
> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    tokenId: parsePathIdOrNilUuid(params.tokenId),
  }),
};

function findHeldOrganizationId(actor: Actor | null, params: PathParams): string | undefined {
  const wantedId = params.organizationId?.toLowerCase();
  return actor?.organizations.find(({ organizationId, slug }) =>
    params.orgSlug === undefined ? organizationId === wantedId : slug === params.orgSlug,
  )?.organizationId;
}

async function requireOrganizationId(params: PathParams): Promise<string> {
  const id = params.organizationId?.toLowerCase();
  if (id !== undefined && !UUID_PATTERN.test(id)) throw createNotFoundError("organization");
  const where = id === undefined ? { slug: requirePathSlug(params.orgSlug) } : { id };
  const found = await prisma.organization.findUnique({ where, select: { id: true } });
  if (!found) throw createNotFoundError("organization");
  return found.id;
}
