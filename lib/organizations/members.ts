import { buildOutboxEvent } from "#lib/jobs/outbox-events.ts";
import { ORG_ADMIN_ROLES } from "#lib/access/role-sets.ts";
import { lockRows } from "#lib/database/row-lock.ts";
import { canRemoveLastAdmin, isSystemAdmin } from "#lib/operation/policy.ts";
import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { isUsableMembership } from "#lib/access/usable-roles.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import {
  isRoleGrantPendingAcceptance,
  queueThrottledInvitationMail,
} from "#lib/organizations/pending-invitations.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import type {
  OrganizationMemberRoleChangeInput,
  NewOrganizationMemberInput,
} from "#lib/organizations/schema.ts";
import type {
  OrganizationMemberPermissionSubject,
  OrganizationPermissionSubject,
} from "#lib/organizations/scope.ts";
import type { Actor, OrganizationRole } from "#lib/operation/policy.ts";

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
  const where = { organizationId, userId: actor.id };
  const [held] = await lockRows(tx, { table: "organization_members", where, strength: "share" }, ["role"]);
  if (!held || !ORG_ADMIN_ROLES.includes(held.role)) throw createForbiddenError();
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
  const admins = await lockOrganizationAdmins(tx, { organizationId, ...isUsableMembership() });
  if (canRemoveLastAdmin(actor)) return;
  if (admins.length === 1 && admins[0]?.userId === leavingUserId)
    throw new AppError("LAST_ADMIN", "lastOrganizationAdmin");
  if (!admins.some(({ userId }) => userId === actor.id)) throw createForbiddenError();
}

type Membership = { organizationId: string; userId: string };

/** Locks memberships of org_admins until the commit. @returns those who still are */
export async function lockOrganizationAdmins(
  tx: Tx,
  where: Prisma.OrganizationMemberWhereInput,
): Promise<Membership[]> {
  const found = await tx.organizationMember.findMany({
    where: { AND: [where, { role: { in: ORG_ADMIN_ROLES } }] },
    select: { organizationId: true, userId: true },
  });
  const ids = {
    organizationId: found.map((one) => one.organizationId),
    userId: found.map((one) => one.userId),
  };
  const lock = { table: "organization_members", where: ids, strength: "update" } as const;
  const members = await lockRows(tx, lock, ["organizationId", "userId", "role"]);
  const describe = ({ organizationId, userId }: Membership) => `${organizationId} ${userId}`;
  const admins = new Set(members.filter(({ role }) => ORG_ADMIN_ROLES.includes(role)).map(describe));
  return found.filter((one) => admins.has(describe(one)));
}

/** @param role the granted role; null when it was revoked */
const appendRoleEvent = (
  tx: Tx,
  { organizationId, actor, userId }: MemberContext,
  role: OrganizationRole | null,
): Promise<void> => {
  const place = { actor, organizationId, eventId: null };
  return appendOutboxEvent(tx, buildOutboxEvent(place, "role.changed", { personIds: [userId], state: role }));
};
