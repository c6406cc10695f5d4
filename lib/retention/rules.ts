import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction } from "#lib/database/client.ts";
import { listChangedFields } from "#lib/operation/changed-fields.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import type { RetentionRulesChangeInput } from "./schema.ts";

/**
 * Changes an organization's rules. Where a number differs, nothing is deleted within the next 30 days, so that there is
 * time for a notice. The audit log has the numbers.
 */
export async function saveRetentionRules(
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  change: RetentionRulesChangeInput,
): Promise<void> {
  const { organizationId, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    const stored = await tx.retentionRules.findUnique({ where: { organizationId } });
    const months = {
      resolvedMonths: stored?.resolvedMonths ?? null,
      closedMonths: stored?.closedMonths ?? null,
      withoutNameMonths: stored?.withoutNameMonths ?? null,
      ...change,
    };
    const none = { resolvedMonths: null, closedMonths: null, withoutNameMonths: null };
    if (listChangedFields(stored ?? none, months).length === 0) return;
    const data = { ...months, changedAt: new Date() };
    await tx.retentionRules.upsert({
      where: { organizationId },
      create: { organizationId, ...data },
      update: data,
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "organization.changeRetention",
        { type: "organization", id: organizationId },
        { ...months },
      ),
    );
  });
}
