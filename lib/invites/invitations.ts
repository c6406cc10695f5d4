import { buildOutboxEvent } from "#lib/jobs/outbox-events.ts";
import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { unassignFormerTeamMember } from "#lib/events/assignments.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { listEventIdsOfVisibleIncidents } from "#lib/invites/invitation-queries.ts";
import type { PendingInvitation } from "#lib/operation/pending-invitation.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** Roles that are pending until their person accepts them (contract 2.7, docs/decisions/033). */

type InvitedPlace = PendingInvitation;
type InviteeContext = { actor: Pick<Actor, "id">; requestId: string };

/**
 * Accepts an invitation by the id of its event or organization.
 * @throws AppError NOT_FOUND when there is none, or it has been accepted, declined or revoked
 */
export async function acceptInvitation(context: InviteeContext, placeId: string): Promise<void> {
  await runTransaction(async (tx) => {
    const place = await lockInvitedPlace(tx, context, placeId);
    const accepted = place ? await acceptPendingRoles(tx, place, context) : false;
    if (!accepted) throw createNotFoundError("invitation");
  });
}

/** Declines an invitation and removes its roles. @throws AppError NOT_FOUND like `acceptInvitation` */
export async function declineInvitation(context: InviteeContext, placeId: string): Promise<void> {
  await runTransaction(async (tx) => {
    const place = await lockInvitedPlace(tx, context, placeId);
    const roles = place ? await removePendingRoles(tx, place, context.actor.id) : [];
    if (!place || roles.length === 0) throw createNotFoundError("invitation");
    const { eventId, organizationId } = place;
    const unassigned = eventId
      ? await unassignFormerTeamMember(
          tx,
          { eventId, organizationId, userId: context.actor.id },
          context.actor,
        )
      : 0;
    await recordOutcome(tx, place, context, { verb: "declineInvitation", roles, state: null, unassigned });
  });
}

/**
 * Accepts the pending roles on the actor's first request that needs them; with `incidentIds`, only in the events of
 * those incidents that the actor may see, so that a hidden incident doesn't show in what is accepted. Refuses an actor
 * who by now has no role in one of the places. Each place has a transaction of its own, so that none waits for the
 * audit chain of one organization while it holds that of another.
 * @throws AppError FORBIDDEN
 */
export async function acceptPendingRolesOnFirstUse(
  context: { actor: Actor; requestId: string },
  { invitations, incidentIds }: { invitations: InvitedPlace[]; incidentIds: readonly string[] | undefined },
): Promise<void> {
  const eventIds = incidentIds && (await listEventIdsOfVisibleIncidents(context.actor, incidentIds));
  for (const place of invitations)
    if (!eventIds || eventIds.some((eventId) => eventId === place.eventId))
      await acceptPendingRolesOrRefuse(context, place);
}

async function acceptPendingRolesOrRefuse(context: InviteeContext, place: InvitedPlace): Promise<void> {
  await runTransaction(async (tx) => {
    await lockPersonRow(tx, context.actor.id);
    if (await acceptPendingRoles(tx, place, context)) return;
    // A concurrent request accepted them first, or the role is gone.
    if (!(await hasRole(tx, place, context.actor.id))) throw createForbiddenError();
  });
}

async function lockInvitedPlace(
  tx: Tx,
  { actor }: InviteeContext,
  placeId: string,
): Promise<InvitedPlace | undefined> {
  await lockPersonRow(tx, actor.id);
  const pendingRole = { userId: actor.id, pending: true };
  const membership = await tx.organizationMember.findFirst({
    where: { organizationId: placeId, ...pendingRole },
    select: { organizationId: true },
  });
  if (membership) return { organizationId: membership.organizationId, eventId: null };
  const event = await tx.event.findFirst({
    where: { id: placeId, roles: { some: pendingRole } },
    select: { id: true, organizationId: true },
  });
  return event ? { organizationId: event.organizationId, eventId: event.id } : undefined;
}

async function acceptPendingRoles(tx: Tx, place: InvitedPlace, context: InviteeContext): Promise<boolean> {
  const roles = await markRolesAccepted(tx, place, context.actor.id);
  if (roles.length === 0) return false;
  await recordOutcome(tx, place, context, { verb: "acceptInvitation", roles, state: roles[0] ?? null });
  return true;
}

/** @returns the names of the roles that were pending */
async function markRolesAccepted(
  tx: Tx,
  { organizationId, eventId }: InvitedPlace,
  userId: string,
): Promise<string[]> {
  const data = { pending: false };
  if (eventId) {
    const where = { eventId, userId, pending: true };
    const rows = await tx.eventRole.updateManyAndReturn({ where, data, select: { roleName: true } });
    return rows.map(({ roleName }) => roleName).toSorted();
  }
  const where = { organizationId, userId, pending: true };
  const rows = await tx.organizationMember.updateManyAndReturn({ where, data, select: { role: true } });
  return rows.map(({ role }) => role).toSorted();
}

/** The caller has locked the person's row. @returns the names of the roles that were pending */
async function removePendingRoles(
  tx: Tx,
  { organizationId, eventId }: InvitedPlace,
  userId: string,
): Promise<string[]> {
  if (eventId) {
    const where = { eventId, userId, pending: true };
    const rows = await tx.eventRole.findMany({ where, select: { roleName: true } });
    await tx.eventRole.deleteMany({ where });
    return rows.map(({ roleName }) => roleName).toSorted();
  }
  const where = { organizationId, userId, pending: true };
  const rows = await tx.organizationMember.findMany({ where, select: { role: true } });
  await tx.organizationMember.deleteMany({ where });
  return rows.map(({ role }) => role).toSorted();
}

async function hasRole(tx: Tx, { organizationId, eventId }: InvitedPlace, userId: string): Promise<boolean> {
  const roleCount = eventId
    ? await tx.eventRole.count({ where: { eventId, userId } })
    : await tx.organizationMember.count({ where: { organizationId, userId } });
  return roleCount > 0;
}

type InvitationOutcome = {
  verb: "acceptInvitation" | "declineInvitation";
  roles: string[];
  /** The role that the person has now, if any. */
  state: string | null;
  unassigned?: number;
};

async function recordOutcome(
  tx: Tx,
  { organizationId, eventId }: InvitedPlace,
  { actor, requestId }: InviteeContext,
  { verb, roles, state, unassigned }: InvitationOutcome,
): Promise<void> {
  const place = { actor, organizationId, eventId };
  await appendOutboxEvent(tx, buildOutboxEvent(place, "role.changed", { personIds: [actor.id], state }));
  const type = eventId ? "eventUser" : "member";
  const action: AuditAction = `${type}.${verb}`;
  await appendAuditEntry(
    tx,
    buildAuditEntry(
      { organizationId, eventId, actor, right: "self", call: { requestId } },
      action,
      { type, id: actor.id },
      { userId: actor.id, roles, ...(unassigned === undefined ? {} : { unassigned }) },
    ),
  );
}
