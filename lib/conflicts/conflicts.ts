import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { EMERGENCY_HOURS } from "#lib/access/hidden-sql.ts";
import { findActorConflictCheckFlags } from "#lib/conflicts/queries.ts";
import { stepOutOfIncident } from "#lib/readers/hiding.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { listExcludedPersonIds } from "#lib/incidents/exclusion-queries.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import { CONFLICT_CHECK_BYPASSED_KIND, TEAM_ONLY_CHANGE_KIND } from "#lib/outbox/events.ts";
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
    return stepOutOfIncident(context, null);
  }
  await runTransaction(async (tx) => {
    await lockCheckedIncident(tx, context);
    const answered = { access: "full", answer, createdAt: new Date() } as const;
    await tx.incidentReader.upsert({
      where: { incidentId_userId: { incidentId, userId: actor.id } },
      create: { incidentId, userId: actor.id, source: "answer", ...answered },
      update: { ...answered, openedUntil: null },
      select: { userId: true },
    });
    await appendChange(tx, context, TEAM_ONLY_CHANGE_KIND);
    await appendEntry(tx, context, { action: "incident.answerConflictCheck", data: { answer } });
  });
}

/**
 * Opens the incident for the actor for 24 hours although they haven't answered its conflict check. The reason is in the
 * access log only; the team and the reporter are notified.
 * @throws AppError INVALID_STATE_TRANSITION where it is open to the actor, FORBIDDEN when the role has been lost since
 */
export async function bypassConflictCheck(
  context: IncidentContext,
  { reason }: NewConflictCheckBypassInput,
): Promise<void> {
  const { incidentId, eventId, actor, right } = context;
  await runTransaction(async (tx) => {
    await lockCheckedIncident(tx, context);
    const opened = await tx.$executeRaw`
      with opened as (
        insert into incident_readers as x (incident_id, user_id, access, source, opened_until)
        values (${incidentId}::uuid, ${actor.id}::uuid, 'ask', 'emergency', now() + make_interval(hours => ${EMERGENCY_HOURS}::int))
        on conflict (incident_id, user_id) do update set opened_until = excluded.opened_until
          where x.access = 'ask' and (x.opened_until is null or x.opened_until <= now())
        returning incident_id, user_id
      )
      insert into incident_access (incident_id, event_id, actor_id, kind, by_right, reason)
      select incident_id, ${eventId}::uuid, user_id, 'bypass', ${right}, ${reason} from opened`;
    if (opened === 0) throw createNoCheckError();
    await appendChange(tx, context, CONFLICT_CHECK_BYPASSED_KIND);
    await appendEntry(tx, context, { action: "incident.bypassConflictCheck" });
  });
}

/**
 * Changes the name of the person whom the report is about, which people see before they answer the conflict check; the
 * history has the old one.
 * @throws AppError FORBIDDEN
 */
export async function saveReportedPersonName(
  context: IncidentContext,
  { name }: ReportedPersonNameInput,
): Promise<void> {
  const { incidentId } = context;
  await runTransaction(async (tx) => {
    await lockIncident(tx, context);
    const changed = await tx.$executeRaw`
      with before as (select id, event_id, reported_person_name as name from incidents where id = ${incidentId}::uuid), changed as (
        update incidents i set reported_person_name = ${name},
          updated_at = greatest(date_trunc('milliseconds', clock_timestamp()), i.updated_at + interval '1 millisecond')
        from before b where i.id = b.id and b.name is distinct from ${name}
        returning i.id
      )
      insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
      select b.id, b.event_id, ${context.actor.id}::uuid, 'reportedPerson', b.name, ${name}
      from before b join changed c on c.id = b.id`;
    if (changed === 0) return;
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
  insert into incident_readers as x (incident_id, user_id, access, source, answer)
  select i.id, ${userId}::uuid, 'full', 'answer', 'none'::conflict_degree from incidents i
  where i.id = ${incidentId}::uuid and i.conflict_check
  on conflict (incident_id, user_id) do update
    set access = excluded.access, answer = excluded.answer, created_at = excluded.created_at where x.access = 'ask'`;

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
): Promise<{ isChecked: boolean }> {
  await tx.$queryRaw`select 1 from incidents where id = ${incidentId}::uuid for no key update`;
  const row = await findActorConflictCheckFlags(tx, incidentId, { actor, eventId });
  if (!row || (await listExcludedPersonIds(tx, incidentId, [actor.id])).length > 0)
    throw createNotFoundError("incident");
  if (!row.onTeam) throw createForbiddenError();
  return row;
}

const appendChange = (
  tx: Tx,
  { actor, organizationId, eventId, incidentId }: IncidentContext,
  kind: typeof TEAM_ONLY_CHANGE_KIND | typeof CONFLICT_CHECK_BYPASSED_KIND,
) => appendOutboxEvent(tx, { kind, actorId: actor.id, organizationId, eventId, incidentId });

type ConflictEntry = { action: AuditAction; data?: Record<string, string> };

const appendEntry = (tx: Tx, context: IncidentContext, { action, data }: ConflictEntry) =>
  appendAuditEntry(tx, buildAuditEntry(context, action, { type: "incident", id: context.incidentId }, data));
