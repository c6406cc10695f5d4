import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import { buildOutboxEvent } from "#lib/jobs/outbox-events.ts";
import { lockRows } from "#lib/database/row-lock.ts";
import { canRemoveLastAdmin } from "#lib/operation/policy.ts";
import { isUsableEventRole } from "#lib/access/usable-roles.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { unassignFormerTeamMember } from "#lib/events/assignments.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";
import { lockEventAdmins } from "#lib/events/roles.ts";

/**
 * Leaves an event: revokes all of the current user's roles in it. Their reports and what they wrote stay; their open
 * incidents become unassigned.
 * @throws AppError NOT_FOUND without a role in it, LAST_ADMIN (contract 2.6)
 */
export async function leaveEvent(
  context: OperationContext<PermissionSubject, Actor>,
  eventId: string,
): Promise<void> {
  const { actor } = context;
  await runTransaction(async (tx) => {
    // Whoever grants a role locks the person, too.
    await lockPersonRow(tx, actor.id);
    await assertNotLastAdmin(tx, actor, eventId);
    const where = { eventId, userId: actor.id };
    const roles = await lockRows(tx, { table: "event_roles", where, strength: "update" }, ["roleName"]);
    if (roles.length === 0) throw createNotFoundError("event");
    await tx.eventRole.deleteMany({ where });
    const { organizationId } = await tx.event.findUniqueOrThrow({
      where: { id: eventId },
      select: { organizationId: true },
    });
    const unassigned = await unassignFormerTeamMember(
      tx,
      { eventId, organizationId, userId: actor.id },
      actor,
    );
    const place = { actor, organizationId, eventId };
    await appendOutboxEvent(tx, buildOutboxEvent(place, "role.changed", { personIds: [actor.id] }));
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        { ...context, organizationId, eventId },
        "eventUser.leave",
        { type: "eventUser", id: actor.id },
        { userId: actor.id, roles: roles.map(({ roleName }) => roleName).toSorted(), unassigned },
      ),
    );
  });
}

/**
 * Locks the roles of all Admins until the commit, so that concurrent leavers see one another. Admins who can't use
 * their role don't count, except for whoever leaves (contract 2.6).
 */
async function assertNotLastAdmin(tx: Tx, actor: Actor, eventId: string): Promise<void> {
  const isOwn = { userId: actor.id, pending: false };
  const admins = await lockEventAdmins(tx, { eventId, OR: [isOwn, isUsableEventRole()] });
  if (canRemoveLastAdmin(actor) || admins.length !== 1 || admins[0]?.userId !== actor.id) return;
  throw new AppError("LAST_ADMIN", "lastEventAdminLeaves");
}
