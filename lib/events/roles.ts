import type { Context } from "#lib/api/operation.ts";
import type { Action } from "#lib/audit/actions.ts";
import { audit, type Deed } from "#lib/audit/audit.ts";
import { transaction, type Tx } from "#lib/db.ts";
import { AppError, forbidden, isUniqueViolation, notFound } from "#lib/errors.ts";
import { release } from "#lib/events/holdings.ts";
import type { EventUserChange, RoleAssignment, UserEventRoleRecord } from "#lib/events/schema.ts";
import type { EventSubject, EventUserSubject } from "#lib/events/scope.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { tell } from "#lib/notifications/tell.ts";
import { holdSystemAdmin } from "#lib/organizations/members.ts";
import { passesIn, type Actor, type EventRole } from "#lib/policy.ts";

type Doing = Context<EventSubject, Actor>;
type DoingToUser = Context<EventUserSubject, Actor>;

/**
 * Gives a user a role in the event. Giving it again answers the assignment that is there.
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
    const { count } = await tx.eventRole.createMany({
      data: { eventId, userId, roleName },
      skipDuplicates: true,
    });
    const assignment = await tx.eventRole.findUniqueOrThrow({
      where: { eventId_userId_roleName: { eventId, userId, roleName } },
    });
    if (count > 0) {
      await tellOfRole(tx, { ...doing, userId }, roleName);
      await audit(tx, deed({ ...doing, userId }, "eventRole.grant", { role: roleName }));
    }
    return assignment;
  });
}

/**
 * Takes one role in the event from a user. Who is then no longer of the team holds no open incidents.
 * @returns how many were theirs, and are unassigned now
 * @throws AppError NOT_FOUND when the user doesn't hold it, LAST_ADMIN (rulings R2)
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
 * Changes a person of the event (rulings R2), in this order: the role replaces all the person's roles here,
 * the name applies, and the address applies at once when a SystemAdmin or the person changes it. Otherwise
 * it waits until the owner of the account confirms it through a mail to the present address.
 * @returns whether the address waits, and how many open incidents are unassigned now since the person left the team
 * @throws AppError NOT_FOUND without a role in the event, LAST_ADMIN, EMAIL_TAKEN
 */
export async function changeEventUser(
  doing: DoingToUser,
  change: EventUserChange,
): Promise<{ emailWaits: boolean; unassigned: number }> {
  const work = transaction(async (tx) => {
    await lockPerson(tx, doing.userId);
    await lockAdmins(tx, doing, change.role === "Admin" ? null : doing.userId);
    if (await replaceRoles(tx, doing, change.role)) await tellOfRole(tx, doing, change.role);
    const email = await changeAccount(tx, doing, change);
    const unassigned = await release(tx, doing, doing.actor);
    await audit(tx, deed(doing, "eventUser.change", { role: change.role, email, unassigned }));
    return { emailWaits: email === "waits", unassigned };
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
  if (passesIn(actor, eventId)) return holdSystemAdmin(tx, actor);
  const held = await tx.$queryRaw<unknown[]>`
    select 1 from event_roles
    where event_id = ${eventId}::uuid and user_id = ${actor.id}::uuid and role_name = 'Admin' for share`;
  if (held.length === 0) throw forbidden();
}

/**
 * Has changes to the roles of a person follow one another until the commit. The lock of the Admins doesn't do it for
 * a SystemAdmin, nor where there is no Admin: whoever waited for a row that was replaced meanwhile would take the
 * person for gone. @throws AppError NOT_FOUND without such a user
 */
async function lockPerson(tx: Tx, userId: string): Promise<void> {
  const found = await tx.$queryRaw<unknown[]>`
    select 1 from users where id = ${userId}::uuid for no key update`;
  if (found.length === 0) throw notFound("This person");
}

/**
 * Locks the assignments of all Admins until the commit, so that simultaneous removals see one another. The
 * last one stays one, except by a SystemAdmin (rulings R2). The rule comes before the right: of two Admins
 * who remove each other, the second hears that the other is the last.
 * @param leaver who stops being one, if anybody
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockAdmins(tx: Tx, { eventId, actor }: Doing, leaver: string | null): Promise<void> {
  if (passesIn(actor, eventId)) await holdSystemAdmin(tx, actor);
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select user_id as "userId" from event_roles
    where event_id = ${eventId}::uuid and role_name = 'Admin' order by user_id for update`;
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
  const held = await tx.$queryRaw<{ createdAt: Date }[]>`
    select created_at as "createdAt" from event_roles
    where event_id = ${eventId}::uuid and user_id = ${userId}::uuid order by created_at for update`;
  const [earliest] = held;
  if (!earliest) throw notFound("This person");
  const data = { eventId, userId, roleName: role, createdAt: earliest.createdAt };
  const given = await tx.eventRole.createMany({ data, skipDuplicates: true });
  const taken = await tx.eventRole.deleteMany({ where: { eventId, userId, roleName: { not: role } } });
  return given.count + taken.count > 0;
}

type EmailOutcome = "same" | "changed" | "waits";

async function changeAccount(
  tx: Tx,
  { userId, actor }: DoingToUser,
  { name, email }: EventUserChange,
): Promise<EmailOutcome> {
  const user = await tx.user.update({ where: { id: userId }, data: { name }, select: { email: true } });
  if (user.email === email) return "same";
  if (actor.systemAdmin || actor.id === userId) {
    await tx.user.update({ where: { id: userId }, data: { email }, select: { id: true } });
    await dropWhatWentToTheOldAddress(tx, userId);
    await enqueue(tx, "mail.notice", { userId, kind: "emailChanged", formerEmail: user.email });
    return "changed";
  }
  const taken = await tx.user.count({ where: { email } });
  if (taken > 0) throw emailTaken();
  await requestEmailChange(tx, { userId, email, requestedBy: actor.id });
  return "waits";
}

/** Links that wait in the mailbox of the old address must not work for the account any more. */
async function dropWhatWentToTheOldAddress(tx: Tx, userId: string): Promise<void> {
  await tx.passwordReset.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
}

type Request = { userId: string; email: string; requestedBy: string };

/** One waiting change an account: the newest replaces an older one, whose link stops working. */
async function requestEmailChange(tx: Tx, { userId, email, requestedBy }: Request): Promise<void> {
  await tx.$executeRaw`
    insert into email_changes (user_id, new_email, token_hash, requested_by, expires_at)
    values (${userId}::uuid, ${email}, null, ${requestedBy}::uuid, now() + interval '7 days')
    on conflict (user_id) do update set new_email = excluded.new_email, token_hash = null,
      requested_by = excluded.requested_by, expires_at = excluded.expires_at, created_at = now()`;
  await enqueue(tx, "mail.emailChange", { userId });
}

const emailTaken = () =>
  new AppError(
    "EMAIL_TAKEN",
    "This e-mail address belongs to another account.",
    "email: choose another address",
  );

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
