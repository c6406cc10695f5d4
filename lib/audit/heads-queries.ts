import type { AuditHead } from "#lib/audit/heads.ts";
import { prisma, sql } from "#lib/database/client.ts";

/** Lists the heads of all chains that have entries. */
export async function listAuditHeads(): Promise<AuditHead[]> {
  const rows = await prisma.auditChain.findMany({ where: { seq: { gt: 0 } }, orderBy: { chain: "asc" } });
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

/** Lists those of the given heads whose entry is gone (`found` is null), or another one now. */
export async function listLostHeads(
  heads: readonly AuditHead[],
): Promise<(AuditHead & { found: string | null })[]> {
  if (heads.length === 0) return [];
  const rows = await sql.$queryRaw<{ chain: string; seq: bigint; mac: string; found: string | null }[]>`
    select k.chain, k.seq, k.mac, e.mac as found
    from unnest(${heads.map(({ chain }) => chain)}::text[], ${heads.map(({ seq }) => seq)}::bigint[],
      ${heads.map(({ mac }) => mac)}::text[]) as k(chain, seq, mac)
    left join public.audit_entries e on e.chain = k.chain and e.seq = k.seq`;
  return rows.filter(({ mac, found }) => found !== mac).map((row) => ({ ...row, seq: Number(row.seq) }));
}
