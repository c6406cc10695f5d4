import {
  digestCheckpoint,
  isSealRestart,
  type ChainHead,
  type SignedCheckpoint,
} from "#lib/audit/checkpoints.ts";
import { formatChainName, type AuditFinding, type AuditInspection } from "#lib/audit/findings.ts";
import type { TrustedCheckpointsBySource, LastValidSealedSeqByChain } from "#lib/audit/inspect-seals.ts";
import { sql } from "#lib/database/client.ts";

type Comparison = { result: AuditInspection; sealed: LastValidSealedSeqByChain; newest: Map<string, number> };

/** Compares the chains with every checkpoint, and the checkpoints with one another. */
export async function compareChainsWithCheckpoints(
  checkpoints: TrustedCheckpointsBySource,
  comparison: Comparison,
): Promise<void> {
  const { result } = comparison;
  const { database, folder, expected } = checkpoints;
  const restores = listDistinctCheckpoints([...database, ...folder]).filter(({ kind }) => kind === "restore");
  const all = listDistinctCheckpoints([...database, ...folder, ...expected]);
  const validCheckpoints = all.filter((one) => !restores.some((restore) => isSuperseded(one, restore)));
  reportForks(validCheckpoints, result);
  reportGaps(database, result);
  reportMissingCheckpoints(checkpoints, restores, result);
  reportMissingSeals(validCheckpoints, comparison);
  await compareHeads(all, { ...comparison, restores });
  noteSealRestarts(listDistinctCheckpoints([...database, ...folder]), result);
}

const listDistinctCheckpoints = (checkpoints: SignedCheckpoint[]): SignedCheckpoint[] => [
  ...new Map(checkpoints.map((one) => [one.line, one])).values(),
];

/**
 * Returns whether a checkpoint was signed between the time of a backup and its restore: the restore undid
 * what it states.
 */
const isSuperseded = (checkpoint: SignedCheckpoint, restore: SignedCheckpoint): boolean =>
  checkpoint.at < restore.at && checkpoint.at > (restore.backupTakenAt ?? restore.at);

/**
 * Reports two different checkpoints with the same number, or two different heads with the same entry number, as a fork.
 */
function reportForks(checkpoints: SignedCheckpoint[], { findings }: AuditInspection): void {
  const numbers = new Map<number, SignedCheckpoint>();
  const heads = new Map<string, { head: ChainHead; number: number }>();
  for (const checkpoint of checkpoints) {
    const { number, kind } = checkpoint;
    const other = numbers.get(number);
    if (other && kind !== "interim")
      findings.push({
        kind: "forked",
        chain: null,
        seq: null,
        text: `there are two checkpoints with the number ${number}, signed at ${other.at} and at ${checkpoint.at}`,
      });
    if (kind !== "interim") numbers.set(number, checkpoint);
    for (const head of checkpoint.heads) {
      const known = heads.get(`${head.chain} ${head.seq}`);
      if (known && known.head.hash !== head.hash)
        findings.push({
          kind: "forked",
          chain: head.chain,
          seq: head.seq,
          text: `checkpoints ${known.number} and ${number} hold different entries ${head.seq}`,
        });
      heads.set(`${head.chain} ${head.seq}`, { head, number });
    }
  }
}

/** Reports each checkpoint of the database that doesn't refer to the previous one. */
function reportGaps(database: SignedCheckpoint[], { findings }: AuditInspection): void {
  let before: SignedCheckpoint | undefined;
  for (const checkpoint of database) {
    const { number, previous } = checkpoint;
    if (number !== (before?.number ?? 0) + 1 || previous !== (before ? digestCheckpoint(before) : null))
      findings.push({
        kind: "missing",
        chain: null,
        seq: null,
        text: `checkpoint ${number} of the database does not follow ${before ? `checkpoint ${before.number}` : "any other"}`,
      });
    before = checkpoint;
  }
}

/**
 * Reports checkpoints that are known from elsewhere but missing in the database, except after a restore, or when a seal
 * restart waits for the next start of the service.
 */
function reportMissingCheckpoints(
  { database, folder, expected }: TrustedCheckpointsBySource,
  restores: SignedCheckpoint[],
  { findings }: AuditInspection,
): void {
  const present = new Set(database.map(({ line }) => line));
  const waiting = folder.findLast(({ kind }) => kind !== "interim");
  const newest = database.at(-1);
  const isWaiting = (one: SignedCheckpoint) =>
    one === waiting && isSealRestart(one) && one.number === (newest?.number ?? 0) + 1;
  const missing = listDistinctCheckpoints([...folder, ...expected]).filter(
    (one) =>
      one.kind !== "interim" &&
      !present.has(one.line) &&
      !isWaiting(one) &&
      !restores.some((restore) => isSuperseded(one, restore)),
  );
  for (const { number, at } of missing)
    findings.push({
      kind: "missing",
      chain: null,
      seq: null,
      text: `checkpoint ${number}, signed at ${at}, is not in the database`,
    });
}

/** Reports missing seals: every entry that a checkpoint names was sealed before the checkpoint was signed. */
function reportMissingSeals(validCheckpoints: SignedCheckpoint[], { result, newest }: Comparison): void {
  const signed = new Map<string, { seq: number; number: number }>();
  for (const { number, heads } of validCheckpoints.filter((one) => !isSealRestart(one)))
    for (const { chain, seq } of heads)
      if (seq > (signed.get(chain)?.seq ?? 0)) signed.set(chain, { seq, number });
  for (const [chain, { seq, number }] of signed) {
    const last = newest.get(chain) ?? 0;
    if (last >= seq) continue;
    const rest = last === 0 ? "there is none" : `the last one is of entry ${last}`;
    result.findings.push({
      kind: "missing",
      chain,
      seq,
      text: `the seal of entry ${seq}, which was there for checkpoint ${number}, is gone; ${rest}`,
    });
  }
}

type HeadComparison = Comparison & { restores: SignedCheckpoint[] };

async function compareHeads(checkpoints: SignedCheckpoint[], headComparison: HeadComparison): Promise<void> {
  const { result, sealed, restores } = headComparison;
  const hashes = await readEntryHashes(checkpoints.flatMap(({ heads }) => heads));
  const ends = await readChainEnds();
  const reportedDifferences = new Set<string>();
  const matchingSeqs = new Map<string, number>();
  for (const checkpoint of [...checkpoints].sort((a, b) => a.at.localeCompare(b.at)))
    for (const head of checkpoint.heads) {
      const found = hashes.get(buildHeadKey(head));
      if (found === head.hash) {
        matchingSeqs.set(head.chain, Math.max(matchingSeqs.get(head.chain) ?? 0, head.seq));
        continue;
      }
      if (restores.some((restore) => isExplainedByRestore(restore, { checkpoint, head }))) continue;
      const finding = createDifferenceFinding(head, {
        checkpoint,
        found,
        end: ends.get(head.chain) ?? 0,
        sealed,
      });
      // Report only the first entry that differs; all later ones differ too.
      if (reportedDifferences.has(`${head.chain} ${finding.kind}`)) continue;
      reportedDifferences.add(`${head.chain} ${finding.kind}`);
      result.findings.push(finding);
    }
  // A signature proves an entry just as a seal does.
  for (const [chain, seq] of matchingSeqs) sealed.set(chain, Math.max(sealed.get(chain) ?? 0, seq));
}

/** Returns whether an entry is gone or different because a backup was restored that is older than the entry. */
const isExplainedByRestore = (
  restore: SignedCheckpoint,
  { checkpoint, head }: { checkpoint: SignedCheckpoint; head: ChainHead },
): boolean =>
  isSuperseded(checkpoint, restore) &&
  (restore.heads.find(({ chain }) => chain === head.chain)?.seq ?? 0) < head.seq;

type Difference = {
  checkpoint: SignedCheckpoint;
  found: string | undefined;
  end: number;
  sealed: LastValidSealedSeqByChain;
};

/**
 * Creates the finding for an entry that differs from its checkpoint. If the current chain is sealed up to the entry,
 * the chain forked; otherwise someone rewrote it.
 */
function createDifferenceFinding(
  head: ChainHead,
  { checkpoint, found, end, sealed }: Difference,
): AuditFinding {
  const { chain, seq } = head;
  const checkpointLabel = `checkpoint ${checkpoint.number} of ${checkpoint.at}`;
  const about = { chain, seq };
  if (found === undefined)
    return {
      ...about,
      kind: "cut",
      text: `entry ${seq}, which ${checkpointLabel} holds, is gone; the chain ends at ${end}`,
    };
  const isSealed = (sealed.get(chain) ?? 0) >= seq;
  return isSealed
    ? {
        ...about,
        kind: "forked",
        text: `entry ${seq} is another than in ${checkpointLabel}, and both were sealed`,
      }
    : {
        ...about,
        kind: "rewritten",
        text: `entry ${seq} or one before it is not what ${checkpointLabel} holds`,
      };
}

const buildHeadKey = ({ chain, seq }: ChainHead): string => `${chain} ${seq}`;

const BATCH_SIZE = 5000;

/** Reads the current hashes of the entries that heads name. */
async function readEntryHashes(heads: ChainHead[]): Promise<Map<string, string>> {
  const distinctHeads = [...new Map(heads.map((head) => [buildHeadKey(head), head])).values()];
  const found = new Map<string, string>();
  for (let from = 0; from < distinctHeads.length; from += BATCH_SIZE) {
    const batch = distinctHeads.slice(from, from + BATCH_SIZE);
    const rows = await sql.$queryRaw<{ chain: string; seq: bigint; hash: string }[]>`
      select e.chain, e.seq, encode(e.hash, 'hex') as hash
      from unnest(${batch.map(({ chain }) => chain)}::text[], ${batch.map(({ seq }) => seq)}::bigint[]) as w(chain, seq)
      join audit_entries e on e.chain = w.chain and e.seq = w.seq`;
    for (const { chain, seq, hash } of rows) found.set(buildHeadKey({ chain, seq: Number(seq), hash }), hash);
  }
  return found;
}

async function readChainEnds(): Promise<Map<string, number>> {
  const rows = await sql.$queryRaw<{ chain: string; end: bigint }[]>`
    select c.chain, coalesce((select max(e.seq) from audit_entries e where e.chain = c.chain), 0) as end
    from audit_chains c`;
  return new Map(rows.map(({ chain, end }) => [chain, Number(end)]));
}

function noteSealRestarts(checkpoints: SignedCheckpoint[], { notes }: AuditInspection): void {
  for (const { kind, at, backupTakenAt, number, heads } of checkpoints.filter(isSealRestart)) {
    const chains =
      heads.length === 1 ? `${formatChainName(heads[0]?.chain ?? "")}` : `${heads.length} chains`;
    notes.push(
      kind === "restore"
        ? `Checkpoint ${number}: restored at ${at} from a backup of ${backupTakenAt}. What was written in between is gone (${chains} came back).`
        : `Checkpoint ${number}: at ${at} the operator went on from the chains as they were (${chains}).`,
    );
  }
}
