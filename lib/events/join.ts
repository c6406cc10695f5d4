import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { findEventReportingStatus } from "#lib/events/join-queries.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor, EventRole } from "#lib/operation/policy.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, type OutboxEvent } from "#lib/jobs/outbox-events.ts";

/** Joining an event as a Reporter, where the event accepts reports from anyone with an account (contract 6.7). */

/** The role of somebody who joins, also with their first report. */
export const EVENT_JOINER_ROLE = "Reporter" satisfies EventRole;

/**
 * Makes the caller a Reporter of the event. Somebody who has a role there already keeps it.
 * @returns the roles that they have now
 * @throws AppError FORBIDDEN where people join by invite only, or the event is over; EVENT_NOT_OPEN
 */
export async function joinAsReporter(
  context: OperationContext<EventPermissionSubject, Actor>,
): Promise<EventRole[]> {
  const { actor, eventId } = context;
  return runTransaction(async (tx) => {
    await lockPersonRow(tx, actor.id);
    const held = await tx.eventRole.findMany({
      where: { eventId, userId: actor.id },
      orderBy: { roleName: "asc" },
      select: { roleName: true },
    });
    if (held.length > 0) return held.map(({ roleName }) => roleName);
    const { hasReader } = await assertAnyAccountCanReport(eventId, tx);
    if (!hasReader) throw createEventNotOpenError();
    await tx.eventRole.create({
      data: { eventId, userId: actor.id, roleName: EVENT_JOINER_ROLE },
      select: { id: true },
    });
    await appendOutboxEvent(tx, buildJoinOutboxEvent(context));
    await appendAuditEntry(tx, buildJoinAuditEntry(context));
    return [EVENT_JOINER_ROLE];
  });
}

/**
 * Checks that somebody without a role may report at the event. In a transaction, the answer holds until the commit.
 * @returns whether anybody can read a report now, which the statement that stores one checks
 * @throws AppError FORBIDDEN, which says why not; NOT_FOUND when the event has been deleted since
 */
export async function assertAnyAccountCanReport(
  eventId: string,
  client: SqlClient = sql,
): Promise<{ hasReader: boolean }> {
  const event = await findEventReportingStatus(client, eventId, { locks: client !== sql });
  if (!event) throw createNotFoundError("event");
  if (!event.open) throw new AppError("FORBIDDEN", "reportingByInvite");
  if (!event.isActive) throw new AppError("FORBIDDEN", "reportingByMembers");
  return { hasReader: event.hasReader };
}

/** The error for a report, or for joining, at an event whose reports nobody can read (contract 6.10). */
export const createEventNotOpenError = (): AppError => new AppError("EVENT_NOT_OPEN", "eventNotOpen");

type Joining = Pick<OperationContext<EventPermissionSubject, Actor>, "actor" | "eventId" | "organizationId">;

export const buildJoinOutboxEvent = ({ actor, organizationId, eventId }: Joining): OutboxEvent =>
  buildOutboxEvent({ actor, organizationId, eventId }, "role.changed", {
    personIds: [actor.id],
    state: EVENT_JOINER_ROLE,
  });

export const buildJoinAuditEntry = (
  context: Joining & Pick<OperationContext<EventPermissionSubject, Actor>, "right" | "call">,
) =>
  // Names nobody but its actor, whom the log hides from admins who may not learn who reports (contract 12.4).
  buildAuditEntry(context, "event.join", { type: "event", id: context.eventId }, { role: EVENT_JOINER_ROLE });
