import { runAfterCommit } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { OutboxEvent } from "./outbox-events.ts";
import { notifyLocalOutboxDispatcher } from "./wakeup.ts";

/**
 * Appends an outbox event inside the transaction of the change. The dispatcher then writes notifications, publishes to
 * live streams and queues webhook deliveries (contract 11, docs/decisions/019).
 */
export const appendOutboxEvent = (tx: SqlClient, event: OutboxEvent): Promise<void> =>
  appendOutboxEvents(tx, [event]);

/** Appends several events in one statement; otherwise like `appendOutboxEvent`. */
export async function appendOutboxEvents(tx: SqlClient, events: OutboxEvent[]): Promise<void> {
  if (events.length > 0) await tx.$executeRaw(insertOutboxEventsSql(tx, events));
}

/**
 * Builds the statement that inserts the events, and has the dispatcher of this process notified after the commit.
 * Another statement may contain the insert as a common table expression (`with appended_events as (…)`), which saves a
 * round trip.
 */
export function insertOutboxEventsSql(tx: SqlClient, events: OutboxEvent[]): Prisma.Sql {
  runAfterCommit(tx, notifyLocalOutboxDispatcher);
  return Prisma.sql`
    insert into outbox_events (kind, actor_id, organization_id, event_id, incident_id, person_ids, state)
    select e.kind, e."actorId", e."organizationId", e."eventId", e."incidentId", coalesce(e."personIds", '{}'), e.state
    from json_to_recordset(${JSON.stringify(events)}::json) as e(kind text, "actorId" uuid, "organizationId" uuid,
      "eventId" uuid, "incidentId" uuid, "personIds" uuid[], state text)`;
}
