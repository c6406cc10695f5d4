import { lockRow } from "#lib/database/row-lock.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { computeNextUpdatedAt } from "#lib/database/next-updated-at-sql.ts";
import type { Incident } from "#lib/generated/prisma/client.ts";
import { findActorConflictCheckFlags } from "#lib/readers/conflict-queries.ts";
import { stepOutOfIncident } from "#lib/readers/hiding.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { listHiddenFromPersonIds } from "#lib/access/readers-queries.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";
import type { NewConflictAnswerInput, ReportedPersonNameInput } from "#lib/readers/schema.ts";

/** The conflict check of an incident (contract 16.9, docs/decisions/058). */

type IncidentContext = OperationContext<IncidentWithoutContentPermissionSubject, Actor>;

/**
 * Stores the actor's answer to the conflict check. `none` and `soft` open the incident for them. `hard` steps out for them,
 * until another Admin lets them in. No reason is asked for.
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
    await appendChange(tx, context);
    await appendEntry(tx, context, { action: "incident.answerConflictCheck", data: { answer } });
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
    const { reportedPersonName, updatedAt } = await lockIncident(tx, context);
    if (reportedPersonName === name) return;
    const changed = { reportedPersonName: name, updatedAt: computeNextUpdatedAt(updatedAt) };
    await tx.incident.update({ where: { id: incidentId }, data: changed, select: { id: true } });
    const entry = { action: "reportedPerson", fromValue: reportedPersonName, toValue: name };
    await appendHistoryEntry(tx, context, entry);
    await appendChange(tx, context);
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
 * Locks the incident, as hiding does, and then reads whether the actor may still see it and whether the conflict
 * check asks them.
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
async function lockIncident(
  tx: Tx,
  { incidentId, eventId, actor }: IncidentContext,
): Promise<Pick<Incident, "reportedPersonName" | "updatedAt"> & { isChecked: boolean }> {
  const columns = ["reportedPersonName", "updatedAt"] as const;
  const incident = await lockRow(tx, { table: "incidents", id: incidentId }, columns);
  const row = await findActorConflictCheckFlags(tx, incidentId, { actor, eventId });
  if (!incident || !row || (await listHiddenFromPersonIds(tx, incidentId, [actor.id])).length > 0)
    throw createNotFoundError("incident");
  if (!row.onTeam) throw createForbiddenError();
  return { ...incident, isChecked: row.isChecked };
}

const appendChange = (tx: Tx, context: IncidentContext) =>
  appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));

type ConflictEntry = { action: AuditAction; data?: Record<string, string> };

const appendEntry = (tx: Tx, context: IncidentContext, { action, data }: ConflictEntry) =>
  appendAuditEntry(tx, buildAuditEntry(context, action, { type: "incident", id: context.incidentId }, data));
