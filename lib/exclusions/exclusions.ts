import { clearExcludedEmailHash } from "#lib/accounts/former-exclusions.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { recordExclusionInLedger, recordExclusionLiftInLedger } from "#lib/erasures/access-changes.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, InvalidInputError, createNotFoundError } from "#lib/operation/errors.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import { TEAM_ONLY_CHANGE_KIND } from "#lib/outbox/events.ts";
import {
  canLiftExclusion,
  evaluateProposedExclusion,
  findRemainingLiftingRights,
  type ExcludedUserAndSource,
  type ExclusionContext,
  type ExclusionSource,
} from "#lib/exclusions/queries.ts";
import type { NewExclusionInput } from "#lib/exclusions/schema.ts";
import { listExcludedPersonIds } from "#lib/incidents/exclusion-queries.ts";

/**
 * Exclusions: people who must not see an incident (contract 16, docs/decisions/058). From the commit on, the incident
 * doesn't exist for them: not in lists, counts, notifications, exports, logs or streams.
 */

/**
 * Excludes a member of the response team or of the organization, an escalation contact to whom the incident was
 * referred, or a SystemAdmin. On their own report the actor does so as its reporter, otherwise as an Admin.
 * @throws InvalidInputError for anybody else, for the incident's reporter, and if too few readers would be left
 *   (contract 16.3); AppError FORBIDDEN when the role has been lost since
 */
export async function excludePersonFromIncident(
  context: ExclusionContext,
  { userId, reason }: NewExclusionInput,
): Promise<void> {
  const source = context.reporterId === context.actor.id ? "reporter" : "team";
  await hideIncident(context, { userId, reason, source });
}

/**
 * Recuses the actor, who doesn't see the incident until another Admin lifts the recusal.
 * @throws InvalidInputError on their own report, and for its last reader; AppError FORBIDDEN when the role has been lost
 *   since
 */
export const recuseActorFromIncident = (context: ExclusionContext, reason: string | null): Promise<void> =>
  hideIncident(context, { userId: context.actor.id, reason, source: "recusal" });

const AUDIT_ACTIONS = {
  reporter: "incident.exclude",
  team: "incident.exclude",
  recusal: "incident.recuse",
} as const satisfies Record<ExclusionSource, string>;

async function hideIncident(
  context: ExclusionContext,
  { userId, reason, source }: NewExclusionInput & { source: ExclusionSource },
): Promise<void> {
  const { incidentId, actor } = context;
  await runTransaction(async (tx) => {
    const referredToId = await lockAndCheck(tx, context, { userId, source });
    const excludedById = source === "team" ? actor.id : null;
    const exclusion = { source, excludedById, reason };
    const stored = await tx.incidentExclusion.upsert({
      where: { incidentId_userId: { incidentId, userId } },
      create: { incidentId, userId, ...exclusion },
      // The reporter's exclusion replaces a recusal or one by the team, because Admins may lift those.
      update: { openedUntil: null, ...(source === "reporter" && exclusion) },
      select: { source: true },
    });
    await recordExclusionInLedger(tx, { incidentId, userId }, stored.source);
    await removePersonTracesFromIncident(tx, context, userId);
    if (referredToId !== undefined) await referIncident(tx, context, referredToId);
    await appendHistory(tx, context, { action: "excluded", from: null, to: userId });
    await appendChange(tx, context);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, AUDIT_ACTIONS[source], { type: "incident", id: incidentId }, { userId }),
    );
  });
}

/**
 * Locks the incident, so that two exclusions can't both leave the last reader, and finds out whether the person can be
 * excluded.
 * @returns the escalation contact, if nobody who can read the incident remains on the team
 * @throws InvalidInputError; AppError NOT_FOUND, FORBIDDEN
 */
async function lockAndCheck(
  tx: Tx,
  context: ExclusionContext,
  request: ExcludedUserAndSource,
): Promise<string | undefined> {
  await tx.$queryRaw`select 1 from incidents where id = ${context.incidentId}::uuid for no key update`;
  if (request.source !== "recusal") await assertNotHiddenFromActor(tx, context);
  const { problem, referredToId } = await evaluateProposedExclusion(tx, context, request);
  if (problem) throw new InvalidInputError({ userId: createFieldProblem(problem) });
  return referredToId;
}

/** Refuses an actor from whom the incident was hidden in the meantime. @throws AppError NOT_FOUND */
async function assertNotHiddenFromActor(tx: Tx, { incidentId, actor }: ExclusionContext): Promise<void> {
  if ((await listExcludedPersonIds(tx, incidentId, [actor.id])).length > 0)
    throw createNotFoundError("incident");
}

/**
 * Lets the escalation contact read the incident, and notifies them the way a team is notified of a new incident.
 */
async function referIncident(tx: Tx, context: ExclusionContext, userId: string): Promise<void> {
  const { incidentId, eventId, organizationId, actor } = context;
  await tx.incidentReferral.upsert({
    where: { incidentId_userId: { incidentId, userId } },
    create: { incidentId, userId },
    update: { forReview: false },
    select: { userId: true },
  });
  await appendOutboxEvent(tx, {
    kind: "incident.created",
    actorId: actor.id,
    organizationId,
    eventId,
    incidentId,
  });
}

/** The incident of an exclusion, and its author: null for one that the service repeats after a restore. */
type TraceContext = Pick<ExclusionContext, "incidentId" | "eventId" | "organizationId"> & {
  actor: { id: string | null };
};

/**
 * Removes the person's traces on the incident: assignment, pin, unread marker and notifications, and the deliveries
 * about it to webhooks that they can read.
 */
export async function removePersonTracesFromIncident(
  tx: Tx,
  context: TraceContext,
  userId: string,
): Promise<void> {
  const { incidentId, eventId, organizationId, actor } = context;
  await tx.$executeRaw`
    with unassigned as (
      update incidents set assigned_responder_id = null,
        updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
      where id = ${incidentId}::uuid and assigned_responder_id = ${userId}::uuid returning id, updated_at
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, created_at)
    select id, ${eventId}::uuid, ${actor.id}::uuid, 'assignee', ${userId}, updated_at from unassigned`;
  const where = { incidentId, userId };
  await tx.pin.deleteMany({ where });
  await tx.unreadMarker.deleteMany({ where });
  // A person who sees the incident again later answers its conflict check again.
  await tx.conflictAnswer.deleteMany({ where });
  await tx.notification.deleteMany({ where });
  // Admins of the organization read what was sent to its webhooks.
  const isAboutIncident = { path: ["incidentId"], equals: incidentId };
  await tx.webhookDelivery.deleteMany({ where: { webhook: { organizationId }, payload: isAboutIncident } });
}

/**
 * Lifts an exclusion: the person sees the incident again, with all that happened in the meantime.
 * @throws AppError NOT_FOUND without one, FORBIDDEN when it isn't the actor's to lift, or they have lost the role since
 */
export async function liftExclusion(context: ExclusionContext, userId: string): Promise<void> {
  const { incidentId } = context;
  await runTransaction(async (tx) => {
    const [exclusion] = await tx.$queryRaw<{ source: ExclusionSource }[]>`
      select source::text as source from incident_exclusions
      where incident_id = ${incidentId}::uuid and user_id = ${userId}::uuid for update`;
    if (!exclusion) throw createNotFoundError("person");
    // The statement that waited for the lock read other tables as they were before the wait.
    await assertNotHiddenFromActor(tx, context);
    const rights = await findRemainingLiftingRights(tx, context);
    if (!canLiftExclusion(context.actor, rights, { ...exclusion, userId }))
      throw new AppError("FORBIDDEN", "exclusionNotYours");
    await recordExclusionLiftInLedger(tx, { incidentId, userId });
    await appendHistory(tx, context, { action: "exclusionLifted", from: userId, to: null });
    await appendChange(tx, context);
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "incident.liftExclusion", { type: "incident", id: incidentId }, { userId }),
    );
    await tx.incidentExclusion.delete({ where: { incidentId_userId: { incidentId, userId } } });
    await clearExcludedEmailHash(tx, incidentId, userId);
  });
}

type HistoryChange = { action: "excluded" | "exclusionLifted"; from: string | null; to: string | null };

async function appendHistory(
  tx: Tx,
  { incidentId, eventId, actor }: ExclusionContext,
  { action, from: fromValue, to: toValue }: HistoryChange,
): Promise<void> {
  const data = { incidentId, eventId, actorId: actor.id, action, fromValue, toValue };
  await tx.incidentHistory.create({ data, select: { id: true } });
}

const appendChange = (tx: Tx, { actor, organizationId, eventId, incidentId }: ExclusionContext) =>
  appendOutboxEvent(tx, {
    kind: TEAM_ONLY_CHANGE_KIND,
    actorId: actor.id,
    organizationId,
    eventId,
    incidentId,
  });
