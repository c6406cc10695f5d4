import type { Tx } from "#lib/database/client.ts";

/** Returns whether the ledger has a row for an entry. */
export const isLedgerEntryStored = async (tx: Tx, hash: Uint8Array<ArrayBuffer>): Promise<boolean> =>
  (await tx.erasure.findUnique({ where: { hash }, select: { hash: true } })) !== null;
