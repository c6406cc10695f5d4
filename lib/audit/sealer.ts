import { setTimeout as sleep } from "node:timers/promises";
import { AUDIT_SEAL_LOCK } from "#lib/database/advisory-locks.ts";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import {
  appendCheckpointsToDailyFile,
  replaceOrRemoveInterimCheckpoint,
} from "#lib/audit/checkpoint-files.ts";
import { signCheckpoint, type ChainHead, type SignedCheckpoint } from "#lib/audit/checkpoints.ts";
import { loadDerivedAuditKeys, type AuditKey } from "#lib/audit/keys.ts";
import {
  refreshCheckpointedAuditChains,
  updateKnownChainsFromCheckpoint,
  loadCheckpointedAuditChains,
  SealingRefusedError,
  type CheckpointedAuditChains,
} from "#lib/audit/known-chains.ts";
import { verifySeal, createSeal, type AuditSeal } from "#lib/audit/seals.ts";
import { verifyAuditEntryRange } from "#lib/audit/verify.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { describeErrorForLog } from "#lib/observability/error-reason.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { log } from "#lib/observability/log.ts";
import type { SqlClient } from "#lib/database/sql.ts";

/**
 * Seals the audit log and signs its checkpoints (docs/decisions/036). The database computes the hashes in the
 * statement that writes an entry; a few seconds later this module seals the newest hash of each chain with a key that
 * the database never sees.
 */

const SEAL_INTERVAL_MS = 5000;
const CHECKPOINT_INTERVAL_MS = 3600_000;
/** Entries of one chain after which a checkpoint comes before the hour is over. */
const MAX_ENTRIES_PER_CHECKPOINT = 1000;
/** A refused chain is checked again after this long. */
const RETRY_REFUSED_MS = 600_000;
/**
 * Limits of a round, since it keeps a transaction open: a long chain without seals, or many of them, take several
 * rounds.
 */
const MAX_ENTRIES_PER_SEAL = 20_000;
const MAX_ROUND_MS = 5000;
const STOP_TIMEOUT_MS = 10_000;

type AuditSealerHandle = {
  /** Seals the entries that aren't sealed yet, then stops. */
  stop(): Promise<void>;
};

/** Starts sealing in this process until it is stopped. Of several processes on one database, one seals at a time. */
export function startAuditSealer(): AuditSealerHandle {
  const chainSealer = new AuditChainsSealer();
  const stopped = new AbortController();
  let lastProblem = "";
  const round = async () => {
    const problem = await chainSealer.seal().then(
      () => "",
      (error: unknown) => (error instanceof SealingRefusedError ? error.message : describeErrorForLog(error)),
    );
    if (problem && problem !== lastProblem)
      log.error({ source: "audit", reason: problem }, "the audit log can't be sealed");
    lastProblem = problem;
  };
  const sealing = (async () => {
    while (!stopped.signal.aborted) {
      await round();
      await sleep(SEAL_INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
    await round();
  })();
  return {
    stop: async () => {
      stopped.abort();
      await Promise.race([sealing, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

type SealingResult = { seals: AuditSeal[]; checkpoint: SignedCheckpoint | undefined };

/** Seals round by round and keeps what it knows of the chains between rounds. */
export class AuditChainsSealer {
  #knownChains: CheckpointedAuditChains | undefined;
  /** When a checkpoint last followed one from the future, by the process's timer. */
  #correctedAt = -Infinity;
  readonly #refusedChains = new Map<string, { reason: string; until: number }>();

  /**
   * Seals what was written since the last round, and signs a checkpoint when one is due.
   * @param force whether to sign a checkpoint in any case
   * @throws SealingRefusedError when checkpoints are missing or changed
   */
  async seal({ force = false } = {}): Promise<void> {
    try {
      const known = (this.#knownChains ??= await loadCheckpointedAuditChains(env()));
      const round = await runSqlTransaction((tx) => this.#sealUnderLock(tx, known, force));
      if (round) this.#applyCommitted(known, round);
    } catch (error) {
      // The commit may or may not have happened, so the next round reads the checkpointed chains again.
      this.#knownChains = undefined;
      throw error;
    }
  }

  async #sealUnderLock(
    tx: SqlClient,
    known: CheckpointedAuditChains,
    force: boolean,
  ): Promise<SealingResult | undefined> {
    const [lock] = await tx.$queryRaw<{ mine: boolean }[]>`
      select pg_try_advisory_xact_lock(${AUDIT_SEAL_LOCK}::bigint) as mine`;
    if (!lock?.mine) return undefined;
    const keys = loadDerivedAuditKeys(env());
    const [key] = keys;
    if (!key) throw new SealingRefusedError("there is no key for it");
    await refreshCheckpointedAuditChains(tx, known);
    const { pending } = known;
    if (pending) await applySealRestart(tx, keys, pending);
    const seals = await this.#sealChains(tx, known, keys);
    const checkpoint = pending ? undefined : await this.#makeCheckpoint(tx, { known, keys, seals, force });
    const newCheckpoint = pending ?? checkpoint;
    if (newCheckpoint) await storeCheckpoint(tx, newCheckpoint);
    return { seals, checkpoint: newCheckpoint };
  }

  /** After the commit, updates what is known and the files of this data folder. */
  #applyCommitted(known: CheckpointedAuditChains, { seals, checkpoint }: SealingResult): void {
    const config = env();
    const isNew = checkpoint !== undefined && checkpoint !== known.pending;
    appendCheckpointsToDailyFile(config, isNew ? [...known.uncopied, checkpoint] : known.uncopied);
    known.uncopied = [];
    if (checkpoint) updateKnownChainsFromCheckpoint(known, checkpoint);
    known.pending = undefined;
    for (const { chain, seq, hash } of seals) known.heads.set(chain, { chain, seq, hash });
    if (checkpoint) replaceOrRemoveInterimCheckpoint(config);
    if (seals.some(({ chain, seq }) => known.checkpointed.get(chain) !== seq))
      replaceOrRemoveInterimCheckpoint(config, signInterimCheckpoint(known));
  }

  async #sealChains(tx: SqlClient, known: CheckpointedAuditChains, keys: AuditKey[]): Promise<AuditSeal[]> {
    const grown = (await readGrownChains(tx)).filter(({ chain }) => !this.#isRefused(chain));
    const changedChains = await listChangedChains(
      tx,
      grown.flatMap(({ chain }) => known.heads.get(chain) ?? []),
    );
    const seals: AuditSeal[] = [];
    const end = performance.now() + MAX_ROUND_MS;
    for (const one of grown) {
      if (performance.now() > end) break;
      const reason = changedChains.has(one.chain)
        ? "it is not as it was sealed"
        : findRefusalReason(one, known, keys);
      const seal = reason ?? (await sealChain(one, keys));
      if (typeof seal === "string") this.#refuseChain(one.chain, seal);
      else seals.push(seal);
    }
    await writeSeals(tx, seals);
    return seals;
  }

  #isRefused = (chain: string): boolean => (this.#refusedChains.get(chain)?.until ?? 0) > Date.now();

  #refuseChain(chain: string, reason: string): void {
    if (this.#refusedChains.get(chain)?.reason !== reason)
      log.error({ source: "audit", chain, reason }, "a chain of the audit log can't be sealed");
    this.#refusedChains.set(chain, { reason, until: Date.now() + RETRY_REFUSED_MS });
  }

  async #makeCheckpoint(
    tx: SqlClient,
    {
      known,
      keys,
      seals,
      force,
    }: { known: CheckpointedAuditChains; keys: AuditKey[]; seals: AuditSeal[]; force: boolean },
  ): Promise<SignedCheckpoint | undefined> {
    const [key] = keys;
    if (!key || !(force || isCheckpointDue(known, seals) || this.#correctsFutureCheckpoint(known)))
      return undefined;
    for (const chain of await listChangedChains(tx, [...known.heads.values()]))
      this.#refuseChain(chain, "it is not as it was sealed");
    const sealedChains = await readSealedChains(tx);
    const at = new Date().toISOString();
    const complete = known.completeDay !== at.slice(0, 10);
    const isRefused = ({ chain, seal }: SealedChain) =>
      this.#isRefused(chain) || (seal !== null && verifySeal(keys, seal) !== "genuine");
    // Chains without a seal yet, because their entries are too new, go into the next checkpoint.
    const chains = sealedChains.filter((one) => one.seal || isRefused(one));
    if (chains.length === 0) return undefined;
    const heads = chains
      .filter((one) => !isRefused(one))
      .flatMap(({ seal }) => (seal ? [{ chain: seal.chain, seq: seal.seq, hash: seal.hash }] : []))
      .filter(({ chain, seq }) => complete || known.checkpointed.get(chain) !== seq);
    return signCheckpoint(key, {
      kind: "periodic",
      number: (known.newest?.number ?? 0) + 1,
      previous: known.newest?.digest ?? null,
      at,
      chains: chains.length,
      complete,
      heads,
      refused: chains.filter(isRefused).map(({ chain }) => chain),
    });
  }

  /**
   * Returns whether the newest checkpoint was signed by a clock ahead of time and another is to follow it, which happens at
   * most once an hour: where the clocks of two machines differ, each would otherwise correct the other.
   */
  #correctsFutureCheckpoint({ newest }: CheckpointedAuditChains): boolean {
    if (!newest || newest.at.getTime() - Date.now() < CHECKPOINT_INTERVAL_MS) return false;
    if (performance.now() - this.#correctedAt < CHECKPOINT_INTERVAL_MS) return false;
    this.#correctedAt = performance.now();
    return true;
  }
}

const isCheckpointDue = ({ newest, checkpointed }: CheckpointedAuditChains, seals: AuditSeal[]): boolean =>
  newest === undefined ||
  Date.now() - newest.at.getTime() >= CHECKPOINT_INTERVAL_MS ||
  seals.some(({ chain, seq }) => seq - (checkpointed.get(chain) ?? 0) >= MAX_ENTRIES_PER_CHECKPOINT);

/** Signs what was sealed since the newest checkpoint. */
function signInterimCheckpoint({
  heads,
  checkpointed,
  newest,
}: CheckpointedAuditChains): SignedCheckpoint | undefined {
  const [key] = loadDerivedAuditKeys(env());
  if (!key) return undefined;
  return signCheckpoint(key, {
    kind: "interim",
    number: newest?.number ?? 0,
    previous: newest?.digest ?? null,
    at: new Date().toISOString(),
    chains: heads.size,
    complete: false,
    heads: [...heads.values()].filter(({ chain, seq }) => checkpointed.get(chain) !== seq),
    refused: [],
  });
}

type SealedChain = { chain: string; seq: number; seal: AuditSeal | null };
type SealRow = {
  chain: string;
  seq: bigint;
  sealSeq: bigint | null;
  hash: string;
  sealedAt: Date;
  prevMac: string;
  mac: string;
  keyId: string;
};

const toSealedChain = ({ chain, seq, sealSeq, ...seal }: SealRow): SealedChain => ({
  chain,
  seq: Number(seq),
  seal: sealSeq === null ? null : { chain, seq: Number(sealSeq), ...seal },
});

/** Reads the chains whose newest entry isn't sealed. */
const readGrownChains = (tx: SqlClient): Promise<SealedChain[]> => readSealedChains(tx, { grown: true });

/** Reads the chains with entries, each with its newest seal. `grown`: only those whose newest entry isn't sealed. */
async function readSealedChains(tx: SqlClient, { grown = false } = {}): Promise<SealedChain[]> {
  const rows = await tx.$queryRaw<SealRow[]>`
    select c.chain, c.seq, s.seq as "sealSeq", encode(s.hash, 'hex') as hash, s.sealed_at as "sealedAt",
      encode(s.prev_mac, 'hex') as "prevMac", encode(s.mac, 'hex') as mac, s.key_id as "keyId"
    from audit_chains c left join lateral (
      select * from audit_seals s where s.chain = c.chain order by s.seq desc limit 1
    ) s on true
    where c.seq > 0 and (not ${grown} or c.seq is distinct from s.seq) order by c.chain`;
  return rows.map(toSealedChain);
}

/** Returns the chains in which the database no longer has the entry of the given head. */
async function listChangedChains(tx: SqlClient, heads: ChainHead[]): Promise<Set<string>> {
  if (heads.length === 0) return new Set();
  const rows = await tx.$queryRaw<{ chain: string }[]>`
    select k.chain
    from unnest(${heads.map(({ chain }) => chain)}::text[], ${heads.map(({ seq }) => seq)}::bigint[],
      ${heads.map(({ hash }) => hash)}::text[]) as k(chain, seq, hash)
    left join audit_entries e on e.chain = k.chain and e.seq = k.seq
    where encode(e.hash, 'hex') is distinct from k.hash`;
  return new Set(rows.map(({ chain }) => chain));
}

/** Returns the reason not to seal a chain; undefined when it can be sealed. */
function findRefusalReason(
  { chain, seq, seal }: SealedChain,
  known: CheckpointedAuditChains,
  keys: AuditKey[],
): string | undefined {
  if (!seal) return known.heads.has(chain) ? "its seals are gone" : undefined;
  if (seq < seal.seq) return "it is shorter than it was sealed";
  const verdict = verifySeal(keys, seal);
  if (verdict === "unknown-key") return "its last seal was made with a key that is not here";
  return verdict === "forged" ? "its last seal was not made with our key" : undefined;
}

/** @returns the new seal, or the reason for refusing when the entries don't match what was sealed */
async function sealChain({ chain, seq, seal }: SealedChain, [key]: AuditKey[]): Promise<AuditSeal | string> {
  const from = seal ? { seq: seal.seq, hash: seal.hash } : { seq: 0, hash: "" };
  const upTo = Math.min(seq, from.seq + MAX_ENTRIES_PER_SEAL);
  const { hash, brokenAt } = await verifyAuditEntryRange(chain, from, upTo);
  if (brokenAt !== null || !key) return `its entry ${brokenAt} does not fit`;
  return createSeal(key, { chain, seq: upTo, hash, sealedAt: new Date(), prevMac: seal?.mac ?? "" });
}

async function writeSeals(tx: SqlClient, seals: AuditSeal[]): Promise<void> {
  if (seals.length === 0) return;
  const column = <Name extends keyof AuditSeal>(name: Name) => seals.map((seal) => seal[name]);
  await tx.$executeRaw`
    insert into audit_seals (chain, seq, hash, prev_mac, mac, key_id, sealed_at)
    select chain, seq, decode(hash, 'hex'), decode(prev_mac, 'hex'), decode(mac, 'hex'), key_id, sealed_at
    from unnest(${column("chain")}::text[], ${column("seq")}::bigint[], ${column("hash")}::text[],
      ${column("prevMac")}::text[], ${column("mac")}::text[], ${column("keyId")}::text[],
      ${column("sealedAt").map((at) => at.toISOString())}::timestamptz[])
      as s(chain, seq, hash, prev_mac, mac, key_id, sealed_at)
    on conflict (chain, seq) do update set hash = excluded.hash, prev_mac = excluded.prev_mac, mac = excluded.mac,
      key_id = excluded.key_id, sealed_at = excluded.sealed_at`;
}

/** Stores a checkpoint in the database and queues it for the operator's destination, if one is set. */
async function storeCheckpoint(tx: SqlClient, checkpoint: SignedCheckpoint): Promise<void> {
  const { number, at, line, kind } = checkpoint;
  await tx.$executeRaw`
    insert into audit_checkpoints (number, at, line) values (${number}::bigint, ${new Date(at)}::timestamptz, ${line})`;
  const url = env().AUDIT_CHECKPOINT_URL;
  if (url)
    await enqueueJob(tx, url.startsWith("mailto:") ? "mail.auditCheckpoint" : "postAuditCheckpoint", {
      number,
    });
  if (kind !== "restore" && kind !== "anchor") return;
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      { right: "service" },
      kind === "restore" ? "audit.restore" : "audit.anchor",
      { type: "audit", id: null },
      {
        checkpoint: number,
        at,
        ...(checkpoint.backupTakenAt ? { backupTakenAt: checkpoint.backupTakenAt } : {}),
      },
    ),
  );
}

/**
 * Seals the chains as a seal restart recorded them, whatever their seals were; entries that no longer match the record
 * stay unsealed.
 */
async function applySealRestart(tx: SqlClient, keys: AuditKey[], { heads }: SignedCheckpoint): Promise<void> {
  const [key] = keys;
  if (!key) return;
  await tx.$executeRaw`
    delete from audit_seals s where not exists (
      select 1 from unnest(${heads.map(({ chain }) => chain)}::text[], ${heads.map(({ seq }) => seq)}::bigint[])
        as h(chain, seq) where h.chain = s.chain and s.seq <= h.seq)`;
  const formerSeals = new Map((await readSealedChains(tx)).map(({ chain, seal }) => [chain, seal]));
  const changedChains = await listChangedChains(tx, heads);
  const seals = heads.flatMap(({ chain, seq, hash }) => {
    const seal = formerSeals.get(chain);
    const isSealed = seal?.seq === seq && seal.hash === hash && verifySeal(keys, seal) === "genuine";
    if (isSealed || changedChains.has(chain)) return [];
    const prevMac = (seal?.seq === seq ? seal.prevMac : seal?.mac) ?? "";
    return [createSeal(key, { chain, seq, hash, sealedAt: new Date(), prevMac })];
  });
  await writeSeals(tx, seals);
}
