import { listAcceptances, type AuditLogAcceptance } from "#lib/audit/acceptances.ts";
import type { AuditFinding } from "#lib/audit/findings.ts";
import { listLostHeads } from "#lib/audit/heads-queries.ts";
import { readRecordedHeads, type AuditHead } from "#lib/audit/heads.ts";
import { loadAuditKeys } from "#lib/audit/keys.ts";
import { isEntryGenuine, type AuditEntryRow } from "#lib/audit/mac.ts";
import { listAuditChains, listStoredEntries, readChainState } from "#lib/audit/verify-queries.ts";
import { env } from "#lib/env.ts";

/**
 * Verifies the audit log in the service: recomputes the MAC of each entry, and compares the chains with the heads that are
 * known from outside of the database (docs/decisions/072).
 */

/** What is wrong with a chain; `ok` without findings. `brokenAt` is the first entry that isn't as it was. */
export type AuditChainVerification = {
  chain: string;
  entries: number;
  ok: boolean;
  brokenAt: number | null;
  /** The MAC of the newest entry in hex; null for an empty chain. */
  head: string | null;
  findings: AuditFinding[];
  /** Entries whose key is lost, which the operator accepted. */
  unverifiable: number;
};

/** Heads from outside of the database, and when they were taken at the latest. */
export type KnownAuditHeads = { source: string; at: string; heads: AuditHead[] };

/**
 * Verifies every chain, those of deleted organizations included.
 * @param expected heads that were kept elsewhere, beside those of the data folder
 */
export async function verifyAuditLog(
  expected: readonly KnownAuditHeads[] = [],
): Promise<AuditChainVerification[]> {
  const acceptances = await listAcceptances();
  const recorded = readRecordedHeads(env());
  const all = [...expected, ...(recorded ? [{ source: "the data folder", ...recorded }] : [])];
  const chains = new Set([
    ...(await listAuditChains()),
    ...all.flatMap(({ heads }) => heads.map(({ chain }) => chain)),
  ]);
  const results: AuditChainVerification[] = [];
  for (const chain of [...chains].toSorted()) {
    const result = await runVerification(chain, acceptances);
    results.push(await compareWithHeads(result, all, acceptances));
  }
  return results;
}

/** Verifies one chain as it is now. Concurrent calls share one verification. */
export function verifyAuditChain(chain: string): Promise<AuditChainVerification> {
  const running = runningVerifications.get(chain);
  if (running) return running;
  const work = (async () => {
    const acceptances = await listAcceptances();
    const recorded = readRecordedHeads(env());
    const known = recorded ? [{ source: "the data folder", ...recorded }] : [];
    return compareWithHeads(await runVerification(chain, acceptances), known, acceptances);
  })().finally(() => runningVerifications.delete(chain));
  runningVerifications.set(chain, work);
  return work;
}

const runningVerifications = new Map<string, Promise<AuditChainVerification>>();

/** Entries per statement, so that a long log occupies neither a connection nor a snapshot for long. */
const BATCH_SIZE = 1000;

type Progress = { seq: number; mac: string; unverifiable: number; finding?: AuditFinding };

async function runVerification(
  chain: string,
  acceptances: readonly AuditLogAcceptance[],
): Promise<AuditChainVerification> {
  const state = await readChainState(chain);
  const judge = createEntryJudge(acceptances);
  let last: Progress = { seq: 0, mac: "", unverifiable: 0 };
  for (let full = true; full && !last.finding;) {
    const rows = await listStoredEntries(chain, { after: last.seq, upTo: state.newest, limit: BATCH_SIZE });
    full = rows.length === BATCH_SIZE;
    for (const row of rows) {
      last = judge(last, row);
      if (last.finding) break;
    }
  }
  const finding = last.finding ?? findWrongHead(chain, state, last);
  return toVerification(chain, { ...state, unverifiable: last.unverifiable }, finding ? [finding] : []);
}

function toVerification(
  chain: string,
  { entries, mac, unverifiable }: { entries: number; mac: string; unverifiable: number },
  findings: AuditFinding[],
): AuditChainVerification {
  const seqs = findings.map(({ seq }) => seq);
  const brokenAt = seqs.length > 0 ? Math.min(...seqs) : null;
  return { chain, entries, ok: brokenAt === null, brokenAt, head: mac || null, findings, unverifiable };
}

/** Creates what judges an entry by the one before it. */
function createEntryJudge(acceptances: readonly AuditLogAcceptance[]) {
  const keys = new Map(loadAuditKeys(env()).map((key) => [key.id, key]));
  const isKeyLost = ({ chain, seq, keyId }: AuditEntryRow) =>
    acceptances.some(({ lostKeys, ends }) => lostKeys.includes(keyId) && seq <= (ends.get(chain) ?? 0));
  return (last: Progress, row: AuditEntryRow): Progress => {
    const { chain, seq, keyId, mac } = row;
    const key = keys.get(keyId);
    const next = { ...last, seq, mac };
    if (seq !== last.seq + 1)
      return { ...last, finding: createFinding("cut", chain, last.seq + 1, "is gone, and others follow") };
    if (!key && isKeyLost(row)) return { ...next, unverifiable: last.unverifiable + 1 };
    if (!key) return { ...last, finding: createFinding("forged", chain, seq, "has a key that is not here") };
    if (!isEntryGenuine(key, last.mac, row))
      return { ...last, finding: createFinding("rewritten", chain, seq, "is not as it was written") };
    return next;
  };
}

/** The head that the database keeps is the newest entry, unless somebody wrote past the service. */
function findWrongHead(
  chain: string,
  head: { seq: number; mac: string },
  last: Progress,
): AuditFinding | undefined {
  if (head.seq === last.seq && head.mac === last.mac) return undefined;
  return head.seq > last.seq
    ? createFinding("cut", chain, last.seq + 1, "is gone; the chain counts it")
    : createFinding("rewritten", chain, last.seq, "is not the head of its chain");
}

const createFinding = (
  kind: AuditFinding["kind"],
  chain: string,
  seq: number,
  what: string,
): AuditFinding => ({
  kind,
  chain,
  seq,
  text: `entry ${seq} ${what}`,
});

/** Adds what the heads from outside say of a chain. */
async function compareWithHeads(
  result: AuditChainVerification,
  known: readonly KnownAuditHeads[],
  acceptances: readonly AuditLogAcceptance[],
): Promise<AuditChainVerification> {
  const { chain, entries, head, unverifiable } = result;
  const findings = [...result.findings];
  for (const { source, at, heads } of known) {
    const lost = await listLostHeads(heads.filter((one) => one.chain === chain));
    for (const { seq, found } of lost) {
      if (acceptances.some((acceptance) => isUndoneByRestore(acceptance, { chain, seq, at }))) continue;
      const about = `which ${source} has from ${at}`;
      findings.push(
        found === null
          ? createFinding("cut", chain, seq, `is gone, ${about}`)
          : result.ok
            ? createFinding("forked", chain, seq, `is another one than that ${about}`)
            : createFinding("rewritten", chain, seq, `or one before it is not that ${about}`),
      );
    }
  }
  return toVerification(chain, { entries, mac: head ?? "", unverifiable }, findings);
}

/** Clocks of database and service may differ. */
const CLOCK_SLACK_MS = 60_000;

/** Whether a head is gone since a backup was restored that is older. */
const isUndoneByRestore = (
  { at, backupTakenAt, ends }: AuditLogAcceptance,
  head: { chain: string; seq: number; at: string },
): boolean =>
  backupTakenAt !== undefined &&
  head.at < at &&
  Date.parse(head.at) > Date.parse(backupTakenAt) - CLOCK_SLACK_MS &&
  (ends.get(head.chain) ?? 0) < head.seq;
