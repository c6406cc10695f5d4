import { runBeforeCommit } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import {
  isLockedFor,
  lockAuditChains,
  writeAuditEntries,
  type LockedAuditChains,
} from "#lib/audit/chains.ts";
import { processWide } from "#lib/process-wide.ts";

/**
 * The audit log: who did what, when and by what right, ids only, in a keyed chain for each organization; entries of no
 * organization are in the chain "system" (docs/decisions/072).
 */
export type AuditEntryInput = {
  action: AuditAction;
  /** The organization whose chain the entry belongs to; when missing, the chain "system". */
  organizationId?: string | null;
  eventId?: string | null;
  /** Null for anonymous reports, registration and the service itself. */
  actorId: string | null;
  /** By what right: `event:Admin`, `organization:org_admin`, `SystemAdmin`, `self`, `public`. */
  right: string;
  object: { type: string; id: string | null };
  /** Ids, roles and statuses; never content. */
  data?: Record<string, string | number | boolean | null | string[]>;
  requestId?: string;
};

/**
 * Appends an entry to its chain. A transaction collects its entries and writes them right before its commit, so that
 * nobody waits for a chain during the rest of it. An entry about an incident that has or had a list, or that is hidden
 * from anybody by then, goes to the chain "system" instead.
 * @param tx a transaction of `runTransaction` or `runSqlTransaction`
 */
export const appendAuditEntry = async (tx: SqlClient, entry: AuditEntryInput): Promise<void> =>
  collect(tx, [entry]);

/** Appends an entry for each object, in the order of the ids. */
export const appendAuditEntries = async (
  tx: SqlClient,
  { object: { type, ids }, ...entry }: BulkAuditEntryInput,
): Promise<void> =>
  collect(
    tx,
    ids.map((id) => ({ ...entry, object: { type, id } })),
  );

const collectedEntries = processWide(
  "audit entries to write",
  () => new WeakMap<SqlClient, AuditEntryInput[]>(),
);

function collect(tx: SqlClient, entries: AuditEntryInput[]): void {
  const collected = collectedEntries.get(tx);
  if (collected) return void collected.push(...entries);
  const all = [...entries];
  runBeforeCommit(tx, async () => {
    // What comes later has no transaction any more, and fails.
    collectedEntries.delete(tx);
    const ahead = await chainsLockedAhead.get(tx);
    const locked = ahead && isLockedFor(ahead, all) ? ahead : await lockAuditChains(tx, all);
    return () => writeAuditEntries(tx, locked, all);
  });
  collectedEntries.set(tx, all);
}

const chainsLockedAhead = processWide(
  "audit chains locked ahead",
  () => new WeakMap<SqlClient, Promise<LockedAuditChains>>(),
);

/**
 * Locks the chains of entries that the transaction may append, together with the last statements that it waits for, which
 * saves waiting for the lock. Whatever else it locks, it has locked by then.
 */
export async function lockAuditChainsAhead(
  tx: SqlClient,
  entries: readonly AuditEntryInput[],
): Promise<void> {
  const locked = lockAuditChains(tx, entries);
  chainsLockedAhead.set(tx, locked);
  await locked;
}

type AuditTarget = AuditEntryInput["object"] | BulkAuditEntryInput["object"];

/** The part of an operation's context that an audit entry takes. */
type AuditContext = Pick<AuditEntryInput, "organizationId" | "eventId"> & {
  actor: { id: string };
  right: string;
  call: { requestId: string };
};

/** Builds the entry of an operation: place, actor, right and request are those of its context. */
export const buildAuditEntry = <Target extends AuditTarget>(
  { organizationId, eventId, actor, right, call }: AuditContext,
  action: AuditAction,
  object: Target,
  data: AuditEntryInput["data"] = {},
) => ({ action, organizationId, eventId, actorId: actor.id, right, object, data, requestId: call.requestId });

/**
 * Builds the entry of what the service does itself, or somebody with a receipt or code. It names neither a person nor
 * the request.
 */
export const buildActorlessAuditEntry = <Target extends AuditTarget>(
  { organizationId, eventId, right }: Pick<AuditEntryInput, "organizationId" | "eventId" | "right">,
  action: AuditAction,
  object: Target,
  data: AuditEntryInput["data"] = {},
) => ({ action, organizationId, eventId, actorId: null, right, object, data });

/** One action on many objects of a type. */
type BulkAuditEntryInput = Omit<AuditEntryInput, "object"> & { object: { type: string; ids: string[] } };
