import { canRemoveLastAdmin, isSystemAdmin } from "#lib/operation/policy.ts";
import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { isMembershipUsableSql } from "#lib/access/team-sql.ts";
import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import {
  isRoleGrantPendingAcceptance,
  queueThrottledInvitationMail,
} from "#lib/organizations/pending-invitations.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import type {
  OrganizationMemberRoleChangeInput,
  NewOrganizationMemberInput,
} from "#lib/organizations/schema.ts";
import type {
  OrganizationMemberPermissionSubject,
  OrganizationPermissionSubject,
} from "#lib/organizations/scope.ts";
import type { Actor, OrganizationRole } from "#lib/operation/policy.ts";
import { ORG_ADMIN_ROLES_SQL } from "#lib/access/policy-sql.ts";

export type OrganizationContext = OperationContext<OrganizationPermissionSubject, Actor>;
type MemberContext = OperationContext<OrganizationMemberPermissionSubject, Actor>;

/**
 * Makes a user a member. If they belong only to other organizations, the role is an invitation (contract 2.7).
 * @throws AppError NOT_FOUND without such a user, ALREADY_MEMBER
 */
export async function addMember(
  context: OrganizationContext,
  { userId, role }: NewOrganizationMemberInput,
): Promise<void> {
  const { organizationId } = context;
  await runTransaction(async (tx) => {
    await lockPersonRow(tx, userId);
    await assertAndLockOrganizationAdmin(tx, context.actor, organizationId);
    const grantedById = context.actor.id;
    const pending = await isRoleGrantPendingAcceptance(tx, {
      userId,
      grantedById,
      organizationId,
      eventId: null,
    });
    const invitedById = pending ? grantedById : null;
    const data = { organizationId, userId, role, pending, invitedById };
    const { count } = await tx.organizationMember.createMany({ data, skipDuplicates: true });
    if (count === 0) throw new AppError("ALREADY_MEMBER", "alreadyMember");
    await appendRoleEvent(tx, { ...context, userId }, role);
    if (pending) await queueThrottledInvitationMail(tx, userId);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "member.add", { type: "member", id: userId }, { userId, role, pending }),
    );
  });
}

/** Gives a member another role. @throws AppError NOT_FOUND without such a member, LAST_ADMIN (contract 2.6) */
export async function changeMemberRole(
  context: MemberContext,
  { role }: OrganizationMemberRoleChangeInput,
): Promise<void> {
  const { organizationId, userId } = context;
  await runTransaction(async (tx) => {
    await lockAllAdmins(tx, context, role === "org_admin" ? null : userId);
    const { count } = await tx.organizationMember.updateMany({
      where: { organizationId, userId },
      data: { role },
    });
    if (count === 0) throw createNotFoundError("member");
    await appendRoleEvent(tx, context, role);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "member.changeRole", { type: "member", id: userId }, { userId, role }),
    );
  });
}

/**
 * Removes a person from the organization. Their roles in its events stay (contract 5.2).
 * @throws AppError NOT_FOUND without such a member, LAST_ADMIN
 */
export async function removeMember(context: MemberContext): Promise<void> {
  const { organizationId, userId } = context;
  await runTransaction(async (tx) => {
    await lockAllAdmins(tx, context, userId);
    const { count } = await tx.organizationMember.deleteMany({ where: { organizationId, userId } });
    if (count === 0) throw createNotFoundError("member");
    await appendRoleEvent(tx, context, null);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "member.remove", { type: "member", id: userId }, { userId }),
    );
  });
}

/**
 * Checks again, inside the transaction, that the actor may act as org_admin, and locks the row until the commit: a
 * concurrent removal of the role either waits for the commit or is noticed here.
 * @throws AppError FORBIDDEN
 */
export async function assertAndLockOrganizationAdmin(
  tx: Tx,
  actor: Actor,
  organizationId: string,
): Promise<void> {
  if (isSystemAdmin(actor)) return assertAndLockSystemAdmin(tx, actor);
  const adminRows = await tx.$queryRaw<unknown[]>`
    select 1 from organization_members
    where organization_id = ${organizationId}::uuid and user_id = ${actor.id}::uuid and role in ${ORG_ADMIN_ROLES_SQL} for share`;
  if (adminRows.length === 0) throw createForbiddenError();
}

/**
 * Locks the rows of all org_admins until the commit, so that simultaneous removals see each other. Admins who haven't
 * accepted their role, or can't use it, don't count. Only a SystemAdmin may remove the last one (contract 2.6). Checks
 * for the last admin before it checks the right: of two admins who remove each other, the second learns that the other
 * is the last.
 * @param leavingUserId who stops being an org_admin, if anyone
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockAllAdmins(
  tx: Tx,
  { organizationId, actor }: OrganizationContext,
  leavingUserId: string | null,
): Promise<void> {
  if (isSystemAdmin(actor)) await assertAndLockSystemAdmin(tx, actor);
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select m.user_id as "userId" from organization_members m
    where m.organization_id = ${organizationId}::uuid and m.role in ${ORG_ADMIN_ROLES_SQL} and ${isMembershipUsableSql()}
    order by m.user_id for update`;
  if (canRemoveLastAdmin(actor)) return;
  const admins = rows.map((row) => row.userId);
  if (admins.length === 1 && admins[0] === leavingUserId) {
    throw new AppError("LAST_ADMIN", "lastOrganizationAdmin");
  }
  if (!admins.includes(actor.id)) throw createForbiddenError();
}

/** @param role the granted role; null when it was revoked */
const appendRoleEvent = (
  tx: Tx,
  { organizationId, actor, userId }: MemberContext,
  role: OrganizationRole | null,
): Promise<void> =>
  appendOutboxEvent(tx, {
    kind: "role.changed",
    actorId: actor.id,
    organizationId,
    eventId: null,
    personIds: [userId],
    state: role,
  });
