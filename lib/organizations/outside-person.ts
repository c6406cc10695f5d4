import { z } from "zod";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";
import { idInput, idOutput } from "#lib/operation/fields.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";

/**
 * The outside person: the member who reads reports that their reporters hide from everybody on the response team
 * (contract 16.7).
 */

export const OutsidePersonResponse = z.object({
  /** Null if the organization has no outside person. */
  outsidePerson: z.object({ id: idOutput, name: z.string() }).nullable(),
  /** The ID of the outside person, under the name by which it is changed. */
  userId: idOutput.nullable(),
});
type OutsidePersonRecord = z.input<typeof OutsidePersonResponse>;

export const OutsidePersonInput = z.object({ userId: idInput.nullable() });
type OutsidePersonInput = z.output<typeof OutsidePersonInput>;

/** Loads the member who is the outside person; one who has left or is disabled doesn't count. */
export async function loadOutsidePerson(organizationId: string): Promise<OutsidePersonRecord> {
  const outsidePerson = await prisma.user.findFirst({
    where: {
      disabledAt: null,
      outsidePersonOf: { some: { id: organizationId } },
      memberships: { some: { organizationId, pending: false } },
    },
    select: { id: true, name: true },
  });
  return { outsidePerson, userId: outsidePerson?.id ?? null };
}

/** Names a member as outside person, or nobody. @throws InvalidInputError for somebody who isn't a member */
export async function saveOutsidePerson(
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  { userId }: OutsidePersonInput,
): Promise<void> {
  const { organizationId, actor } = context;
  await runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    if (userId !== null) {
      const member = await tx.organizationMember.findFirst({
        where: { organizationId, userId, pending: false, user: { disabledAt: null } },
        select: { userId: true },
      });
      if (!member) throw new InvalidInputError({ userId: createFieldProblem("mustBeMember") });
    }
    const before = await replaceOutsidePerson(tx, { organizationId, userId });
    // A job unassigns the former outside person's incidents: an admin from whom one is hidden could otherwise notice it by the
    // duration of this request.
    if (before !== null && before !== userId)
      await enqueueJob(tx, "releaseReplacedOutsidePerson", { organizationId, userId: before });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "organization.changeOutsidePerson",
        { type: "organization", id: organizationId },
        { userId },
      ),
    );
  });
}

/** Stores the outside person. @returns the id of the former one */
async function replaceOutsidePerson(
  tx: Tx,
  { organizationId, userId }: { organizationId: string; userId: string | null },
): Promise<string | null> {
  const before = await lockRow(tx, { table: "organizations", id: organizationId }, ["outsidePersonId"]);
  if (before === undefined || before.outsidePersonId === userId) return userId;
  await tx.organization.update({
    where: { id: organizationId },
    data: { outsidePersonId: userId },
    select: { id: true },
  });
  return before.outsidePersonId;
}
