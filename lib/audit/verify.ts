import { createHash } from "node:crypto";
import { sql } from "#lib/database/client.ts";

export type AuditChainVerificationResult = {
  chain: string;
  entries: number;
  ok: boolean;
  brokenAt: number | null;
};

/** A result with the newest hash of the chain in hex; null for an empty chain. */
type ChainVerdict = AuditChainVerificationResult & { head: string | null };

/**
 * Recomputes every hash of every chain (or of one) and compares it with the stored hash, with the previous entry and
 * with the chain's head. Includes chains of deleted organizations.
 * @returns a result per chain; `brokenAt` is the first sequence number that doesn't match
 */
export async function verifyAuditChains(chain?: string): Promise<AuditChainVerificationResult[]> {
  const results: AuditChainVerificationResult[] = [];
  for (const one of chain === undefined ? await listChains() : [chain]) {
    const { head: _, ...result } = await verifyAuditChain(one);
    results.push(result);
  }
  return results;
}

/** Lists chains by their heads, by their entries in case a head is missing, and by the deletions of organizations. */
async function listChains(): Promise<string[]> {
  const rows = await sql.$queryRaw<{ chain: string }[]>`
    select chain from audit_chains
    union select chain from audit_entries
    union select object_id::text from audit_entries
      where chain = 'system' and action = 'organization.delete' and (data->>'chainSeq')::bigint > 0
    order by 1`;
  return rows.map(({ chain }) => chain);
}

const BATCH_SIZE = 1000;

/**
 * Verifies one chain as it is now, a thousand entries at a time, so that a long log occupies neither a connection
 * nor a snapshot for long. Concurrent calls share one verification.
 */
export function verifyAuditChain(chain: string): Promise<ChainVerdict> {
  const running = runningVerifications.get(chain);
  if (running) return running;
  const work = runVerification(chain).finally(() => runningVerifications.delete(chain));
  runningVerifications.set(chain, work);
  return work;
}

const runningVerifications = new Map<string, Promise<ChainVerdict>>();

async function runVerification(chain: string): Promise<ChainVerdict> {
  const { seq, head, newest, entries } = await readChainState(chain);
  let last: BatchVerdict = { seq: 0, hash: "", brokenAt: null, full: true };
  while (last.full && last.brokenAt === null) last = await verifyBatch(chain, last, newest);
  const isHeadConsistent = seq === newest && last.seq === newest && last.hash === head;
  const brokenAt =
    last.brokenAt ?? (isHeadConsistent && (await isDeletionConsistent(chain)) ? null : entries);
  return { chain, entries, ok: brokenAt === null, brokenAt, head: head || null };
}

/**
 * The result for a range of a chain: the last matching number and hash (hex), and the first number that doesn't match.
 */
type AuditEntryRangeVerification = { seq: number; hash: string; brokenAt: number | null };

/** Verifies the entries that follow a known entry, up to a number. */
export async function verifyAuditEntryRange(
  chain: string,
  after: { seq: number; hash: string },
  upTo: number,
): Promise<AuditEntryRangeVerification> {
  let last: BatchVerdict = { ...after, brokenAt: null, full: true };
  while (last.full && last.brokenAt === null) last = await verifyBatch(chain, last, upTo);
  return { ...last, brokenAt: last.brokenAt ?? (last.seq === upTo ? null : last.seq + 1) };
}

type ChainState = { seq: number; head: string; newest: number; entries: number };

/** Reads head and entries at one moment; later entries are left to the next verification. */
async function readChainState(chain: string): Promise<ChainState> {
  const [stateRow] = await sql.$queryRaw<{ seq: bigint; head: string; newest: bigint; entries: bigint }[]>`
    select coalesce((select seq from audit_chains where chain = ${chain}), 0) as seq,
      coalesce((select encode(head, 'hex') from audit_chains where chain = ${chain}), '') as head,
      coalesce(max(seq), 0) as newest, count(*) as entries
    from audit_entries where chain = ${chain}`;
  const { seq = 0n, head = "", newest = 0n, entries = 0n } = stateRow ?? {};
  return { seq: Number(seq), head, newest: Number(newest), entries: Number(entries) };
}

/** The last verified number and its hash in hex, and whether there may be more entries. */
type BatchVerdict = { seq: number; hash: string; brokenAt: number | null; full: boolean };

type StoredEntry = {
  seq: bigint;
  at: Date;
  actorId: string | null;
  action: string;
  objectType: string;
  objectId: string | null;
  eventId: string | null;
  right: string;
  requestId: string | null;
  data: string;
  previous: Uint8Array;
  hash: Uint8Array;
};

async function verifyBatch(chain: string, after: BatchVerdict, newest: number): Promise<BatchVerdict> {
  const entries = await sql.$queryRaw<StoredEntry[]>`
    select e.seq, e.at, e.actor_id as "actorId", e.action, e.object_type as "objectType", e.object_id as "objectId",
      e.event_id as "eventId", e.by_right as "right", e.request_id as "requestId", e.data::text as data, e.prev_hash as previous, e.hash
    from audit_entries e
    where e.chain = ${chain} and e.seq > ${after.seq}::bigint and e.seq <= ${newest}::bigint
    order by e.seq limit ${BATCH_SIZE}::bigint`;
  let { seq, hash } = after;
  for (const entry of entries) {
    const follows = Number(entry.seq) === seq + 1 && toHex(entry.previous) === hash;
    if (!follows || toHex(entry.hash) !== computeEntryHash(chain, entry))
      return { seq, hash, brokenAt: Number(entry.seq), full: false };
    [seq, hash] = [seq + 1, toHex(entry.hash)];
  }
  return { seq, hash, brokenAt: null, full: entries.length === BATCH_SIZE };
}

/**
 * Computes the hash of an entry as `append_audit_entry` does, in hex. The database isn't asked: whoever owns it can replace
 * its functions.
 */
function computeEntryHash(chain: string, entry: StoredEntry): string {
  const { at, actorId, action, objectType, objectId, eventId, right, requestId, data } = entry;
  // A time that isn't one, such as infinity, becomes null, which fits no hash.
  const members = [chain, Number(entry.seq), at, actorId, action, objectType, objectId, eventId];
  const text = [...members, right, requestId].map((member) => JSON.stringify(member)).join(", ");
  return createHash("sha256").update(entry.previous).update(`[${text}, ${data}]`).digest("hex");
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/**
 * When an organization is deleted, an entry in the system's chain records the head of the organization's chain. If
 * someone later cuts the end off that chain and changes its head to match, the entry that was recorded is missing.
 */
async function isDeletionConsistent(chain: string): Promise<boolean> {
  const [deletion] = await sql.$queryRaw<{ fits: boolean }[]>`
    select coalesce((d.data->>'chainSeq')::bigint = 0 or encode(e.hash, 'hex') = d.data->>'chainHead', false) as fits
    from audit_entries d left join audit_entries e on e.chain = ${chain} and e.seq = (d.data->>'chainSeq')::bigint
    where d.chain = 'system' and d.action = 'organization.delete' and d.object_id::text = ${chain}
      and d.data ? 'chainSeq' limit 1`;
  return deletion?.fits ?? true;
}
