import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { idInPath, mustBeSlug } from "#lib/operation/path-params.ts";
import type { PathParams, Scope } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";

export type OrganizationSubject = { organizationId: string };

/**
 * The organization that a path names by `:organizationId` or `:orgSlug`. A member's roles were just read
 * with the session, and they name it; only others need to ask whether it exists.
 */
export const organizationScope: Scope<OrganizationSubject, OrganizationSubject> = {
  container: async (params, actor) => ({
    organizationId: findHeldOrganizationId(actor, params) ?? (await findOrganizationId(params)),
  }),
};

export type MemberSubject = OrganizationSubject & { userId: string };

/**
 * A member of the organization. Whether there is such a member is settled by the statement that changes
 * it, after the body has been read; here only the organization is looked up.
 */
export const memberScope: Scope<MemberSubject, MemberSubject> = {
  container: async (params, actor) => ({
    ...(await organizationScope.container(params, actor)),
    userId: idInPath(params.userId),
  }),
};

function findHeldOrganizationId(actor: Actor | null, params: PathParams): string | undefined {
  const wantedId = params.organizationId?.toLowerCase();
  return actor?.organizations.find(({ organizationId, slug }) =>
    params.orgSlug === undefined ? organizationId === wantedId : slug === params.orgSlug,
  )?.organizationId;
}

async function findOrganizationId(params: PathParams): Promise<string> {
  const id = params.organizationId?.toLowerCase();
  if (id !== undefined && !UUID_PATTERN.test(id)) throw notFound("This organization");
  const where = id === undefined ? { slug: mustBeSlug(params.orgSlug) } : { id };
  const found = await db.organization.findUnique({ where, select: { id: true } });
  if (!found) throw notFound("This organization");
  return found.id;
}
