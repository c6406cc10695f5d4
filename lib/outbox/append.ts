import { afterCommit } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Sql } from "#lib/database/sql.ts";
import type { Fact } from "./events.ts";
import { wakeTeller } from "./wake.ts";

/**
 * Tells what happened, inside the transaction in which it did: the teller then writes the notifications, wakes the
 * live streams and feeds the webhooks (contract 11, docs/decisions/019). It must not follow the audit entry, which
 * ends a transaction.
 */
export const tell = (tx: Sql, fact: Fact): Promise<void> => tellAll(tx, [fact]);

/** Tells of several things at once, in one statement; otherwise as `tell`. */
export async function tellAll(tx: Sql, facts: Fact[]): Promise<void> {
  if (facts.length > 0) await tx.$executeRaw(telling(tx, facts));
}

/** The same as a part (`with told as (…)`) of another statement of the transaction, which saves one. */
export function telling(tx: Sql, facts: Fact[]): Prisma.Sql {
  afterCommit(tx, wakeTeller);
  return Prisma.sql`
    insert into untold_facts (kind, actor_id, organization_id, event_id, incident_id, person_ids, state)
    select f.kind, f."actorId", f."organizationId", f."eventId", f."incidentId", coalesce(f."personIds", '{}'), f.state
    from json_to_recordset(${JSON.stringify(facts)}::json) as f(kind text, "actorId" uuid, "organizationId" uuid,
      "eventId" uuid, "incidentId" uuid, "personIds" uuid[], state text)`;
}
