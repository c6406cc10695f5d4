import { isSealRestart, parseAndVerifyCheckpoint, type SignedCheckpoint } from "#lib/audit/checkpoints.ts";
import { formatChainName, type AuditInspection } from "#lib/audit/findings.ts";
import { loadDerivedAuditKeys, type AuditKey } from "#lib/audit/keys.ts";
import { verifySeal, streamAuditSeals, type SealWithEntryHash } from "#lib/audit/seals.ts";
import { LATEST_POSSIBLE_TIME_OF_ENTRY_SQL } from "#lib/audit/latest-entry-time-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { Env } from "#lib/env.ts";

/** Checkpoints that a trusted key signed. */
export type TrustedCheckpointsBySource = {
  database: SignedCheckpoint[];
  folder: SignedCheckpoint[];
  expected: SignedCheckpoint[];
};

/** The last validly sealed entry of each chain. */
export type LastValidSealedSeqByChain = Map<string, number>;

/** `newest`: the entry of the newest seal of each chain, whether it verifies or not. */
type InspectedSeals = { sealed: LastValidSealedSeqByChain; newest: Map<string, number> };

type SealInspectionInput = {
  keys: AuditKey[];
  chains: string[];
  checkpoints: TrustedCheckpointsBySource;
  result: AuditInspection;
};

/**
 * Verifies every seal of the chains. Old seals that a seal restart accepted as they were become a note instead
 * of a finding.
 */
export async function inspectSeals(input: SealInspectionInput): Promise<InspectedSeals> {
  const { keys, chains, checkpoints, result } = input;
  const inspected: InspectedSeals = { sealed: new Map(), newest: new Map() };
  const takenOver = listAcceptedHeads(checkpoints);
  for (const chain of chains) {
    const seq = await inspectChainSeals({ chain, keys, takenOver: takenOver.get(chain) ?? 0, result });
    if (seq.sealed > 0) inspected.sealed.set(chain, seq.sealed);
    inspected.newest.set(chain, seq.newest);
  }
  return inspected;
}

/**
 * Returns the number of the first sealed entry of a chain that no longer matches its seal, or whose seal our key
 * didn't make; null when there is none.
 */
export async function findFirstSealMismatchSeq(
  chain: string,
  env: Pick<Env, "dataDir" | "AUDIT_KEYS">,
): Promise<number | null> {
  const keys = loadDerivedAuditKeys(env);
  const result: AuditInspection = { findings: [], notes: [] };
  const database = await readSealRestarts(keys);
  const checkpoints = { database, folder: [], expected: [] };
  await inspectSeals({ keys, chains: [chain], checkpoints, result });
  return result.findings[0]?.seq ?? null;
}

async function readSealRestarts(keys: AuditKey[]): Promise<SignedCheckpoint[]> {
  const rows = await prisma.auditCheckpoint.findMany({
    where: { OR: [{ line: { contains: "restore" } }, { line: { contains: "anchor" } }] },
    orderBy: { number: "asc" },
    select: { line: true },
  });
  const trustedKeys = keys.map(({ publicKey }) => publicKey);
  return rows.flatMap(({ line }) => {
    const parsed = parseAndVerifyCheckpoint(line, trustedKeys);
    return parsed?.genuine && isSealRestart(parsed.checkpoint) ? [parsed.checkpoint] : [];
  });
}

/**
 * Returns, by chain, the number of the last entry that the newest seal restart vouches for. Up to it, seals may be
 * missing or not ours.
 */
function listAcceptedHeads({ database, folder }: TrustedCheckpointsBySource): Map<string, number> {
  const newest = [...database, ...folder]
    .filter(isSealRestart)
    .sort((a, b) => a.at.localeCompare(b.at))
    .at(-1);
  return new Map((newest?.heads ?? []).map(({ chain, seq }) => [chain, seq]));
}

type ChainInspectionInput = { chain: string; keys: AuditKey[]; takenOver: number; result: AuditInspection };

async function inspectChainSeals({ chain, keys, takenOver, result }: ChainInspectionInput) {
  let sealed = 0;
  let newest = 0;
  let prevMac = "";
  let excusedCount = 0;
  for await (const seal of streamAuditSeals(chain)) {
    const problem = diagnoseSeal(seal, { keys, prevMac });
    prevMac = seal.mac;
    newest = seal.seq;
    if (problem && seal.seq <= takenOver && problem.kind !== "cut" && problem.kind !== "rewritten")
      excusedCount += 1;
    else if (problem) result.findings.push({ ...problem, chain, seq: seal.seq });
    else sealed = seal.seq;
  }
  if (excusedCount > 0)
    result.notes.push(
      `${formatChainName(chain)}: ${excusedCount} older seals can't be verified; a restore or an anchor took over entries up to ${takenOver} as they were.`,
    );
  return { sealed, newest };
}

/** Returns the first problem of a seal. */
function diagnoseSeal(
  seal: SealWithEntryHash,
  { keys, prevMac }: { keys: AuditKey[]; prevMac: string },
): { kind: "rewritten" | "cut" | "forged" | "missing"; text: string } | undefined {
  const { seq, hash, entryHash, sealedAt } = seal;
  const when = sealedAt.toISOString();
  const verdict = verifySeal(keys, seal);
  if (verdict === "unknown-key")
    return { kind: "forged", text: `the seal of entry ${seq} was made with a key that is not here` };
  if (verdict === "forged")
    return { kind: "forged", text: `the seal of entry ${seq} was not made with our key` };
  if (seal.prevMac !== prevMac)
    return { kind: "missing", text: `seals before the one of entry ${seq} are gone` };
  if (entryHash === null) return { kind: "cut", text: `entry ${seq}, sealed at ${when}, is gone` };
  if (entryHash !== hash)
    return { kind: "rewritten", text: `entry ${seq} or one before it is not what was sealed at ${when}` };
  return undefined;
}

/**
 * Adds a note for each chain with entries that were sealed late: until an entry is sealed, it can be changed unnoticed.
 */
export async function addLateSealNotes({ notes }: AuditInspection): Promise<void> {
  const rows = await sql.$queryRaw<{ chain: string; first: bigint; last: bigint; minutes: number }[]>`
    with sealed_range as (
      select chain, seq, sealed_at, 1 + coalesce(lag(seq) over (partition by chain order by seq), 0) as first
      from audit_seals
    )
    select distinct on (l.chain) l.chain, l.first, l.seq as last,
      floor(extract(epoch from l.sealed_at - ${LATEST_POSSIBLE_TIME_OF_ENTRY_SQL}) / 60)::int as minutes
    from sealed_range l join audit_entries e on e.chain = l.chain and e.seq = l.first
    where l.sealed_at - ${LATEST_POSSIBLE_TIME_OF_ENTRY_SQL} > interval '2 minutes'
    order by l.chain, l.sealed_at - ${LATEST_POSSIBLE_TIME_OF_ENTRY_SQL} desc`;
  for (const { chain, first, last, minutes } of rows)
    notes.push(
      `${formatChainName(chain)}: entries ${first} to ${last} were sealed up to ${minutes} minutes after they were written.`,
    );
}
