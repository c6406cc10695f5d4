import type { Action } from "#lib/audit/actions.ts";
import type { Sql } from "#lib/database/sql.ts";

/**
 * The audit log: who did what, when and by what right, ids only, in a hash chain per organization;
 * what belongs to none is in the chain "system" (docs/decisions/006). Written in the transaction of the
 * deed, as its last statement: the chain's head is locked until the commit, so nothing may follow it.
 */
export type Deed = {
  action: Action;
  /** The organization whose chain it belongs to; the system's when missing. */
  organizationId?: string | null;
  eventId?: string | null;
  /** Null for anonymous reports, sign-up and the service itself. */
  actorId: string | null;
  /** By what right: `event:Admin`, `organization:org_admin`, `SystemAdmin`, `self`, `public`. */
  right: string;
  object: { type: string; id: string | null };
  /** Ids, roles and states; never content. */
  data?: Record<string, string | number | boolean | null | string[]>;
  requestId?: string;
};

/** Appends an entry to its chain. */
export async function audit(tx: Sql, deed: Deed): Promise<void> {
  await tx.$executeRaw`
    select audit_append(${deed.organizationId ?? "system"}, ${deed.actorId}::uuid, ${deed.action},
      ${deed.object.type}, ${deed.object.id}::uuid, ${deed.eventId ?? null}::uuid, ${deed.right},
      ${deed.requestId ?? null}, ${JSON.stringify(deed.data ?? {})}::jsonb)`;
}

/** One deed on many objects of a kind. */
type SharedDeed = Omit<Deed, "object"> & { objects: { type: string; ids: string[] } };

/** Appends an entry for each object, in the order of the ids, in one statement. */
export async function auditEach(tx: Sql, deed: SharedDeed): Promise<void> {
  await tx.$executeRaw`
    select audit_append(${deed.organizationId ?? "system"}, ${deed.actorId}::uuid, ${deed.action},
      ${deed.objects.type}, o.id, ${deed.eventId ?? null}::uuid, ${deed.right},
      ${deed.requestId ?? null}, ${JSON.stringify(deed.data ?? {})}::jsonb)
    from (select id from unnest(${deed.objects.ids}::uuid[]) with ordinality as given(id, place) order by place) o`;
}
