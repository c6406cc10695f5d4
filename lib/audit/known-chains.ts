import { readCheckpointsSinceLastComplete, readInterimCheckpointLine } from "#lib/audit/checkpoint-files.ts";
import {
  digestCheckpoint,
  isSealRestart,
  parseAndVerifyCheckpoint,
  type ChainHead,
  type SignedCheckpoint,
} from "#lib/audit/checkpoints.ts";
import { loadDerivedAuditKeys } from "#lib/audit/keys.ts";
import { prisma } from "#lib/database/client.ts";
import { env, type Env } from "#lib/env.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** The state of the chains according to signed checkpoints; the sealer seals no entries that contradict it. */
export type CheckpointedAuditChains = {
  /** The newest checkpoint of the database. */
  newest: { number: number; digest: string; at: Date } | undefined;
  /** The newest known head of each chain since the last seal restart. */
  heads: Map<string, ChainHead>;
  /** The last entry of each chain that a checkpoint covers. */
  checkpointed: Map<string, number>;
  /** The day (UTC) of the last checkpoint that covers every chain, e.g. "2026-11-21". */
  completeDay: string;
  /** The checkpoint of a seal restart that is in the data folder but not yet in the database. */
  pending: SignedCheckpoint | undefined;
  /** Checkpoints of the database that the data folder doesn't contain yet. */
  uncopied: SignedCheckpoint[];
};

/** Sealing stopped because checkpoints are missing or changed; the message goes to the log. */
export class SealingRefusedError extends Error {}

/** Updates what this process knows of the chains with a checkpoint. */
export function updateKnownChainsFromCheckpoint(
  known: CheckpointedAuditChains,
  checkpoint: SignedCheckpoint,
): void {
  if (isSealRestart(checkpoint)) {
    known.heads.clear();
    known.checkpointed.clear();
  }
  for (const head of checkpoint.heads) {
    if (checkpoint.kind !== "interim") known.checkpointed.set(head.chain, head.seq);
    if ((known.heads.get(head.chain)?.seq ?? 0) <= head.seq) known.heads.set(head.chain, head);
  }
  if (checkpoint.kind === "interim") return;
  const at = new Date(checkpoint.at);
  known.newest = { number: checkpoint.number, digest: digestCheckpoint(checkpoint), at };
  if (checkpoint.complete) known.completeDay = checkpoint.at.slice(0, 10);
}

/**
 * Reads the newest checkpoints of the data folder and the database.
 * @throws SealingRefusedError when the database lacks checkpoints that the folder contains, and no signed seal restart
 *   explains it
 */
export async function loadCheckpointedAuditChains(config: Env): Promise<CheckpointedAuditChains> {
  const folderCheckpoints = readCheckpointsSinceLastComplete(config, readGenuineCheckpoint);
  const last = folderCheckpoints.at(-1);
  const known: CheckpointedAuditChains = {
    newest: undefined,
    heads: new Map(),
    checkpointed: new Map(),
    completeDay: "",
    pending: undefined,
    uncopied: [],
  };
  const at = last && (await findCheckpointLine(last.number));
  if (last && at !== last.line) {
    if (await isPendingSealRestart(last)) known.pending = last;
    else await applyForeignSealRestart(known, last);
  } else for (const one of folderCheckpoints) updateKnownChainsFromCheckpoint(known, one);
  if (!last) addDatabaseCheckpoints(known, await readSinceLastComplete());
  if (known.pending) await setNewestFromDatabase(known);
  const interim = readGenuineCheckpoint(readInterimCheckpointLine(config) ?? "");
  if (interim && !known.pending && new Date(interim.at) > (known.newest?.at ?? 0))
    updateKnownChainsFromCheckpoint(known, interim);
  return known;
}

/**
 * Adds the checkpoints that other processes have written since.
 * @throws SealingRefusedError when one of them isn't signed by a key of ours, or the newest known one is gone
 */
export async function refreshCheckpointedAuditChains(
  tx: SqlClient,
  known: CheckpointedAuditChains,
): Promise<void> {
  const { newest, pending } = known;
  const rows = await tx.$queryRaw<{ number: bigint; line: string }[]>`
    select number, line from audit_checkpoints where number >= ${newest?.number ?? 0}::bigint order by number`;
  const [first, ...others] = rows;
  if (newest && (!first || digestCheckpoint(first) !== newest.digest))
    throw new SealingRefusedError("checkpoints are missing from the database, or were changed");
  if (pending && others.length > 0)
    throw new SealingRefusedError("a checkpoint was written beside a restore");
  const added = (newest ? others : rows).map(({ line }) => {
    const checkpoint = readGenuineCheckpoint(line);
    if (!checkpoint)
      throw new SealingRefusedError("a checkpoint of the database is not signed by a key of ours");
    return checkpoint;
  });
  addDatabaseCheckpoints(known, added);
}

function addDatabaseCheckpoints(known: CheckpointedAuditChains, checkpoints: SignedCheckpoint[]): void {
  for (const checkpoint of checkpoints) updateKnownChainsFromCheckpoint(known, checkpoint);
  known.uncopied.push(...checkpoints);
}

/** Returns the checkpoint if a key of ours signed it. */
function readGenuineCheckpoint(line: string): SignedCheckpoint | undefined {
  const trustedKeys = loadDerivedAuditKeys(env()).map(({ publicKey }) => publicKey);
  const result = parseAndVerifyCheckpoint(line, trustedKeys);
  return result?.genuine ? result.checkpoint : undefined;
}

async function findCheckpointLine(number: number): Promise<string | undefined> {
  const row = await prisma.auditCheckpoint.findUnique({ where: { number }, select: { line: true } });
  return row?.line;
}

/** Finds the newest checkpoint of the database. */
export async function findNewestDatabaseCheckpoint(): Promise<{ number: number; line: string } | undefined> {
  const row = await prisma.auditCheckpoint.findFirst({
    orderBy: { number: "desc" },
    select: CHECKPOINT_COLUMNS,
  });
  return row ? { number: Number(row.number), line: row.line } : undefined;
}

const CHECKPOINT_COLUMNS = { number: true, line: true } as const;

/** Returns whether a checkpoint is a seal restart that directly follows the newest checkpoint of the database. */
async function isPendingSealRestart(last: SignedCheckpoint): Promise<boolean> {
  if (!isSealRestart(last)) return false;
  const newest = await findNewestDatabaseCheckpoint();
  return (newest ? digestCheckpoint(newest) : null) === last.previous;
}

/**
 * Applies the seal restart of another machine, which restored a backup: it explains why the database lacks checkpoints.
 */
async function applyForeignSealRestart(
  known: CheckpointedAuditChains,
  last: SignedCheckpoint,
): Promise<void> {
  const rows = await prisma.auditCheckpoint.findMany({
    where: { at: { gt: new Date(last.at) } },
    orderBy: { number: "asc" },
    select: { line: true },
  });
  const later = rows.flatMap(({ line }) => readGenuineCheckpoint(line) ?? []);
  const from = later.findLastIndex(isSealRestart);
  if (from < 0) throw new SealingRefusedError("checkpoints of the data folder are missing from the database");
  addDatabaseCheckpoints(known, later.slice(from));
}

/**
 * Sets the newest known checkpoint to that of the database. While a seal restart is pending, any key may have signed
 * it.
 */
async function setNewestFromDatabase(known: CheckpointedAuditChains): Promise<void> {
  const newest = await findNewestDatabaseCheckpoint();
  if (newest) known.newest = { number: newest.number, digest: digestCheckpoint(newest), at: new Date(0) };
}

const PAGE_SIZE = 100;

/** Reads the newest checkpoints of the database, from the last complete one on, oldest first. */
async function readSinceLastComplete(): Promise<SignedCheckpoint[]> {
  const result: SignedCheckpoint[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await prisma.auditCheckpoint.findMany({
      where: { number: { lt: below } },
      orderBy: { number: "desc" },
      take: PAGE_SIZE,
      select: CHECKPOINT_COLUMNS,
    });
    for (const { line } of rows) {
      const checkpoint = readGenuineCheckpoint(line);
      if (!checkpoint) return result;
      result.unshift(checkpoint);
      if (checkpoint.complete) return result;
    }
    if (rows.length < PAGE_SIZE) return result;
    below = Number(rows.at(-1)?.number ?? 0);
  }
}
