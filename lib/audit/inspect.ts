import { readCheckpointLines, readInterimCheckpointLine } from "#lib/audit/checkpoint-files.ts";
import { parseAndVerifyCheckpoint, type SignedCheckpoint } from "#lib/audit/checkpoints.ts";
import { formatChainName, type AuditFinding, type AuditInspection } from "#lib/audit/findings.ts";
import { compareChainsWithCheckpoints } from "#lib/audit/inspect-checkpoints.ts";
import { inspectSeals, addLateSealNotes, type LastValidSealedSeqByChain } from "#lib/audit/inspect-seals.ts";
import { loadDerivedAuditKeys } from "#lib/audit/keys.ts";
import type { AuditChainVerificationResult } from "#lib/audit/verify.ts";
import { LATEST_POSSIBLE_TIME_OF_ENTRY_SQL } from "#lib/audit/latest-entry-time-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { Env } from "#lib/env.ts";

/** Checkpoint lines, and a description of where they came from. */
export type CheckpointLinesOfSource = { source: string; lines: string[] };

type InspectionInput = {
  env: Pick<Env, "dataDir" | "AUDIT_KEYS">;
  /** Checkpoints that were stored elsewhere. */
  expected: CheckpointLinesOfSource[];
  /** Public keys that are trusted besides those of this installation. */
  publicKeys: string[];
  /** Result of recomputing the hashes. */
  results: AuditChainVerificationResult[];
};

/** Entries should be sealed within this time. */
const MAX_UNSEALED_SECONDS = 60;

/**
 * Compares the audit log with its seals and with the checkpoints of the database, of the data folder and from
 * elsewhere. Reads only.
 */
export async function inspectAuditSealsAndCheckpoints({
  env,
  expected,
  publicKeys,
  results,
}: InspectionInput): Promise<AuditInspection> {
  const keys = loadDerivedAuditKeys(env);
  const trustedKeys = [...keys.map(({ publicKey }) => publicKey), ...publicKeys];
  const result: AuditInspection = { findings: [], notes: [] };
  const ownSources = [
    { source: "the database", lines: await readDatabaseLines() },
    {
      source: "the data folder",
      lines: [...readCheckpointLines(env), readInterimCheckpointLine(env) ?? []].flat(),
    },
  ];
  const [database = [], folder = [], ...others] = [...ownSources, ...expected].map((one) =>
    readGenuineCheckpoints(one, trustedKeys, result),
  );
  const checkpoints = { database, folder, expected: others.flat() };
  const { sealed, newest } = await inspectSeals({
    keys,
    chains: results.map(({ chain }) => chain),
    checkpoints,
    result,
  });
  await compareChainsWithCheckpoints(checkpoints, { result, sealed, newest });
  await reportUnsealedEntries(sealed, result);
  await addLateSealNotes(result);
  return result;
}

/** Returns the checkpoints that a trusted key signed; the others become findings. */
function readGenuineCheckpoints(
  { source, lines }: CheckpointLinesOfSource,
  trustedKeys: readonly string[],
  { findings, notes }: AuditInspection,
): SignedCheckpoint[] {
  return lines.flatMap((line, index) => {
    const parsed = parseAndVerifyCheckpoint(line, trustedKeys);
    if (parsed?.genuine) return [parsed.checkpoint];
    if (!parsed && source === "the data folder") {
      notes.push(`Line ${index + 1} of the checkpoints in the data folder can't be read.`);
      return [];
    }
    const what = parsed
      ? `checkpoint ${parsed.checkpoint.number}`
      : `line ${index + 1}, which is no checkpoint,`;
    const why =
      parsed && !trustedKeys.includes(parsed.checkpoint.publicKey) ? "another key than ours" : "no key";
    const text = parsed
      ? `${what} of ${source} was signed with ${why}: ${parsed.checkpoint.publicKey}`
      : `${what} stands in ${source}`;
    findings.push({ kind: "forged", chain: null, seq: null, text });
    return [];
  });
}

async function readDatabaseLines(): Promise<string[]> {
  const rows = await prisma.auditCheckpoint.findMany({ orderBy: { number: "asc" }, select: { line: true } });
  return rows.map(({ line }) => line);
}

type UnsealedEntries = { chain: string; count: bigint; first: bigint; age: number };

/** Reports entries that are newer than the last seal. A signed checkpoint counts as a seal. */
async function reportUnsealedEntries(
  sealed: LastValidSealedSeqByChain,
  { findings, notes }: AuditInspection,
): Promise<void> {
  const known = [...sealed];
  const rows = await sql.$queryRaw<UnsealedEntries[]>`
    with known as (
      select * from unnest(${known.map(([chain]) => chain)}::text[], ${known.map(([, seq]) => seq)}::bigint[])
        as k(chain, seq)
    )
    select c.chain, count(*) as count, min(e.seq) as first, extract(epoch from now() - min(${LATEST_POSSIBLE_TIME_OF_ENTRY_SQL}))::float8 as age
    from (select distinct chain from audit_chains) c left join known k on k.chain = c.chain
    join audit_entries e on e.chain = c.chain and e.seq > coalesce(k.seq, 0)
    group by c.chain order by c.chain`;
  for (const { chain, count, first, age } of rows)
    findings.push(...toUnsealedFindings({ chain, count, first, age }));
  const recentRows = rows.filter(({ age }) => age <= MAX_UNSEALED_SECONDS);
  for (const { chain, count } of recentRows)
    notes.push(`${formatChainName(chain)}: ${formatEntryCount(Number(count))} newer than the last seal.`);
}

function toUnsealedFindings({ chain, count, first, age }: UnsealedEntries): AuditFinding[] {
  if (age <= MAX_UNSEALED_SECONDS) return [];
  const minutes = Math.floor(age / 60);
  const since = minutes === 1 ? "a minute" : `${minutes} minutes`;
  const text = `${formatEntryCount(Number(count))} from number ${first} on not sealed, the oldest for ${since}; anybody with the database could have changed them`;
  return [{ kind: "unsealed", chain, seq: Number(first), text }];
}

const formatEntryCount = (count: number): string => (count === 1 ? "1 entry is" : `${count} entries are`);
