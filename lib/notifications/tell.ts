import { randomUUID } from "node:crypto";
import { enqueue, enqueueAll } from "#lib/jobs/enqueue.ts";
import type { Sql } from "#lib/sql.ts";
import type { Fact } from "./facts.ts";

/**
 * Tells what happened, inside the transaction in which it did: a job then writes the notifications, wakes the
 * live streams and feeds the webhooks (rulings R7). It must not follow the audit entry, which ends a transaction.
 */
export async function tell(tx: Sql, fact: Fact): Promise<void> {
  await enqueue(tx, "tell", { ...fact, cause: randomUUID(), at: new Date().toISOString() });
}

/** Tells of several things at once, in one statement; otherwise as `tell`. */
export async function tellAll(tx: Sql, facts: Fact[]): Promise<void> {
  const at = new Date().toISOString();
  await enqueueAll(
    tx,
    "tell",
    facts.map((fact) => ({ ...fact, cause: randomUUID(), at })),
  );
}
