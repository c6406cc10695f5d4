import { lockRow } from "#lib/database/row-lock.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { EMERGENCY_HOURS, isReaderSql } from "#lib/access/readers-sql.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, OPENED_IN_EMERGENCY_KIND } from "#lib/jobs/outbox-events.ts";
import { findAccessOfActor } from "#lib/readers/emergency-queries.ts";
import type { EmergencyInput } from "#lib/readers/schema.ts";

type EmergencyContext = OperationContext<IncidentWithoutContentPermissionSubject, Actor>;

/**
 * Opens an incident for 24 hours to somebody on its team who hasn't answered its conflict check, or to a SystemAdmin from
 * whom it is hidden (contract 16.5). It changes nothing else about who reads. The team and the reporter are notified, and
 * its history tells them; the reason stands in the access log, for the team.
 * @returns until when it is open
 * @throws AppError NOT_FOUND where it is hidden from anybody else, INVALID_STATE_TRANSITION where it is open to the actor,
 *   FORBIDDEN when the role has been lost since
 */
export async function openInEmergency(
  context: EmergencyContext,
  { reason }: EmergencyInput,
): Promise<{ openedUntil: Date }> {
  const { incidentId, eventId, actor, right } = context;
  return runTransaction(async (tx) => {
    await assertClosedToActor(tx, context);
    const { openedUntil } = await openForActor(tx, context);
    const entry = { incidentId, eventId, actorId: actor.id };
    await tx.incidentAccess.create({ data: { ...entry, kind: "emergency", byRight: right, reason } });
    await appendHistoryEntry(tx, context, { action: "emergency" });
    await appendOutboxEvent(tx, buildOutboxEvent(context, OPENED_IN_EMERGENCY_KIND));
    const object = { type: "incident", id: incidentId } as const;
    await appendAuditEntry(tx, buildAuditEntry(context, "incident.openInEmergency", object));
    return { openedUntil };
  });
}

/** Locks the incident, and checks that it is closed to the actor, who may open it. @throws AppError */
async function assertClosedToActor(tx: Tx, context: EmergencyContext): Promise<void> {
  await lockRow(tx, { table: "incidents", id: context.incidentId });
  // Whoever takes the system role away closes what is open by then.
  await lockRow(tx, { table: "users", id: context.actor.id, strength: "share" });
  const access = await findAccessOfActor(tx, context);
  if (!access || !(access.isReader || access.isSystemAdmin)) throw createNotFoundError("incident");
  if (!access.onTeam) throw createForbiddenError();
  if (access.isReader && !access.isUnopened) throw new AppError("INVALID_STATE_TRANSITION", "alreadyOpen");
}

/** Opens the incident in the actor's row, which goes on saying what they may read otherwise. */
async function openForActor(tx: Tx, { incidentId, actor }: EmergencyContext): Promise<{ openedUntil: Date }> {
  const [row] = await tx.$queryRaw<{ openedUntil: Date | null }[]>`
    insert into incident_readers as x (incident_id, user_id, access, source, opened_until)
    select i.id, ${actor.id}::uuid, case when ${isReaderSql(Prisma.sql`${actor.id}::uuid`)} then 'ask' else 'none' end::reader_access,
      'emergency', now() + make_interval(hours => ${EMERGENCY_HOURS}::int)
    from incidents i where i.id = ${incidentId}::uuid
    on conflict (incident_id, user_id) do update set opened_until = excluded.opened_until
    returning opened_until as "openedUntil"`;
  if (!row?.openedUntil) throw createNotFoundError("incident");
  return { openedUntil: row.openedUntil };
}
