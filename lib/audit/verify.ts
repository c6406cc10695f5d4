import { db } from "#lib/database/client.ts";

export type ChainReport = { chain: string; entries: number; ok: boolean; brokenAt: number | null };

/** A report with the newest hash of the chain, in hex; null where there is none. */
type ChainVerdict = ChainReport & { head: string | null };

/**
 * Recomputes every hash of every chain (or of one) and compares it with what is stored, with the entry
 * before it, and with the chain's head. Chains of deleted organizations are among them.
 * @returns a line a chain; `brokenAt` is the first sequence number that doesn't fit.
 */
export async function verifyAudit(chain?: string): Promise<ChainReport[]> {
  const reports: ChainReport[] = [];
  for (const one of chain === undefined ? await everyChain() : [chain]) {
    const { head: _, ...report } = await verifyChain(one);
    reports.push(report);
  }
  return reports;
}

/** Chains by their heads, by their entries should a head be missing, and those that a deletion left behind. */
async function everyChain(): Promise<string[]> {
  const rows = await db.$queryRaw<{ chain: string }[]>`
    select chain from audit_chains
    union select chain from audit_entries
    union select object_id::text from audit_entries
      where chain = 'system' and action = 'organization.delete' and (data->>'chainSeq')::bigint > 0
    order by 1`;
  return rows.map(({ chain }) => chain);
}

const BATCH = 5000;

/**
 * Verifies one chain as it is now, a few thousand entries at a time, so that a long log neither holds a
 * connection nor a snapshot for long. Asking again while it runs gives the same answer.
 */
export function verifyChain(chain: string): Promise<ChainVerdict> {
  const running = verifying.get(chain);
  if (running) return running;
  const work = verify(chain).finally(() => verifying.delete(chain));
  verifying.set(chain, work);
  return work;
}

const verifying = new Map<string, Promise<ChainVerdict>>();

async function verify(chain: string): Promise<ChainVerdict> {
  const { seq, head, newest, entries } = await standingOf(chain);
  let last: Batch = { seq: 0, hash: "", brokenAt: null, full: true };
  while (last.full && last.brokenAt === null) last = await verifyBatch(chain, last, newest);
  const headFits = seq === newest && last.seq === newest && last.hash === head;
  const brokenAt = last.brokenAt ?? (headFits && (await deletionFits(chain)) ? null : entries);
  return { chain, entries, ok: brokenAt === null, brokenAt, head: head || null };
}

/** How far a stretch of a chain fits: the last number and hash (hex), and the first number that does not fit. */
export type Stretch = { seq: number; hash: string; brokenAt: number | null };

/** Verifies the entries that follow one which is known, up to a number. */
export async function verifyStretch(
  chain: string,
  after: { seq: number; hash: string },
  upTo: number,
): Promise<Stretch> {
  let last: Batch = { ...after, brokenAt: null, full: true };
  while (last.full && last.brokenAt === null) last = await verifyBatch(chain, last, upTo);
  return { ...last, brokenAt: last.brokenAt ?? (last.seq === upTo ? null : last.seq + 1) };
}

type Standing = { seq: number; head: string; newest: number; entries: number };

/** Head and entries of one moment; what is appended meanwhile is the next verification's. */
async function standingOf(chain: string): Promise<Standing> {
  const [found] = await db.$queryRaw<{ seq: bigint; head: string; newest: bigint; entries: bigint }[]>`
    select coalesce((select seq from audit_chains where chain = ${chain}), 0) as seq,
      coalesce((select encode(head, 'hex') from audit_chains where chain = ${chain}), '') as head,
      coalesce(max(seq), 0) as newest, count(*) as entries
    from audit_entries where chain = ${chain}`;
  const { seq = 0n, head = "", newest = 0n, entries = 0n } = found ?? {};
  return { seq: Number(seq), head, newest: Number(newest), entries: Number(entries) };
}

/** How far it is verified: the last number and its hash in hex, and whether there may be more. */
type Batch = { seq: number; hash: string; brokenAt: number | null; full: boolean };

async function verifyBatch(chain: string, after: Batch, newest: number): Promise<Batch> {
  type Row = { size: number; seq: bigint | null; hash: string | null; brokenAt: bigint | null };
  const [row] = await db.$queryRaw<Row[]>`
    with batch as (
      select e.* from audit_entries e
      where e.chain = ${chain} and e.seq > ${after.seq}::bigint and e.seq <= ${newest}::bigint
      order by e.seq limit ${BATCH}::bigint
    ), checked as (
      select seq, hash,
        seq = ${after.seq}::bigint + row_number() over w
          and prev_hash = coalesce(lag(hash) over w, decode(${after.hash}, 'hex'))
          and hash = audit_hash(prev_hash, chain, seq, at, actor_id, action, object_type, object_id, event_id,
            by_right, request_id, data) as fits
      from batch window w as (order by seq)
    )
    select count(*)::int as size, max(seq) as seq, min(seq) filter (where not fits) as "brokenAt",
      (select encode(hash, 'hex') from checked order by seq desc limit 1) as hash
    from checked`;
  if (!row || row.size === 0) return { ...after, full: false };
  return {
    seq: Number(row.seq),
    hash: row.hash ?? "",
    brokenAt: row.brokenAt === null ? null : Number(row.brokenAt),
    full: row.size === BATCH,
  };
}

/**
 * The deletion of an organization is an entry of the system's chain that holds the head which its chain had
 * then: cut off later, with a head made to fit, the chain no longer has that entry.
 */
async function deletionFits(chain: string): Promise<boolean> {
  const [deletion] = await db.$queryRaw<{ fits: boolean }[]>`
    select coalesce((d.data->>'chainSeq')::bigint = 0 or encode(e.hash, 'hex') = d.data->>'chainHead', false) as fits
    from audit_entries d left join audit_entries e on e.chain = ${chain} and e.seq = (d.data->>'chainSeq')::bigint
    where d.chain = 'system' and d.action = 'organization.delete' and d.object_id::text = ${chain}
      and d.data ? 'chainSeq' limit 1`;
  return deletion?.fits ?? true;
}
