import { db } from "#lib/db.ts";

export type ChainReport = { chain: string; entries: number; ok: boolean; brokenAt: number | null };

type Row = { chain: string; entries: bigint; broken_at: bigint | null; head_ok: boolean };

/**
 * Recomputes every hash of every chain (or of one) in the database and compares it with what is stored,
 * with the entry before it, and with the chain's head.
 * @returns a line a chain; `brokenAt` is the first sequence number that doesn't fit.
 */
export async function verifyAudit(chain?: string): Promise<ChainReport[]> {
  const rows = await db.$queryRaw<Row[]>`
    with checked as (
      select e.chain, e.seq, e.hash,
        e.seq = row_number() over w
          and e.prev_hash = coalesce(lag(e.hash) over w, ''::bytea)
          and e.hash = audit_hash(e.prev_hash, e.chain, e.seq, e.at, e.actor_id, e.action, e.object_type,
            e.object_id, e.event_id, e.by_right, e.request_id, e.data) as fits
      from audit_entries e
      where ${chain ?? null}::text is null or e.chain = ${chain ?? null}
      window w as (partition by e.chain order by e.seq)
    )
    select coalesce(c.chain, k.chain) as chain, count(k.seq) as entries, min(k.seq) filter (where not k.fits) as broken_at,
      c.chain is not null and coalesce(max(k.seq), 0) = c.seq
        and coalesce((select e.hash from audit_entries e where e.chain = c.chain and e.seq = c.seq), ''::bytea) = c.head as head_ok
    from (select * from audit_chains where ${chain ?? null}::text is null or chain = ${chain ?? null}) c
    full join checked k on k.chain = c.chain
    group by coalesce(c.chain, k.chain), c.chain, c.seq, c.head order by 1`;
  return rows.map((row) => ({
    chain: row.chain,
    entries: Number(row.entries),
    ok: row.broken_at === null && row.head_ok,
    brokenAt: row.broken_at === null ? (row.head_ok ? null : Number(row.entries)) : Number(row.broken_at),
  }));
}
