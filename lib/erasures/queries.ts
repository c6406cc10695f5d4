import { prisma, type Tx } from "#lib/database/client.ts";

/** Returns whether the ledger has a row for an entry. */
export const isLedgerEntryStored = async (tx: Tx, hash: Uint8Array<ArrayBuffer>): Promise<boolean> =>
  (await tx.erasure.findUnique({ where: { hash }, select: { hash: true } })) !== null;

/**
 * Returns whether the first data key of the database was given up as lost. Lines of the erasure file that have no row
 * may then be hashes under that key, which no other key can match.
 */
export async function isFirstDataKeyLost(): Promise<boolean> {
  const first = await prisma.keyFingerprint.findFirst({
    where: { name: "data" },
    orderBy: { createdAt: "asc" },
    select: { lostAt: true },
  });
  return (first?.lostAt ?? null) !== null;
}
