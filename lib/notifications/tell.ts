import { randomUUID } from "node:crypto";
import type { Tx } from "#lib/db.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import type { Fact } from "./facts.ts";

/**
 * Tells what happened, inside the transaction in which it did: a job then writes the notifications, wakes the
 * live streams and feeds the webhooks (rulings R7). It must not follow the audit entry, which ends a transaction.
 */
export async function tell(tx: Tx, fact: Fact): Promise<void> {
  await enqueue(tx, "tell", { ...fact, cause: randomUUID() });
}
