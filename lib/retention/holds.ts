import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { isStillOnEventTeam } from "#lib/events/held-roles-queries.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import {
  AppError,
  createForbiddenError,
  InvalidInputError,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import { canAnotherTeamMemberReleaseHold } from "./queries.ts";
import type { NewRetentionHoldInput } from "./schema.ts";

type IncidentContext = OperationContext<IncidentWithoutContentPermissionSubject, Actor>;

/**
 * Sets a hold: the incident isn't deleted until somebody else on the team releases it. If there is one already, changes
 * its reason and day of review; its author stays the same.
 * @throws InvalidInputError unless the day of review is in the future; AppError NOT_FOUND
 */
export async function setHold(
  context: IncidentContext,
  { reason, reviewOn }: NewRetentionHoldInput,
): Promise<void> {
  if (reviewOn <= new Date().toISOString().slice(0, 10))
    throw new InvalidInputError({ reviewOn: createFieldProblem("mustBeInFuture") });
  const { actor, incidentId } = context;
  await runTransaction(async (tx) => {
    const holder = await lockHold(tx, context);
    const changed = { reason, reviewOn: new Date(reviewOn) };
    const hold = { ...changed, heldById: actor.id, heldAt: new Date() };
    const where = { incidentId };
    if (holder) await tx.incidentRetention.update({ where, data: changed });
    else await tx.incidentRetention.upsert({ where, create: { incidentId, ...hold }, update: hold });
    await recordHold(tx, context, {
      action: "incident.hold",
      data: { reviewOn, again: holder !== undefined },
    });
  });
}

/**
 * Releases a hold; nothing is deleted within the next 30 days. Whoever set it can't release it, unless nobody else on
 * the event's team could (`canAnotherTeamMemberReleaseHold`).
 * @throws AppError NOT_FOUND without a hold, FORBIDDEN for whoever set it
 */
export async function releaseHold(context: IncidentContext): Promise<void> {
  const { actor, incidentId, eventId } = context;
  await runTransaction(async (tx) => {
    const holder = await lockHold(tx, context);
    if (!holder) throw createNotFoundError("hold");
    const isAlone = holder.userId === actor.id;
    if (isAlone && (await canAnotherTeamMemberReleaseHold(tx, { eventId, incidentId }, actor.id)))
      throw new AppError("FORBIDDEN", "holdReleasedByAnother");
    await tx.incidentRetention.update({
      where: { incidentId },
      data: { heldById: null, heldAt: null, reason: null, reviewOn: null, releasedAt: new Date() },
    });
    await recordHold(tx, context, { action: "incident.releaseHold", data: { alone: isAlone } });
  });
}

/**
 * Locks the incident, so that it isn't deleted in the meantime, and returns who set the hold on it, if there is one.
 * @throws AppError FORBIDDEN for somebody who has left the team since
 */
async function lockHold(
  tx: Tx,
  { actor, eventId, incidentId }: IncidentContext,
): Promise<{ userId: string | null } | undefined> {
  // A statement that waits for the lock reads other tables as they were before; so the hold is read by the next one.
  if (!(await lockRow(tx, { table: "incidents", id: incidentId }))) throw createNotFoundError("incident");
  if (!(await isStillOnEventTeam(tx, actor, eventId))) throw createForbiddenError();
  const hold = await tx.incidentRetention.findUnique({
    where: { incidentId, heldAt: { not: null } },
    select: { heldById: true },
  });
  return hold ? { userId: hold.heldById } : undefined;
}

type HoldRecord = { action: AuditAction; data: Record<string, string | boolean> };

/** Records the change without the hold's reason, which may name people. */
async function recordHold(tx: Tx, context: IncidentContext, { action, data }: HoldRecord): Promise<void> {
  const object = { type: "incident", id: context.incidentId };
  await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
  await appendAuditEntry(tx, buildAuditEntry(context, action, object, data));
}
