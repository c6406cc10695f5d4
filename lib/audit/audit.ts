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

/** Appends an entry for each object, in the order of the ids, in one statement. */
export async function appendAuditEntries(tx: SqlClient, entry: BulkAuditEntryInput): Promise<void> {
  await tx.$executeRaw`
    select append_audit_entry(${entry.organizationId ?? "system"}, ${entry.actorId}::uuid, ${entry.action},
      ${entry.object.type}, o.id, ${entry.eventId ?? null}::uuid, ${entry.right},
      ${entry.requestId ?? null}, ${JSON.stringify(entry.data ?? {})}::jsonb)
    from (select id from unnest(${entry.object.ids}::uuid[]) with ordinality as given(id, place) order by place) o`;
}
