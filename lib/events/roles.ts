import { buildOutboxEvent } from "#lib/jobs/outbox-events.ts";
import { EVENT_ADMIN_ROLES } from "#lib/access/role-sets.ts";
import { lockRows } from "#lib/database/row-lock.ts";
import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { isUsableEventRole } from "#lib/access/usable-roles.ts";
import {
  requestOwnEmailChange,
  consumeEmailChangeOfOtherLimit,
  createEmailTakenError,
  createEmailChangeAndQueueMail,
  authorizeOwnEmailChange,
  createEmailChangePasswordMissingError,
  type PasswordVerifiedActor,
} from "#lib/accounts/email-change.ts";
import { requireSessionActor, setUserEmailAndNotifyFormer, setUserName } from "#lib/accounts/identity.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import {
  AppError,
  createForbiddenError,
  isUniqueViolation,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import { unassignFormerTeamMember } from "#lib/events/assignments.ts";
import type {
  EventUserChangeInput,
  EventRoleAssignmentInput,
  UserEventRoleRecord,
} from "#lib/events/schema.ts";
import type { EventPermissionSubject, EventUserPermissionSubject } from "#lib/events/scope.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import {
  isRoleGrantPendingAcceptance,
  queueThrottledInvitationMail,
} from "#lib/organizations/pending-invitations.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import {
  canChangeEmailOfOthersWithoutConsent,
  canChangeInvitedPeople,
  hasSystemAdminAccessToEvent,
  type Actor,
  type EventRole,
} from "#lib/operation/policy.ts";

type EventContext = OperationContext<EventPermissionSubject, Actor>;
export type EventUserContext = OperationContext<EventUserPermissionSubject, Actor>;

/**
 * Gives a user a role in the event; a repeated grant returns the existing assignment. For somebody who belongs only to
 * other organizations it is an invitation (contract 2.7).
 * @throws AppError NOT_FOUND without such a user
 */
export async function grantRoleInEvent(
  context: EventContext,
  assignment: EventRoleAssignmentInput,
): Promise<UserEventRoleRecord> {
  return runTransaction(async (tx) => {
    await lockPersonRow(tx, assignment.userId);
    await assertAndLockEventAdmin(tx, context.actor, context.eventId);
    return grantLockedRole(tx, context, assignment);
  });
}

/**
 * Makes an org_admin an Admin of an event of their organization, as when an event is created: a plain role, which the
 * event's Admins are notified of. What is hidden from them stays hidden.
 * @throws AppError FORBIDDEN when they have lost the role in the organization since
 */
export async function joinResponseTeam(context: EventContext): Promise<UserEventRoleRecord> {
  const { actor, organizationId } = context;
  return runTransaction(async (tx) => {
    await lockPersonRow(tx, actor.id);
    await assertAndLockOrganizationAdmin(tx, actor, organizationId);
    return grantLockedRole(tx, context, { userId: actor.id, roleName: "Admin" });
  });
}

/** Grants the role, with outbox event and audit entry, once the person and the right to grant it are locked. */
async function grantLockedRole(
  tx: Tx,
  context: EventContext,
  { userId, roleName }: EventRoleAssignmentInput,
): Promise<UserEventRoleRecord> {
  const { eventId, organizationId, actor } = context;
  const pending = await isRoleGrantPendingAcceptance(tx, {
    userId,
    grantedById: actor.id,
    organizationId,
    eventId,
  });
  const invitedById = pending ? actor.id : null;
  const data = { eventId, userId, roleName, pending, invitedById };
  const { count } = await tx.eventRole.createMany({ data, skipDuplicates: true });
  const assignment = await tx.eventRole.findUniqueOrThrow({
    where: { eventId_userId_roleName: { eventId, userId, roleName } },
  });
  if (count > 0) {
    await appendRoleChangedEvent(tx, { ...context, userId }, roleName);
    if (pending) await queueThrottledInvitationMail(tx, userId);
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "eventRole.grant",
        { type: "eventRole", id: userId },
        { userId, role: roleName, pending },
      ),
    );
  }
  return assignment;
}

/**
 * Revokes one role of a user in the event. If they are no longer on the team then, their open incidents become
 * unassigned.
 * @returns how many incidents were unassigned
 * @throws AppError NOT_FOUND when the user doesn't hold it, LAST_ADMIN (contract 2.6)
 */
export async function revokeRoleInEvent(
  context: EventContext,
  { userId, roleName }: EventRoleAssignmentInput,
): Promise<number> {
  const { eventId } = context;
  return runTransaction(async (tx) => {
    await lockPersonRow(tx, userId);
    await lockAdmins(tx, context, roleName === "Admin" ? userId : null);
    const { count } = await tx.eventRole.deleteMany({ where: { eventId, userId, roleName } });
    if (count === 0) throw createNotFoundError("role");
    await appendRoleChangedEvent(tx, { ...context, userId }, null);
    const unassigned = await unassignFormerTeamMember(tx, { ...context, userId }, context.actor);
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "eventRole.revoke",
        { type: "eventRole", id: userId },
        { userId, role: roleName, unassigned },
      ),
    );
    return unassigned;
  });
}

/** What the caller is told, by what became of the email address. */
export const EVENT_USER_CHANGE_MESSAGES = {
  same: "The person was changed.",
  changed: "The person was changed.",
  waitsForOwner:
    "The name and role were changed. The email address changes once the account's owner confirms it " +
    "through the link we just sent to the current address.",
  waitsForLink:
    "The name and role were changed. Your email address changes once you confirm it " +
    "through the link we just sent to the new address.",
};

/**
 * Changes a person of the event (contract 6.3), in this order: replaces all their roles here, sets the name, changes
 * the address. A SystemAdmin's change of address applies at once. Changing one's own takes the password and a
 * confirmation from the new address; somebody else's waits until the account's owner confirms it by a mail to the
 * current address. Tokens can't change name or address. Only SystemAdmins may change somebody who hasn't accepted
 * their invitation.
 * @returns the outcome for the address, and how many open incidents were unassigned because the person left the team
 * @throws AppError NOT_FOUND without a role in the event, FORBIDDEN, LAST_ADMIN, EMAIL_TAKEN, CONFLICT, TOKEN_SCOPE,
 *   RATE_LIMITED; InvalidInputError without the password
 */
export async function changeEventUser(
  context: EventUserContext,
  change: EventUserChangeInput,
): Promise<{ email: EmailChangeResult; unassigned: number }> {
  const changesOwnEmail = context.userId === context.actor.id && change.email !== context.actor.email;
  const proof = { password: change.currentPassword, newEmail: change.email };
  const owner = changesOwnEmail ? await authorizeOwnEmailChange(context, proof) : null;
  if (await isEmailChangeForOwner(context, change.email))
    await consumeEmailChangeOfOtherLimit(context.call, context.userId);
  const work = runTransaction(async (tx) => {
    await lockPersonRow(tx, context.userId);
    await assertRoleAccepted(tx, context);
    await lockAdmins(tx, context, change.role === "Admin" ? null : context.userId);
    if (await replaceRoles(tx, context, change.role)) await appendRoleChangedEvent(tx, context, change.role);
    const former = await tx.user.findUniqueOrThrow({
      where: { id: context.userId },
      select: { name: true, email: true },
    });
    const renamed = former.name !== change.name;
    if (renamed) await setUserName(tx, requireSessionActor(context.actor), context.userId, change.name);
    const isEmailSame = former.email === change.email;
    const email = isEmailSame ? "same" : await changeEmail(tx, context, { email: change.email, owner });
    const unassigned = await unassignFormerTeamMember(tx, context, context.actor);
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "eventUser.change",
        { type: "eventUser", id: context.userId },
        { userId: context.userId, role: change.role, renamed, email, unassigned },
      ),
    );
    return { email, unassigned };
  });
  return work.catch((error: unknown) => {
    if (isUniqueViolation(error, "email")) throw createEmailTakenError();
    throw error;
  });
}

/** Returns whether this address of somebody else would wait for them to confirm it. */
async function isEmailChangeForOwner(
  { userId, actor, eventId }: EventUserContext,
  newEmail: string,
): Promise<boolean> {
  if (userId === actor.id || canChangeEmailOfOthersWithoutConsent(actor)) return false;
  const isAccepted = { some: { eventId, pending: false } };
  return (
    (await prisma.user.count({
      where: { id: userId, email: { not: newEmail }, eventRoles: isAccepted },
    })) > 0
  );
}

/**
 * Revokes all roles of a user in the event. Their reports and the assignees of closed incidents stay; their open
 * incidents become unassigned unless they were handed over before.
 * @returns how many incidents were unassigned
 * @throws AppError NOT_FOUND without a role in the event, LAST_ADMIN
 */
export async function removeEventUser(context: EventUserContext): Promise<number> {
  const { eventId, userId } = context;
  return runTransaction(async (tx) => {
    await lockPersonRow(tx, userId);
    await lockAdmins(tx, context, userId);
    const { count } = await tx.eventRole.deleteMany({ where: { eventId, userId } });
    if (count === 0) throw createNotFoundError("person");
    await appendRoleChangedEvent(tx, context, null);
    const unassigned = await unassignFormerTeamMember(tx, context, context.actor);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "eventUser.remove", { type: "eventUser", id: userId }, { userId, unassigned }),
    );
    return unassigned;
  });
}

/**
 * Checks again, inside the transaction, that the actor may act as Admin of the event, and locks that role until the
 * commit.
 * @throws AppError FORBIDDEN
 */
export async function assertAndLockEventAdmin(tx: Tx, actor: Actor, eventId: string): Promise<void> {
  if (hasSystemAdminAccessToEvent(actor, eventId)) return assertAndLockSystemAdmin(tx, actor);
  const where = { eventId, userId: actor.id };
  const roles = await lockRows(tx, { table: "event_roles", where, strength: "share" }, ["roleName"]);
  if (!roles.some(({ roleName }) => EVENT_ADMIN_ROLES.includes(roleName))) throw createForbiddenError();
}

/**
 * Refuses to change the name or address of somebody who hasn't accepted their role here, even if the change repeats
 * their address: refusing only other addresses would confirm a guess.
 * @throws AppError FORBIDDEN
 */
async function assertRoleAccepted(tx: Tx, { eventId, userId, actor }: EventUserContext): Promise<void> {
  if (canChangeInvitedPeople(actor)) return;
  const pending = await tx.eventRole.count({ where: { eventId, userId, pending: true } });
  if (pending > 0) throw createForbiddenError();
}

/**
 * Locks the roles of all Admins until the commit, so that concurrent removals see one another. Admins who haven't
 * accepted their role, or can't use it, don't count. Only a SystemAdmin may remove the last one (contract 2.6). LAST_ADMIN is checked before the right: of two Admins who remove each other, the second learns that
 * the other is the last.
 * @param leavingUserId who stops being an Admin, if anybody
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockAdmins(
  tx: Tx,
  { eventId, actor }: EventContext,
  leavingUserId: string | null,
): Promise<void> {
  if (hasSystemAdminAccessToEvent(actor, eventId)) await assertAndLockSystemAdmin(tx, actor);
  const admins = await lockEventAdmins(tx, { eventId, ...isUsableEventRole() });
  if (hasSystemAdminAccessToEvent(actor, eventId)) return;
  if (admins.length === 1 && admins[0]?.userId === leavingUserId)
    throw new AppError("LAST_ADMIN", "lastEventAdmin");
  if (!admins.some(({ userId }) => userId === actor.id)) throw createForbiddenError();
}

/** Locks roles of Admins until the commit. @returns whose roles they are */
export async function lockEventAdmins(
  tx: Tx,
  where: Prisma.EventRoleWhereInput,
): Promise<{ eventId: string; userId: string }[]> {
  const found = await tx.eventRole.findMany({
    where: { AND: [where, { roleName: { in: EVENT_ADMIN_ROLES } }] },
    select: { id: true },
  });
  const lock = {
    table: "event_roles",
    where: { id: found.map(({ id }) => id) },
    strength: "update",
  } as const;
  return lockRows(tx, lock, ["eventId", "userId"]);
}

/** @param role the role that was granted; null if one was revoked */
const appendRoleChangedEvent = (tx: Tx, context: EventUserContext, role: EventRole | null): Promise<void> => {
  const change = { personIds: [context.userId], state: role };
  return appendOutboxEvent(tx, buildOutboxEvent(context, "role.changed", change));
};

/**
 * Replaces a person's roles by one. A role that they already hold keeps its date; a new one takes the earliest old
 * date.
 * @returns whether anything changed
 */
async function replaceRoles(
  tx: Tx,
  { eventId, userId }: EventUserContext,
  role: EventRole,
): Promise<boolean> {
  const columns = ["createdAt", "pending", "invitedById"] as const;
  const lock = { table: "event_roles", where: { eventId, userId }, strength: "update" } as const;
  const roles = await lockRows(tx, lock, columns);
  const [earliest] = roles.toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt));
  if (!earliest) throw createNotFoundError("person");
  const data = { eventId, userId, roleName: role, ...earliest };
  const grantResult = await tx.eventRole.createMany({ data, skipDuplicates: true });
  const revokeResult = await tx.eventRole.deleteMany({ where: { eventId, userId, roleName: { not: role } } });
  return grantResult.count + revokeResult.count > 0;
}

/**
 * `waitsForLink`: until the person opens the link sent to their new address; `waitsForOwner`: until the account's
 * owner confirms.
 */
type EmailChangeResult = "same" | "changed" | "waitsForOwner" | "waitsForLink";

/** @param owner the verified person, if they change their own address */
async function changeEmail(
  tx: Tx,
  { userId, actor }: EventUserContext,
  { email, owner }: Pick<EventUserChangeInput, "email"> & { owner: PasswordVerifiedActor | null },
): Promise<EmailChangeResult> {
  const session = requireSessionActor(actor);
  if (actor.id === userId) {
    if (!owner) throw createEmailChangePasswordMissingError();
    await requestOwnEmailChange(tx, owner, email);
    return "waitsForLink";
  }
  if (!canChangeEmailOfOthersWithoutConsent(actor)) {
    await createEmailChangeAndQueueMail(tx, session, { userId, newEmail: email });
    return "waitsForOwner";
  }
  await setUserEmailAndNotifyFormer(tx, session, { userId, email, verified: false });
  return "changed";
}
