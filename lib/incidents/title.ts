import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { lockIncident, type LockedIncident } from "#lib/incidents/state-change.ts";
import {
  mayStillRetitle,
  readChangedIncident,
  refetchIncidentForActor,
  type IncidentRow,
  type RetitlingRole,
} from "#lib/incidents/record-queries.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { createForbiddenError } from "#lib/operation/errors.ts";
import { assertIfMatch } from "#lib/operation/if-match.ts";
import { insertOutboxEventsSql } from "#lib/jobs/append-event.ts";

/**
 * Changes a report's title; the history keeps the old one. The present title changes nothing.
 * @param role who on the team may do so, beside the reporter
 * @throws AppError FORBIDDEN when the role has been lost since, NOT_FOUND, CONFLICT when If-Match is stale
 */
export const retitleIncident = (
  context: EventActorContext,
  incidentId: string,
  { title, role }: { title: string; role: RetitlingRole },
): Promise<IncidentRow> =>
  runSqlTransaction(
    async (tx) => {
      const [before, isAllowed] = await Promise.all([
        lockIncident(tx, context, { incidentId, assignee: Prisma.sql`null::uuid` }),
        mayStillRetitle(tx, { ...context, incidentId, role }),
      ]);
      if (!isAllowed) throw createForbiddenError();
      assertIfMatch("report", context.call, before.updatedAt);
      return before;
    },
    (tx, before) =>
      title === before.title
        ? refetchIncidentForActor(tx, context, incidentId)
        : writeTitle(tx, context, { before, title }),
  );

async function writeTitle(
  tx: SqlClient,
  context: EventActorContext,
  { before, title }: { before: LockedIncident; title: string },
): Promise<IncidentRow> {
  const { actor, organizationId, eventId } = context;
  const { id: incidentId, state } = before;
  const kind = "incident.changed";
  const outboxEvent = { kind, actorId: actor.id, organizationId, eventId, incidentId, state } as const;
  const [incident] = await Promise.all([
    readChangedIncident(
      tx,
      actor,
      Prisma.sql`changed as (
        update incidents i set title = ${title}, updated_at = greatest(${before.now}::timestamptz, i.updated_at + interval '1 millisecond')
        where i.id = ${incidentId}::uuid returning i.*
      ), recorded as (
        insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
        select id, event_id, ${actor.id}::uuid, 'title', ${before.title}, ${title} from changed
      ), appended_events as (${insertOutboxEventsSql(tx, [outboxEvent])})`,
    ),
    appendAuditEntry(tx, buildAuditEntry(context, "incident.retitle", { type: "incident", id: incidentId })),
  ]);
  return incident;
}
