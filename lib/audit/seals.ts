import { timingSafeEqual } from "node:crypto";
import { sql } from "#lib/database/client.ts";
import type { AuditKey } from "#lib/audit/keys.ts";

/**
 * A seal proves, with a key that is not in the database, which hash an entry of a chain had; that hash covers all
 * entries before it. Each seal also covers the previous one, so none can be removed from the middle.
 */
export type AuditSeal = {
  chain: string;
  /** Number and hash (hex) of the last entry that the seal covers. */
  seq: number;
  hash: string;
  sealedAt: Date;
  /** Hex; empty for the first seal of a chain. */
  prevMac: string;
  mac: string;
  keyId: string;
};

type SealContent = Pick<AuditSeal, "chain" | "seq" | "hash" | "sealedAt" | "prevMac">;

export function createSeal(key: AuditKey, content: SealContent): AuditSeal {
  return { ...content, keyId: key.id, mac: key.mac(serializeSealContent(content)).toString("hex") };
}

/** Verifies that one of our keys made the seal; "unknown-key" when the key that it names isn't available. */
export function verifySeal(keys: readonly AuditKey[], seal: AuditSeal): "genuine" | "forged" | "unknown-key" {
  const key = keys.find(({ id }) => id === seal.keyId);
  if (!key) return "unknown-key";
  const [expected, actual] = [key.mac(serializeSealContent(seal)), Buffer.from(seal.mac, "hex")];
  return expected.length === actual.length && timingSafeEqual(expected, actual) ? "genuine" : "forged";
}

const serializeSealContent = ({ chain, seq, hash, sealedAt, prevMac }: SealContent): string =>
  JSON.stringify(["heed-audit-seal", chain, seq, hash, sealedAt.toISOString(), prevMac]);

/** A seal with the current hash of its entry; null when the entry doesn't exist. */
export type SealWithEntryHash = AuditSeal & { entryHash: string | null };

const BATCH_SIZE = 5000;

/** Streams the seals of a chain in order. */
export async function* streamAuditSeals(chain: string): AsyncGenerator<SealWithEntryHash, void> {
  let after = 0;
  for (;;) {
    const rows = await sql.$queryRaw<(Omit<SealWithEntryHash, "seq"> & { seq: bigint })[]>`
      select s.chain, s.seq, encode(s.hash, 'hex') as hash, s.sealed_at as "sealedAt", encode(s.prev_mac, 'hex') as "prevMac",
        encode(s.mac, 'hex') as mac, s.key_id as "keyId", encode(e.hash, 'hex') as "entryHash"
      from audit_seals s left join audit_entries e on e.chain = s.chain and e.seq = s.seq
      where s.chain = ${chain} and s.seq > ${after}::bigint order by s.seq limit ${BATCH_SIZE}::bigint`;
    for (const row of rows) yield { ...row, seq: Number(row.seq) };
    if (rows.length < BATCH_SIZE) return;
    after = Number(rows.at(-1)?.seq ?? 0);
  }
}
