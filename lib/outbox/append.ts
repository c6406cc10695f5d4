import { afterCommit } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { OutboxEvent } from "./events.ts";
import { wakeDispatcher } from "./wake.ts";

/**
 * Tells what happened, inside the transaction in which it did: the teller then writes the notifications, wakes the
 * live streams and feeds the webhooks (contract 11, docs/decisions/019). It must not follow the audit entry, which
 * ends a transaction.
 */
export const appendOutboxEvent = (tx: SqlClient, event: OutboxEvent): Promise<void> =>
  appendOutboxEvents(tx, [event]);

/** Tells of several things at once, in one statement; otherwise as `tell`. */
export async function appendOutboxEvents(tx: SqlClient, events: OutboxEvent[]): Promise<void> {
  if (events.length > 0) await tx.$executeRaw(appendOutboxEventsSql(tx, events));
}

/** The same as a part (`with told as (…)`) of another statement of the transaction, which saves one. */
export function appendOutboxEventsSql(tx: SqlClient, events: OutboxEvent[]): Prisma.Sql {
  afterCommit(tx, wakeDispatcher);
  return Prisma.sql`
    insert into untold_facts (kind, actor_id, organization_id, event_id, incident_id, person_ids, state)
    select f.kind, f."actorId", f."organizationId", f."eventId", f."incidentId", coalesce(f."personIds", '{}'), f.state
    from json_to_recordset(${JSON.stringify(events)}::json) as f(kind text, "actorId" uuid, "organizationId" uuid,
      "eventId" uuid, "incidentId" uuid, "personIds" uuid[], state text)`;
}
