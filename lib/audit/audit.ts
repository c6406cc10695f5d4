import { runBeforeCommit } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { loadAuditKeys, requireNewestAuditKey, type AuditKey } from "#lib/audit/keys.ts";
import { computeEntryMac, type AuditEntryRow } from "#lib/audit/mac.ts";
import { env } from "#lib/env.ts";
import { processWide } from "#lib/process-wide.ts";
import { QUARTER_HOUR_MS, roundDownTime } from "#lib/wall-clock.ts";

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

type ChainHead = { seq: number; mac: string };

/** Rights of people whom nobody knows by name: their time is the quarter of an hour, as their report has it. */
const NAMELESS_RIGHTS = ["anonymous", "mailbox"];

/** Where an entry belongs, and what its incident says of it. */
type EntryPlace = { chain: string; underCheck: boolean; reporterId: string | null };

/** Locked heads, and the places of entries by `describePlace`. */
type LockedAuditChains = { places: Map<string, EntryPlace>; heads: Map<string, ChainHead> };

/**
 * Locks the heads of the chains that entries belong to until the commit, in the order of their ids, so that parallel
 * transactions don't deadlock.
 */
export async function lockAuditChains(
  tx: SqlClient,
  entries: readonly AuditEntryInput[],
): Promise<LockedAuditChains> {
  const locked = await lockHeads(tx, entries);
  if (isLockedFor(locked, entries)) return locked;
  const chains = [...new Set([...entries.map(findChain), "system"])].toSorted();
  await tx.$executeRaw`
    insert into audit_chains (chain) select unnest(${chains}::text[]) on conflict do nothing`;
  return lockHeads(tx, entries);
}

const isLockedFor = ({ places }: LockedAuditChains, entries: readonly AuditEntryInput[]): boolean =>
  entries.every((entry) => places.has(describePlace(entry)));

const findChain = ({ organizationId }: AuditEntryInput): string => organizationId ?? "system";

/** The incident that an entry is about; null for an entry about something else. */
const findIncidentId = ({ object, data }: AuditEntryInput): string | null =>
  object.type === "incident" ? object.id : typeof data?.incidentId === "string" ? data.incidentId : null;

/** What reported people and witnesses do in their mailboxes is named after conversations; reporters write messages. */
const isOfOtherParty = ({ action }: AuditEntryInput): boolean => action.startsWith("conversation.");

const describePlace = (entry: AuditEntryInput): string => `${findChain(entry)} ${findIncidentId(entry)}`;

type LockedRow = EntryPlace & { place: string; seq: bigint; mac: string };

/** Locks the heads that exist. */
async function lockHeads(tx: SqlClient, entries: readonly AuditEntryInput[]): Promise<LockedAuditChains> {
  const asked = new Map(
    entries.map((entry) => [
      describePlace(entry),
      { place: describePlace(entry), chain: findChain(entry), incident: findIncidentId(entry) },
    ]),
  );
  const rows = await tx.$queryRaw<LockedRow[]>`
    with asked as materialized (
      select n.place, case when is_incident_restricted(n.incident) then 'system' else n.chain end as chain,
        coalesce(i.conflict_check, false) as under_check, i.reporter_id
      from json_to_recordset(${JSON.stringify([...asked.values()])}::json) as n(place text, chain text, incident uuid)
        left join incidents i on i.id = n.incident
    )
    select a.place, a.chain, a.under_check as "underCheck", a.reporter_id as "reporterId", c.seq, c.mac
    from asked a join audit_chains c on c.chain = a.chain order by c.chain for update of c`;
  return {
    places: new Map(rows.map((row) => [row.place, row])),
    heads: new Map(rows.map(({ chain, seq, mac }) => [chain, { seq: Number(seq), mac }])),
  };
}

/** Writes entries behind the heads of their chains, which are locked. */
export function writeAuditEntries(
  tx: SqlClient,
  locked: LockedAuditChains,
  entries: readonly AuditEntryInput[],
  key: AuditKey = requireNewestAuditKey(loadAuditKeys(env())),
): Promise<number> {
  const heads = new Map(locked.heads);
  const now = Date.now();
  const rows = entries.map((entry): AuditEntryRow => {
    const { actorId, right } = entry;
    const place = locked.places.get(describePlace(entry));
    const head = place && heads.get(place.chain);
    if (!place || !head) throw new Error("a chain of the audit log is gone");
    const isNameless = actorId === null && NAMELESS_RIGHTS.includes(right);
    const content = {
      chain: place.chain,
      seq: head.seq + 1,
      at: new Date(isNameless ? roundDownTime(now, QUARTER_HOUR_MS) : now).toISOString(),
      actorId,
      action: entry.action,
      objectType: entry.object.type,
      objectId: entry.object.id,
      eventId: entry.eventId ?? null,
      right,
      requestId: entry.requestId ?? null,
      data: JSON.stringify(entry.data ?? {}),
      underCheck: place.underCheck,
      byReporter:
        findIncidentId(entry) !== null &&
        (actorId === null ? isNameless && !isOfOtherParty(entry) : actorId === place.reporterId),
      keyId: key.id,
    };
    const mac = computeEntryMac(key, head.mac, content);
    heads.set(place.chain, { seq: content.seq, mac });
    return { ...content, mac };
  });
  return insertRows(tx, rows);
}

const insertRows = (tx: SqlClient, rows: readonly AuditEntryRow[]): Promise<number> => tx.$executeRaw`
  with entry as materialized (
    select * from json_to_recordset(${JSON.stringify(rows)}::json) as e(chain text, seq bigint, at timestamptz, "actorId" uuid,
      action text, "objectType" text, "objectId" uuid, "eventId" uuid, "right" text, "requestId" text, data text,
      "underCheck" boolean, "byReporter" boolean, "keyId" text, mac text)
  ), written as (
    insert into audit_entries (chain, seq, at, actor_id, action, object_type, object_id, event_id, by_right, request_id, data,
      under_check, by_reporter, key_id, mac)
    select chain, seq, at, "actorId", action, "objectType", "objectId", "eventId", "right", "requestId", data::json,
      "underCheck", "byReporter", "keyId", mac from entry
  )
  update audit_chains c set seq = e.seq, mac = e.mac
  from (select distinct on (chain) chain, seq, mac from entry order by chain, seq desc) e where c.chain = e.chain`;
