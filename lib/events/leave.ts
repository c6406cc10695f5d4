import { canRemoveLastAdmin } from "#lib/operation/policy.ts";
import { isEventRoleUsableSql } from "#lib/access/team-sql.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { unassignFormerTeamMember } from "#lib/events/assignments.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";
import { EVENT_ADMIN_ROLES_SQL } from "#lib/access/policy-sql.ts";

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
    await assertNotLastAdmin(tx, actor, eventId);
    const removedRoles = await tx.$queryRaw<{ role: string; organizationId: string }[]>`
      delete from event_roles r using events e
      where r.event_id = ${eventId}::uuid and r.user_id = ${actor.id}::uuid and e.id = r.event_id
      returning r.role_name::text as role, e.organization_id as "organizationId"`;
    const [{ organizationId } = { organizationId: "" }] = removedRoles;
    if (removedRoles.length === 0) throw createNotFoundError("event");
    const unassigned = await unassignFormerTeamMember(
      tx,
      { eventId, organizationId, userId: actor.id },
      actor,
    );
    await appendOutboxEvent(tx, {
      kind: "role.changed",
      actorId: actor.id,
      organizationId,
      eventId,
      personIds: [actor.id],
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        { ...context, organizationId, eventId },
        "eventUser.leave",
        { type: "eventUser", id: actor.id },
        { userId: actor.id, roles: removedRoles.map(({ role }) => role).toSorted(), unassigned },
      ),
    );
  });
}

/**
 * Locks the roles of all Admins until the commit, so that concurrent leavers see one another. Admins who can't use
 * their role don't count, except for whoever leaves (contract 2.6).
 */
async function assertNotLastAdmin(tx: Tx, actor: Actor, eventId: string): Promise<void> {
  const admins = await tx.$queryRaw<{ userId: string }[]>`
    select r.user_id as "userId" from event_roles r
    where r.event_id = ${eventId}::uuid and r.role_name in ${EVENT_ADMIN_ROLES_SQL} and not r.pending
      and (r.user_id = ${actor.id}::uuid or ${isEventRoleUsableSql()})
    order by r.user_id for update`;
  if (canRemoveLastAdmin(actor) || admins.length !== 1 || admins[0]?.userId !== actor.id) return;
  throw new AppError("LAST_ADMIN", "lastEventAdminLeaves");
}
