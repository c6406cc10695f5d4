import { AsyncLocalStorage } from "node:async_hooks";
import type { SqlClient } from "#lib/database/sql.ts";
import { processWide } from "#lib/process-wide.ts";

type Guard = { check: (tx: SqlClient) => Promise<void>; ended: boolean };

// Shared, since the copy of this module that guards may not be the one that writes.
const guards = processWide("transaction guards", () => new AsyncLocalStorage<Guard>());

/**
 * Runs `work`, in which every transaction begins with `check`. What `check` writes is committed and rolled back with
 * the transaction; if it throws, the transaction does nothing.
 */
export async function runWithCheckInEachTransaction<T>(
  check: Guard["check"],
  work: () => Promise<T>,
): Promise<T> {
  const guard: Guard = { check, ended: false };
  try {
    return await guards.run(guard, work);
  } finally {
    // Timers that were set in the meantime still have this context.
    guard.ended = true;
  }
}

/** Makes the work of a transaction begin with the check of the enclosing `runWithCheckInEachTransaction`. */
export function prependEnclosingTransactionCheck<Client extends SqlClient, T>(
  work: (tx: Client) => Promise<T>,
): (tx: Client) => Promise<T> {
  const guard = guards.getStore();
  if (!guard || guard.ended) return work;
  return async (tx) => {
    await guard.check(tx);
    return work(tx);
  };
}
