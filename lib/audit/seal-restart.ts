import {
  appendCheckpointsToDailyFile,
  replaceOrRemoveInterimCheckpoint,
} from "#lib/audit/checkpoint-files.ts";
import {
  digestCheckpoint,
  signCheckpoint,
  type ChainHead,
  type SignedCheckpoint,
} from "#lib/audit/checkpoints.ts";
import { loadDerivedAuditKeys } from "#lib/audit/keys.ts";
import { sql } from "#lib/database/client.ts";
import { findNewestDatabaseCheckpoint } from "#lib/audit/known-chains.ts";
import type { Env } from "#lib/env.ts";

type SealRestart = { kind: "anchor" } | { kind: "restore"; backupTakenAt: string };

/**
 * Signs the current heads of all chains into the data folder, after a restore or when an operator anchors the audit
 * log: from then on the sealer compares the chains with these heads, not with earlier seals and checkpoints. The next
 * start of the service stores the checkpoint in the database, sends it, and appends an audit entry. No service may run
 * on the database in the meantime.
 * @throws Error when there is no key to sign with
 */
export async function writeSealRestartCheckpoint(
  env: Pick<Env, "dataDir" | "AUDIT_KEYS">,
  start: SealRestart,
): Promise<SignedCheckpoint> {
  const [key] = loadDerivedAuditKeys(env);
  if (!key) throw new Error("There is no key to sign with: neither secrets/data.key nor AUDIT_KEYS.");
  const heads = await readChainHeads();
  const newest = await findNewestDatabaseCheckpoint();
  const checkpoint = signCheckpoint(key, {
    ...start,
    number: (newest?.number ?? 0) + 1,
    previous: newest ? digestCheckpoint(newest) : null,
    at: new Date().toISOString(),
    chains: heads.length,
    complete: true,
    heads,
    refused: [],
  });
  appendCheckpointsToDailyFile(env, [checkpoint]);
  replaceOrRemoveInterimCheckpoint(env);
  return checkpoint;
}

async function readChainHeads(): Promise<ChainHead[]> {
  const rows = await sql.$queryRaw<{ chain: string; seq: bigint; hash: string }[]>`
    select c.chain, e.seq, encode(e.hash, 'hex') as hash
    from audit_chains c join audit_entries e on e.chain = c.chain and e.seq = c.seq order by c.chain`;
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}
