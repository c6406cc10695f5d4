import { readNewestCheckpoints, readInterimLine } from "#lib/audit/checkpoint-files.ts";
import {
  digestCheckpoint,
  isFreshStart,
  readCheckpoint,
  type ChainHead,
  type SignedCheckpoint,
} from "#lib/audit/checkpoints.ts";
import { auditKeys } from "#lib/audit/keys.ts";
import { db } from "#lib/database/client.ts";
import { env, type Env } from "#lib/env.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/** What whoever seals knows of the chains from signed checkpoints, so that it never seals what was rewritten. */
export type KnownChains = {
  /** The newest checkpoint of the database. */
  newest: { number: number; digest: string; at: Date } | undefined;
  /** The newest known head of each chain since the last fresh start. */
  heads: Map<string, ChainHead>;
  /** How far checkpoints cover each chain. */
  checkpointed: Map<string, number>;
  /** The day (UTC) of the last checkpoint with all chains. */
  completeDay: string;
  /** A restore or an anchor that a command recorded in the data folder, and the database doesn't hold yet. */
  pending: SignedCheckpoint | undefined;
  /** Checkpoints of the database that the data folder doesn't hold yet. */
  uncopied: SignedCheckpoint[];
};

/** Nothing is sealed, since checkpoints are not as they were; the message is one for the log. */
export class SealingRefused extends Error {}

/** Adds what a checkpoint says. */
export function applyCheckpoint(known: KnownChains, checkpoint: SignedCheckpoint): void {
  if (isFreshStart(checkpoint)) {
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
 * Reads the newest checkpoints of the data folder and of the database.
 * @throws SealingRefused when the database lacks what the folder holds, and nothing signed says why
 */
export async function loadKnownChains(place: Env): Promise<KnownChains> {
  const folderCheckpoints = readNewestCheckpoints(place, readGenuineCheckpoint);
  const last = folderCheckpoints.at(-1);
  const known: KnownChains = {
    newest: undefined,
    heads: new Map(),
    checkpointed: new Map(),
    completeDay: "",
    pending: undefined,
    uncopied: [],
  };
  const at = last && (await findCheckpointLine(db, last.number));
  if (last && at !== last.line) {
    if (await isPendingFreshStart(last)) known.pending = last;
    else await applyForeignFreshStart(known, last);
  } else for (const one of folderCheckpoints) applyCheckpoint(known, one);
  if (!last) addDatabaseCheckpoints(known, await readSinceLastComplete());
  if (known.pending) await setNewestFromDatabase(known);
  const interim = readGenuineCheckpoint(readInterimLine(place) ?? "");
  if (interim && !known.pending && new Date(interim.at) > (known.newest?.at ?? 0))
    applyCheckpoint(known, interim);
  return known;
}

/**
 * Adds the checkpoints that others have written since.
 * @throws SealingRefused when one of them isn't signed by a key of ours, or the newest known one is gone
 */
export async function addNewCheckpoints(tx: SqlClient, known: KnownChains): Promise<void> {
  const { newest, pending } = known;
  const rows = await tx.$queryRaw<{ number: bigint; line: string }[]>`
    select number, line from audit_checkpoints where number >= ${newest?.number ?? 0}::bigint order by number`;
  const [first, ...others] = rows;
  if (newest && (!first || digestCheckpoint(first) !== newest.digest))
    throw new SealingRefused("checkpoints are missing from the database, or were changed");
  if (pending && others.length > 0) throw new SealingRefused("a checkpoint was written beside a restore");
  const added = (newest ? others : rows).map(({ line }) => {
    const checkpoint = readGenuineCheckpoint(line);
    if (!checkpoint) throw new SealingRefused("a checkpoint of the database is not signed by a key of ours");
    return checkpoint;
  });
  addDatabaseCheckpoints(known, added);
}

function addDatabaseCheckpoints(known: KnownChains, checkpoints: SignedCheckpoint[]): void {
  for (const checkpoint of checkpoints) applyCheckpoint(known, checkpoint);
  known.uncopied.push(...checkpoints);
}

/** The checkpoint when a key of ours signed it. */
function readGenuineCheckpoint(line: string): SignedCheckpoint | undefined {
  const trustedKeys = auditKeys(env()).map(({ publicKey }) => publicKey);
  const result = readCheckpoint(line, trustedKeys);
  return result?.genuine ? result.checkpoint : undefined;
}

async function findCheckpointLine(sql: SqlClient, number: number): Promise<string | undefined> {
  const [row] = await sql.$queryRaw<{ line: string }[]>`
    select line from audit_checkpoints where number = ${number}::bigint`;
  return row?.line;
}

const findNewestLine = async (): Promise<{ number: number; line: string } | undefined> => {
  const [row] = await db.$queryRaw<{ number: bigint; line: string }[]>`
    select number, line from audit_checkpoints order by number desc limit 1`;
  return row && { number: Number(row.number), line: row.line };
};

/** Whether it follows what the database holds. */
async function isPendingFreshStart(last: SignedCheckpoint): Promise<boolean> {
  if (!isFreshStart(last)) return false;
  const newest = await findNewestLine();
  return (newest ? digestCheckpoint(newest) : null) === last.previous;
}

/** Another machine restored a backup: what it recorded explains what the database lacks. */
async function applyForeignFreshStart(known: KnownChains, last: SignedCheckpoint): Promise<void> {
  const rows = await db.$queryRaw<{ line: string }[]>`
    select line from audit_checkpoints where at > ${new Date(last.at)}::timestamptz order by number`;
  const later = rows.flatMap(({ line }) => readGenuineCheckpoint(line) ?? []);
  const from = later.findLastIndex(isFreshStart);
  if (from < 0) throw new SealingRefused("checkpoints of the data folder are missing from the database");
  addDatabaseCheckpoints(known, later.slice(from));
}

/** Behind a pending record stands what it follows, by whichever key that was signed. */
async function setNewestFromDatabase(known: KnownChains): Promise<void> {
  const newest = await findNewestLine();
  if (newest) known.newest = { number: newest.number, digest: digestCheckpoint(newest), at: new Date(0) };
}

const PAGE_SIZE = 100;

/** The newest checkpoints of the database from the last complete one on, oldest first. */
async function readSinceLastComplete(): Promise<SignedCheckpoint[]> {
  const result: SignedCheckpoint[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await db.$queryRaw<{ number: bigint; line: string }[]>`
      select number, line from audit_checkpoints where number < ${below}::bigint order by number desc limit ${PAGE_SIZE}::bigint`;
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
