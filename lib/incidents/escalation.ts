import { runTransaction } from "#lib/database/client.ts";
import { nextUpdatedAtSql } from "#lib/database/next-updated-at-sql.ts";
import { DEADLINE_LENGTH_LABEL_SQL, LACKS_DEADLINE_HISTORY_ENTRY_SQL } from "#lib/incidents/deadline-sql.ts";
import { appendOutboxEvents } from "#lib/jobs/append-event.ts";

/**
 * Escalates reports without a first response within their event's deadline (contract 7.11) and appends an outbox event
 * for each. An urgent report is escalated from the start; when its deadline passes, it too gets a history entry and an
 * outbox event, once. A job calls this function every few minutes.
 * @returns how many reports were escalated
 */
export async function escalateOverdueIncidents(): Promise<number> {
  type OverdueIncident = { incidentId: string; eventId: string; organizationId: string };
  return runTransaction(async (tx) => {
    const overdueIncidents = await tx.$queryRaw<OverdueIncident[]>`
      with overdue as (
        update incidents i set escalated_at = coalesce(escalated_at, date_trunc('milliseconds', clock_timestamp())),
          updated_at = ${nextUpdatedAtSql()}
        where due_for = 'acknowledge' and due_at < now() and ${LACKS_DEADLINE_HISTORY_ENTRY_SQL}
        returning id, event_id, updated_at, ${DEADLINE_LENGTH_LABEL_SQL} as length
      ), recorded as (
        insert into incident_history (incident_id, event_id, action, to_value, created_at)
        select id, event_id, 'deadline', length, updated_at from overdue
      )
      select o.id as "incidentId", o.event_id as "eventId", e.organization_id as "organizationId"
      from overdue o join events e on e.id = o.event_id`;
    await appendOutboxEvents(
      tx,
      overdueIncidents.map((incident) => ({ kind: "incident.escalated", actorId: null, ...incident })),
    );
    return overdueIncidents.length;
  });
}
