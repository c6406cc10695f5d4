import { type OperationContext, type PathParams, createContainerScope } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import type { StoredLogo } from "#lib/files/logo.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import { parsePathIdOrNilUuid, parsePathSlugOrPlaceholder } from "#lib/operation/path-params.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** The logo of an organization (contract 9.4). */

/**
 * Stores the logo, queues the removal of the previous file and appends the audit entry.
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
export async function saveOrganizationLogo(
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  { key, type, size }: StoredLogo,
): Promise<void> {
  const { organizationId, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const before = await lockRow(tx, { table: "organizations", id: organizationId }, ["logoKey"]);
    if (!before) throw createNotFoundError("organization");
    await tx.organization.update({
      where: { id: organizationId },
      data: { logoKey: key, logoType: type, logoSize: size },
    });
    if (before.logoKey) await enqueueJob(tx, "files.remove", { keys: [before.logoKey] });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "organization.changeLogo",
        { type: "organization", id: organizationId },
        { type, size },
      ),
    );
  });
}

/**
 * The logo of an organization, by id or slug. An unknown organization and one without a logo get the same response.
 */
export const organizationLogoScope = createContainerScope(async (params: PathParams) => {
  const { organizationId: id, orgSlug } = params;
  const where =
    id === undefined ? { slug: parsePathSlugOrPlaceholder(orgSlug) } : { id: parsePathIdOrNilUuid(id) };
  const found = await prisma.organization.findUnique({
    where,
    select: { id: true, logoKey: true, logoType: true },
  });
  if (!found?.logoKey || !found.logoType) throw createNotFoundError("logo");
  return { organizationId: found.id, key: found.logoKey, type: found.logoType };
});
