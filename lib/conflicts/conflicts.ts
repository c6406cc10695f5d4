import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  findActorConflictCheckFlags,
  findActorBypassReviewRightAndInviters,
} from "#lib/conflicts/queries.ts";
import { recuseActorFromIncident } from "#lib/exclusions/exclusions.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { listExcludedPersonIds } from "#lib/incidents/exclusion-queries.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import { CONFLICT_BYPASS_REVIEW_REQUESTED_KIND, TEAM_ONLY_CHANGE_KIND } from "#lib/outbox/events.ts";
import type {
  NewConflictCheckBypassInput,
  NewConflictAnswerInput,
  ReportedPersonNameInput,
} from "#lib/conflicts/schema.ts";

/** The conflict check of an incident (contract 18, docs/decisions/065). */

type IncidentContext = OperationContext<IncidentWithoutContentPermissionSubject, Actor>;

/**
 * Stores the actor's answer to the conflict check. `none` and `soft` open the incident for them. `hard` recuses them,
 * which only another Admin can lift. No reason is asked for.
 * @throws InvalidInputError for a hard conflict of the last reader; AppError INVALID_STATE_TRANSITION where the
 *   conflict check doesn't ask the actor, FORBIDDEN when the role has been lost since
 */
export async function answerConflictCheck(
  context: IncidentContext,
  { answer }: NewConflictAnswerInput,
): Promise<void> {
  const { incidentId, actor } = context;
  if (answer === "hard") {
    await runTransaction((tx) => lockCheckedIncident(tx, context));
    return recuseActorFromIncident(context, null);
  }
  await runTransaction(async (tx) => {
    await lockCheckedIncident(tx, context);
    await tx.conflictAnswer.upsert({
      where: { incidentId_userId: { incidentId, userId: actor.id } },
      create: { incidentId, userId: actor.id, answer },
      update: { answer, answeredAt: new Date() },
      select: { userId: true },
    });
    await appendChange(tx, context, TEAM_ONLY_CHANGE_KIND);
    await appendEntry(tx, context, { action: "incident.answerConflictCheck", data: { answer } });
  });
}

/**
 * Opens the incident for the actor although they haven't answered its conflict check. The reason is in the access log
 * only; the team is asked to review it.
 * @throws AppError INVALID_STATE_TRANSITION where the actor has opened it already, FORBIDDEN when the role has been
 *   lost since
 */
export async function bypassConflictCheck(
  context: IncidentContext,
  { reason }: NewConflictCheckBypassInput,
): Promise<void> {
  const { incidentId, eventId, actor, right } = context;
  await runTransaction(async (tx) => {
    await lockCheckedIncident(tx, context);
    const opened = await tx.$executeRaw`
      with answer as (
        insert into conflict_answers (incident_id, user_id) values (${incidentId}::uuid, ${actor.id}::uuid)
        on conflict do nothing returning incident_id, user_id
      ), access_entry as (
        insert into incident_access (incident_id, event_id, actor_id, kind, by_right, reason, at)
        select incident_id, ${eventId}::uuid, user_id, 'bypass', ${right}, ${reason}, now() from answer
      )
      insert into conflict_bypasses (incident_id, user_id, at) select incident_id, user_id, now() from answer`;
    if (opened === 0) throw createNoCheckError();
    await appendChange(tx, context, CONFLICT_BYPASS_REVIEW_REQUESTED_KIND);
    await appendEntry(tx, context, { action: "incident.bypassConflictCheck" });
  });
}

/**
 * Records that the actor has reviewed a bypass: why somebody opened the incident without answering the conflict check.
 * A second review by the same person changes nothing.
 * @throws AppError NOT_FOUND; FORBIDDEN when the role has been lost since, when the actor has bypassed this incident's
 *   check, and when somebody who has bypassed it brought the actor in, over any number of steps
 */
export async function reviewBypass(context: IncidentContext & { bypassId: string }): Promise<void> {
  const { incidentId, eventId, bypassId, actor } = context;
  await runTransaction(async (tx) => {
    await lockIncident(tx, context, ({ onTeam, isReviewer }) => onTeam || isReviewer);
    const bypass = await tx.conflictBypass.findFirst({
      where: { id: bypassId, incidentId },
      select: { id: true },
    });
    if (!bypass) throw createNotFoundError("incident");
    const { reviewerBehindIds, mayReview } = await findActorBypassReviewRightAndInviters(tx, {
      incidentId,
      eventId,
      actor,
    });
    if (!mayReview) throw new AppError("FORBIDDEN", "bypassReviewedByOthers");
    const added = await tx.conflictReview.createMany({
      data: { bypassId, reviewerId: actor.id, reviewerBehindIds },
      skipDuplicates: true,
    });
    if (added.count === 0) return;
    await appendChange(tx, context, TEAM_ONLY_CHANGE_KIND);
    await appendEntry(tx, context, { action: "incident.reviewBypass" });
  });
}

/**
 * Changes the name of the person whom the report is about. People see that name before they answer the conflict check.
 * @throws AppError FORBIDDEN
 */
export async function saveReportedPersonName(
  context: IncidentContext,
  { name }: ReportedPersonNameInput,
): Promise<void> {
  const { incidentId } = context;
  await runTransaction(async (tx) => {
    await lockIncident(tx, context);
    await tx.$executeRaw`
      update incidents set reported_person_name = ${name},
        updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')
      where id = ${incidentId}::uuid`;
    await appendChange(tx, context, TEAM_ONLY_CHANGE_KIND);
    await appendEntry(tx, context, { action: "incident.nameReported" });
  });
}

/**
 * Answers the conflict check of an intake with "none" for its taker, in the transaction that files the report, so that
 * they aren't asked.
 */
export const recordNoConflictOfIntakeTaker = (
  tx: Pick<SqlClient, "$executeRaw">,
  incidentId: string,
  userId: string,
): Promise<number> => tx.$executeRaw`
  insert into conflict_answers (incident_id, user_id, answer)
  select i.id, ${userId}::uuid, 'none'::conflict_degree from incidents i
  where i.id = ${incidentId}::uuid and i.conflict_check`;

/** Locks the incident and checks that its conflict check asks the actor. @throws AppError */
async function lockCheckedIncident(tx: Tx, context: IncidentContext): Promise<void> {
  const { isChecked } = await lockIncident(tx, context);
  if (!isChecked) throw createNoCheckError();
}

const createNoCheckError = () => new AppError("INVALID_STATE_TRANSITION", "noConflictCheck");

/**
 * Locks the incident, as exclusions do, and then reads whether the actor may still see it and whether the conflict
 * check asks them.
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
async function lockIncident(
  tx: Tx,
  { incidentId, eventId, actor }: IncidentContext,
  isAllowed = ({ onTeam }: { onTeam: boolean; isReviewer: boolean }) => onTeam,
): Promise<{ isChecked: boolean }> {
  await tx.$queryRaw`select 1 from incidents where id = ${incidentId}::uuid for no key update`;
  const row = await findActorConflictCheckFlags(tx, incidentId, { actor, eventId });
  if (!row || (await listExcludedPersonIds(tx, incidentId, [actor.id])).length > 0)
    throw createNotFoundError("incident");
  if (!isAllowed(row)) throw createForbiddenError();
  return row;
}

const appendChange = (
  tx: Tx,
  { actor, organizationId, eventId, incidentId }: IncidentContext,
  kind: typeof TEAM_ONLY_CHANGE_KIND | typeof CONFLICT_BYPASS_REVIEW_REQUESTED_KIND,
) => appendOutboxEvent(tx, { kind, actorId: actor.id, organizationId, eventId, incidentId });

type ConflictEntry = { action: AuditAction; data?: Record<string, string> };

const appendEntry = (tx: Tx, context: IncidentContext, { action, data }: ConflictEntry) =>
  appendAuditEntry(tx, buildAuditEntry(context, action, { type: "incident", id: context.incidentId }, data));
