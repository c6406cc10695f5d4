import { prisma, sql } from "#lib/database/client.ts";
import type { AuditEntryRow } from "#lib/audit/mac.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * What a verification reads: columns as they are, of tables with their schema, without functions, since whoever owns the
 * database can replace functions and search path.
 */

type StoredRow = Omit<AuditEntryRow, "seq" | "at"> & { seq: bigint; at: Date | number };

const COLUMNS_SQL = Prisma.sql`e.chain, e.seq, e.at, e.actor_id as "actorId", e.action, e.object_type as "objectType",
  e.object_id as "objectId", e.event_id as "eventId", e.by_right as "right", e.request_id as "requestId", e.data::text as data,
  e.under_check as "underCheck", e.by_reporter as "byReporter", e.key_id as "keyId", e.mac`;

/** A time that isn't one, such as infinity, fits no MAC. */
const toRow = ({ seq, at, ...row }: StoredRow): AuditEntryRow => ({
  ...row,
  seq: Number(seq),
  at: at instanceof Date && !Number.isNaN(at.getTime()) ? at.toISOString() : `${at}`,
});

/** Reads entries of a chain that follow a number, up to another one. */
export async function listStoredEntries(
  chain: string,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<AuditEntryRow[]> {
  const rows = await sql.$queryRaw<StoredRow[]>`
    select ${COLUMNS_SQL} from public.audit_entries e
    where e.chain = ${chain} and e.seq > ${after}::bigint and e.seq <= ${upTo}::bigint
    order by e.seq limit ${limit}::bigint`;
  return rows.map(toRow);
}

/** Lists chains by their heads, and by their entries in case a head is missing. */
export async function listAuditChains(): Promise<string[]> {
  const [heads, entries] = await Promise.all([
    prisma.auditChain.findMany({ where: { seq: { gt: 0 } }, select: { chain: true } }),
    prisma.auditEntry.groupBy({ by: ["chain"] }),
  ]);
  return [...new Set([...heads, ...entries].map(({ chain }) => chain))].toSorted();
}

/** Reads head and newest entry at one moment; later entries are left to the next verification. */
export async function readChainState(
  chain: string,
): Promise<{ seq: number; mac: string; newest: number; entries: number }> {
  const [row] = await sql.$queryRaw<{ seq: bigint; mac: string; newest: bigint; entries: bigint }[]>`
    select coalesce(c.seq, 0) as seq, coalesce(c.mac, '') as mac,
      coalesce((select e.seq from public.audit_entries e where e.chain = k.chain order by e.seq desc limit 1), 0) as newest,
      (select count(*) from public.audit_entries e where e.chain = k.chain) as entries
    from (values (${chain})) as k(chain) left join public.audit_chains c on c.chain = k.chain`;
  const { seq = 0n, mac = "", newest = 0n, entries = 0n } = row ?? {};
  return { seq: Number(seq), mac, newest: Number(newest), entries: Number(entries) };
}

/** Lists the entries that accept the log as it was, each with the MAC of the entry before. */
export async function listAcceptanceEntries(): Promise<(AuditEntryRow & { previousMac: string })[]> {
  const rows = await sql.$queryRaw<(StoredRow & { previousMac: string })[]>`
    select ${COLUMNS_SQL}, coalesce(p.mac, '') as "previousMac"
    from public.audit_entries e left join public.audit_entries p on p.chain = e.chain and p.seq = e.seq - 1
    where e.chain = 'system' and e.action in ('audit.restore', 'audit.anchor') order by e.seq`;
  return rows.map((row) => ({ ...toRow(row), previousMac: row.previousMac }));
}

/** Lists the ids of all keys that entries name. */
export async function listEntryKeyIds(): Promise<string[]> {
  const keys = await prisma.auditEntry.groupBy({ by: ["keyId"] });
  return keys.map(({ keyId }) => keyId);
}
