import { lockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { isVerified } from "#lib/accounts/email-verification.ts";
import {
  askForOwnEmail,
  emailTaken,
  letEmailWait,
  mustBeOwner,
  passwordMissing,
  type Owner,
} from "#lib/accounts/email-change.ts";
import { mustHaveSession, setEmail, setName } from "#lib/accounts/identity.ts";
import type { Context } from "#lib/operation/operation.ts";
import type { Action } from "#lib/audit/actions.ts";
import { audit, type Deed } from "#lib/audit/audit.ts";
import { transaction, type Tx } from "#lib/database/client.ts";
import { AppError, forbidden, isUniqueViolation, notFound } from "#lib/operation/errors.ts";
import { lockPerson } from "#lib/accounts/person-lock.ts";
import { release } from "#lib/events/assignments.ts";
import type { EventUserChange, RoleAssignment, UserEventRoleRecord } from "#lib/events/schema.ts";
import type { EventSubject, EventUserSubject } from "#lib/events/scope.ts";
import { isInvitation, mailInvitation } from "#lib/organizations/pending-invitations.ts";
import { tell } from "#lib/outbox/append.ts";
import { passesIn, type Actor, type EventRole } from "#lib/operation/policy.ts";

type Doing = Context<EventSubject, Actor>;
type DoingToUser = Context<EventUserSubject, Actor>;

/**
 * Gives a user a role in the event. Giving it again answers the assignment that is there. To somebody who belongs to
 * other organizations only it is an invitation (contract 2.7).
 * @throws AppError NOT_FOUND without such a user
 */
export async function grantRole(
  doing: Doing,
  { userId, roleName }: RoleAssignment,
): Promise<UserEventRoleRecord> {
  const { eventId } = doing;
  return transaction(async (tx) => {
    await lockPerson(tx, userId);
    await holdEventAdmin(tx, doing.actor, eventId);
    const { organizationId, actor } = doing;
    const pending = await isInvitation(tx, { userId, grantedById: actor.id, organizationId, eventId });
    const { count } = await tx.eventRole.createMany({
      data: { eventId, userId, roleName, pending, invitedById: pending ? actor.id : null },
      skipDuplicates: true,
    });
    const assignment = await tx.eventRole.findUniqueOrThrow({
      where: { eventId_userId_roleName: { eventId, userId, roleName } },
    });
    if (count > 0) {
      await tellOfRole(tx, { ...doing, userId }, roleName);
      if (pending) await mailInvitation(tx, userId);
      await audit(tx, deed({ ...doing, userId }, "eventRole.grant", { role: roleName, pending }));
    }
    return assignment;
  });
}

/**
 * Takes one role in the event from a user. Who is then no longer of the team holds no open incidents.
 * @returns how many were theirs, and are unassigned now
 * @throws AppError NOT_FOUND when the user doesn't hold it, LAST_ADMIN (contract 2.6)
 */
export async function revokeRole(doing: Doing, { userId, roleName }: RoleAssignment): Promise<number> {
  const { eventId } = doing;
  return transaction(async (tx) => {
    await lockPerson(tx, userId);
    await lockAdmins(tx, doing, roleName === "Admin" ? userId : null);
    const { count } = await tx.eventRole.deleteMany({ where: { eventId, userId, roleName } });
    if (count === 0) throw notFound("This role assignment");
    await tellOfRole(tx, { ...doing, userId }, null);
    const unassigned = await release(tx, { ...doing, userId }, doing.actor);
    await audit(tx, deed({ ...doing, userId }, "eventRole.revoke", { role: roleName, unassigned }));
    return unassigned;
  });
}

/**
 * Changes a person of the event (contract 6.3), in this order: the role replaces all the person's roles here,
 * the name applies, and the address applies at once when a SystemAdmin changes it. One's own takes the password and
 * waits for the new address; that of somebody else waits until the owner of the account confirms it through a mail to
 * the present address. No token changes name or address. Who has not accepted their invitation is changed by SystemAdmins
 * alone.
 * @returns what became of the address, and how many open incidents are unassigned now since the person left the team
 * @throws AppError NOT_FOUND without a role in the event, FORBIDDEN, LAST_ADMIN, EMAIL_TAKEN, TOKEN_SCOPE; InvalidInput
 *   without the password
 */
export async function changeEventUser(
  doing: DoingToUser,
  change: EventUserChange,
): Promise<{ email: EmailOutcome; unassigned: number }> {
  const another = doing.userId === doing.actor.id && change.email !== doing.actor.email;
  const proof = { password: change.currentPassword, newEmail: change.email };
  const owner = another ? await mustBeOwner(doing, proof) : null;
  const work = transaction(async (tx) => {
    await lockPerson(tx, doing.userId);
    await mustHaveAccepted(tx, doing);
    await lockAdmins(tx, doing, change.role === "Admin" ? null : doing.userId);
    if (await replaceRoles(tx, doing, change.role)) await tellOfRole(tx, doing, change.role);
    const email = await changeAccount(tx, doing, { ...change, owner });
    const unassigned = await release(tx, doing, doing.actor);
    await audit(tx, deed(doing, "eventUser.change", { role: change.role, email, unassigned }));
    return { email, unassigned };
  });
  return work.catch((error: unknown) => {
    if (isUniqueViolation(error, "email")) throw emailTaken();
    throw error;
  });
}

/**
 * Takes all roles in the event from a user. Their reports stay as they are, and so does who dealt with what is
 * closed; the open incidents that they hold are nobody's then, unless they were handed over before.
 * @returns how many were theirs, and are unassigned now
 * @throws AppError NOT_FOUND without a role in the event, LAST_ADMIN
 */
export async function removeEventUser(doing: DoingToUser): Promise<number> {
  const { eventId, userId } = doing;
  return transaction(async (tx) => {
    await lockPerson(tx, userId);
    await lockAdmins(tx, doing, userId);
    const { count } = await tx.eventRole.deleteMany({ where: { eventId, userId } });
    if (count === 0) throw notFound("This person");
    await tellOfRole(tx, doing, null);
    const unassigned = await release(tx, doing, doing.actor);
    await audit(tx, deed(doing, "eventUser.remove", { unassigned }));
    return unassigned;
  });
}

/**
 * Looks again, inside the transaction, whether the actor may act as Admin of the event, and keeps it so
 * until the commit.
 * @throws AppError FORBIDDEN
 */
export async function holdEventAdmin(tx: Tx, actor: Actor, eventId: string): Promise<void> {
  if (passesIn(actor, eventId)) return lockSystemAdmin(tx, actor);
  const held = await tx.$queryRaw<unknown[]>`
    select 1 from event_roles
    where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid and role_name = 'Admin' for share`;
  if (held.length === 0) throw forbidden();
}

/**
 * Refuses to rename somebody, or to touch their address, who has not accepted their role here. It doesn't matter what the
 * change says: a refusal of other addresses alone would tell which one is theirs.
 * @throws AppError FORBIDDEN
 */
async function mustHaveAccepted(tx: Tx, { eventId, userId, actor }: DoingToUser): Promise<void> {
  if (actor.systemAdmin) return;
  const pending = await tx.eventRole.count({ where: { eventId, userId, pending: true } });
  if (pending > 0) throw forbidden();
}

/**
 * Locks the assignments of all Admins until the commit, so that simultaneous removals see one another. Who was invited
 * and has not accepted is none yet, since they may decline; nor whose role waits for their address. The last one stays one, except by a SystemAdmin (contract 2.6).
 * The rule comes before the right: of two Admins who remove each other, the second hears that the other is the last.
 * @param leaver who stops being one, if anybody
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockAdmins(tx: Tx, { eventId, actor }: Doing, leaver: string | null): Promise<void> {
  if (passesIn(actor, eventId)) await lockSystemAdmin(tx, actor);
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select user_id as "userId" from event_roles
    where event_id = ${eventId}::uuid and role_name = 'Admin' and not pending
      and exists (select 1 from users u where u.id = user_id and ${isVerified()})
    order by user_id for update`;
  if (passesIn(actor, eventId)) return;
  const admins = rows.map((row) => row.userId);
  if (admins.length === 1 && admins[0] === leaver) {
    throw new AppError(
      "LAST_ADMIN",
      "This is the last Admin of the event.",
      "Make somebody else Admin first.",
    );
  }
  if (!admins.includes(actor.id)) throw forbidden();
}

/** @param role the one that was given; null when one was taken */
const tellOfRole = (
  tx: Tx,
  { organizationId, eventId, actor, userId }: DoingToUser,
  role: EventRole | null,
): Promise<void> =>
  tell(tx, {
    kind: "role.changed",
    actorId: actor.id,
    organizationId,
    eventId,
    personIds: [userId],
    state: role,
  });

/**
 * The assignment that stays keeps its date; a person whose roles all change has just joined anew.
 * @returns whether anything changed
 */
async function replaceRoles(tx: Tx, { eventId, userId }: DoingToUser, role: EventRole): Promise<boolean> {
  const held = await tx.$queryRaw<{ createdAt: Date; pending: boolean; invitedById: string | null }[]>`
    select created_at as "createdAt", pending, invited_by_id as "invitedById" from event_roles
    where event_id = ${eventId}::uuid and user_id = ${userId}::uuid order by created_at for update`;
  const [earliest] = held;
  if (!earliest) throw notFound("This person");
  const data = { eventId, userId, roleName: role, ...earliest };
  const given = await tx.eventRole.createMany({ data, skipDuplicates: true });
  const taken = await tx.eventRole.deleteMany({ where: { eventId, userId, roleName: { not: role } } });
  return given.count + taken.count > 0;
}

/** `waitsForLink`: for a link sent to the new address, where the person asked; else for the owner of the account. */
type EmailOutcome = "same" | "changed" | "waitsForOwner" | "waitsForLink";

/** @param owner the person, where they change their own address */
async function changeAccount(
  tx: Tx,
  { userId, actor }: DoingToUser,
  { name, email, owner }: EventUserChange & { owner: Owner | null },
): Promise<EmailOutcome> {
  const user = await tx.user.findUniqueOrThrow({
    where: { id: userId },
    select: { name: true, email: true },
  });
  if (user.name !== name) await setName(tx, mustHaveSession(actor), userId, name);
  if (user.email === email) return "same";
  const by = mustHaveSession(actor);
  if (actor.id === userId) {
    if (!owner) throw passwordMissing();
    await askForOwnEmail(tx, owner, email);
    return "waitsForLink";
  }
  if (!actor.systemAdmin) {
    await letEmailWait(tx, by, { userId, newEmail: email });
    return "waitsForOwner";
  }
  await setEmail(tx, by, { userId, email, verified: false });
  return "changed";
}

const deed = (doing: DoingToUser, action: Action, data: Deed["data"] = {}): Deed => ({
  action,
  organizationId: doing.organizationId,
  eventId: doing.eventId,
  actorId: doing.actor.id,
  right: doing.right,
  object: { type: action.startsWith("eventRole") ? "eventRole" : "eventUser", id: doing.userId },
  data: { userId: doing.userId, ...data },
  requestId: doing.call.requestId,
});
