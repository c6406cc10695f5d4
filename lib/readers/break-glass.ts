import { assertAndLockSystemAdmin } from "#lib/accounts/system-admin-lock.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { findEventIdOfIncident } from "#lib/readers/queries.ts";
import type { BreakGlassOpeningInput } from "#lib/readers/schema.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { EMERGENCY_HOURS, isReaderNowSql } from "#lib/access/hidden-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { createDenialError, hasSystemAdminAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import { TEAM_ONLY_CHANGE_KIND } from "#lib/outbox/events.ts";

type OpenedIncident = { eventId: string; organizationId: string; eventSlug: string; openedUntil: Date };

/**
 * Lets a SystemAdmin see an incident that is hidden from them, for a day. The reason is in the incident's access log,
 * which its team reads; its history tells team and reporter that it was opened (contract 16.5).
 * @throws AppError NOT_FOUND unless the incident is hidden from the actor, FORBIDDEN when the role has been lost since,
 *   SECOND_FACTOR_REQUIRED where the organization is closed to them
 */
export async function breakGlass(
  { actor, right, call }: OperationContext<object, Actor>,
  { incidentId, reason }: BreakGlassOpeningInput,
): Promise<OpenedIncident & { incidentId: string }> {
  const opened = await runSqlTransaction(async (tx) => {
    await assertAndLockSystemAdmin(tx, actor);
    await assertOrganizationOpen(tx, actor, incidentId);
    const row = await openForADay(tx, { actorId: actor.id, right, incidentId, reason });
    const { eventId, organizationId } = row;
    await appendOutboxEvent(tx, {
      kind: TEAM_ONLY_CHANGE_KIND,
      actorId: actor.id,
      organizationId,
      eventId,
      incidentId,
    });
    await appendAuditEntry(
      tx,
      buildAuditEntry({ eventId, actor, right, call }, "incident.breakGlass", {
        type: "incident",
        id: incidentId,
      }),
    );
    return row;
  });
  return { ...opened, incidentId };
}

/**
 * Refuses a SystemAdmin without the second factor that the organization of an incident requires, whether or not the
 * incident is hidden from them: they could otherwise find that out without leaving a trace.
 * @throws AppError SECOND_FACTOR_REQUIRED
 */
async function assertOrganizationOpen(tx: SqlClient, actor: Actor, incidentId: string): Promise<void> {
  const eventId = await findEventIdOfIncident(tx, incidentId);
  if (eventId !== undefined && !hasSystemAdminAccessToEvent(actor, eventId))
    throw createDenialError(actor, { eventId });
}

type Opening = { actorId: string; right: string; incidentId: string; reason: string };

/** Opens the incident for a day, and records who did so in the access log and the history. */
async function openForADay(
  tx: SqlClient,
  { actorId, right, incidentId, reason }: Opening,
): Promise<OpenedIncident> {
  const [row] = await tx.$queryRaw<(Omit<OpenedIncident, "openedUntil"> & { openedUntil: Date | null })[]>`
    with opened as (
      insert into incident_readers as x (incident_id, user_id, access, source, opened_until)
      select i.id, ${actorId}::uuid, 'none', 'emergency', now() + make_interval(hours => ${EMERGENCY_HOURS}::int)
      from incidents i where i.id = ${incidentId}::uuid and not ${isReaderNowSql(Prisma.sql`${actorId}::uuid`)}
      on conflict (incident_id, user_id) do update set opened_until = excluded.opened_until
      returning incident_id, opened_until
    ), place as (
      select o.opened_until, i.id, i.event_id, e.organization_id, e.slug
      from opened o join incidents i on i.id = o.incident_id join events e on e.id = i.event_id
    ), access_entry as (
      insert into incident_access (incident_id, event_id, actor_id, kind, by_right, reason)
      select id, event_id, ${actorId}::uuid, 'breakGlass', ${right}, ${reason} from place
    ), history_entry as (
      insert into incident_history (incident_id, event_id, actor_id, action)
      select id, event_id, ${actorId}::uuid, 'breakGlass' from place
    )
    select event_id as "eventId", organization_id as "organizationId", slug as "eventSlug", opened_until as "openedUntil" from place`;
  if (!row?.openedUntil) throw createNotFoundError("incident");
  return { ...row, openedUntil: row.openedUntil };
}
