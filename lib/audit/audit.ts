import type { AuditAction } from "#lib/audit/actions.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/**
 * The audit log: who did what, when and by what right, ids only, in a hash chain per organization; entries of no
 * organization are in the chain "system" (docs/decisions/006). Append an entry in the transaction of its action, as
 * the last statement: the chain's head is locked until the commit, so nothing may follow it.
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

/** Appends an entry to its chain. */
export async function appendAuditEntry(tx: SqlClient, entry: AuditEntryInput): Promise<void> {
  await tx.$executeRaw`
    select append_audit_entry(${entry.organizationId ?? "system"}, ${entry.actorId}::uuid, ${entry.action},
      ${entry.object.type}, ${entry.object.id}::uuid, ${entry.eventId ?? null}::uuid, ${entry.right},
      ${entry.requestId ?? null}, ${JSON.stringify(entry.data ?? {})}::jsonb)`;
}

/** One action on many objects of a type. */
type BulkAuditEntryInput = Omit<AuditEntryInput, "object"> & { objects: { type: string; ids: string[] } };

/** Appends an entry for each object, in the order of the ids, in one statement. */
export async function appendAuditEntries(tx: SqlClient, entry: BulkAuditEntryInput): Promise<void> {
  await tx.$executeRaw`
    select append_audit_entry(${entry.organizationId ?? "system"}, ${entry.actorId}::uuid, ${entry.action},
      ${entry.objects.type}, o.id, ${entry.eventId ?? null}::uuid, ${entry.right},
      ${entry.requestId ?? null}, ${JSON.stringify(entry.data ?? {})}::jsonb)
    from (select id from unnest(${entry.objects.ids}::uuid[]) with ordinality as given(id, place) order by place) o`;
}
