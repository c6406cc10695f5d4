import type { Tx } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { hashLedgerEntry, formatErasureFileLine } from "#lib/erasures/ledger.ts";
import { isLedgerEntryStored } from "#lib/erasures/queries.ts";

/**
 * Entries of the ledger for what takes away access, so that a restored backup doesn't give it back: people from whom
 * an incident was hidden, conversations that were closed, and words that were replaced
 * (docs/decisions/061). Each is written in the transaction of the change. Entries have no order, so the entry of an
 * exclusion or of a lift holds how often exclusions of the same person from the incident were lifted so far; the
 * highest number applies.
 */

const EXCLUSION_SOURCES = ["reporter", "recusal", "team"] as const;
/** Who decided that somebody must not see an incident. */
export type HidingSource = (typeof EXCLUSION_SOURCES)[number];
type Pair = { incidentId: string; userId: string };

const closedConversation = (conversationId: string) => `conversation:${conversationId}`;
const replacedWords = (conversationId: string, wordsHash: Uint8Array) =>
  `words:${conversationId}:${Buffer.from(wordsHash).toString("hex")}`;
const changedIncident = (incidentId: string) => `exclusions:${incidentId}`;
const lift = ({ incidentId, userId }: Pair, count: number) => `lift:${incidentId}:${userId}:${count}`;
const exclusion = ({ incidentId, userId }: Pair, liftCount: number, source: HidingSource) =>
  `exclusion:${incidentId}:${userId}:${liftCount}:${source}`;

export const recordConversationClosureInLedger = (tx: SqlClient, conversationId: string): Promise<void> =>
  storeEntries(tx, [closedConversation(conversationId)]);

/** Records that a conversation was given new words in place of those with this hash. */
export const recordReplacedWordsInLedger = (
  tx: SqlClient,
  conversationId: string,
  wordsHash: Uint8Array,
): Promise<void> => storeEntries(tx, [replacedWords(conversationId, wordsHash)]);

/** Records that an incident was hidden from a person. The caller has locked the incident. */
export async function recordExclusionInLedger(tx: Tx, pair: Pair, source: HidingSource): Promise<void> {
  const liftCount = await countLifts(tx, pair);
  await storeEntries(tx, [changedIncident(pair.incidentId), exclusion(pair, liftCount, source)]);
}

/** Records that an exclusion was lifted. The caller has locked the exclusion. */
export async function recordExclusionLiftInLedger(tx: Tx, pair: Pair): Promise<void> {
  const liftCount = await countLifts(tx, pair);
  await storeEntries(tx, [changedIncident(pair.incidentId), lift(pair, liftCount + 1)]);
}

async function countLifts(tx: Tx, pair: Pair): Promise<number> {
  let count = 0;
  while (await isLedgerEntryStored(tx, hashLedgerEntry(lift(pair, count + 1)))) count += 1;
  return count;
}

async function storeEntries(tx: SqlClient, entries: string[]): Promise<void> {
  for (const entry of entries)
    await tx.$executeRaw`insert into erasures (hash) values (${hashLedgerEntry(entry)}::bytea) on conflict do nothing`;
}

/** Records all changes of an exclusion that the erasure file has, in the transaction that repeats the last one. */
export async function recordExclusionChangesOfFileInLedger(tx: Tx, lines: Lines, pair: Pair): Promise<void> {
  const liftCount = countLiftsInFile(lines, pair);
  const entries = Array.from({ length: liftCount + 1 }, (_, count) => [
    lift(pair, count),
    ...EXCLUSION_SOURCES.map((source) => exclusion(pair, count, source)),
  ]);
  await storeEntries(
    tx,
    [changedIncident(pair.incidentId), ...entries.flat()].filter((entry) => has(lines, entry)),
  );
}

type Lines = ReadonlySet<string>;
const has = (lines: Lines, entry: string): boolean =>
  lines.has(formatErasureFileLine(hashLedgerEntry(entry)));

export const hasConversationClosureInLedger = (lines: Lines, conversationId: string): boolean =>
  has(lines, closedConversation(conversationId));
export const hasReplacedWordsInLedger = (
  lines: Lines,
  conversationId: string,
  wordsHash: Uint8Array,
): boolean => has(lines, replacedWords(conversationId, wordsHash));
export const hasExclusionChangesInLedger = (lines: Lines, incidentId: string): boolean =>
  has(lines, changedIncident(incidentId));

/**
 * Returns what a restored backup lacks about a person and an incident: the source of the exclusion that holds, `lifted`
 * if none does, or null if it lacks nothing.
 * @param lines all lines of the erasure file
 * @param forgotten the lines without a row in the restored database
 */
export function findExclusionChangeLostInRestore(
  lines: Lines,
  forgotten: Lines,
  pair: Pair,
): HidingSource | "lifted" | null {
  const liftCount = countLiftsInFile(lines, pair);
  const source = EXCLUSION_SOURCES.find((one) => has(lines, exclusion(pair, liftCount, one)));
  if (source) return has(forgotten, exclusion(pair, liftCount, source)) ? source : null;
  return liftCount > 0 && has(forgotten, lift(pair, liftCount)) ? "lifted" : null;
}

function countLiftsInFile(lines: Lines, pair: Pair): number {
  let count = 0;
  while (has(lines, lift(pair, count + 1))) count += 1;
  return count;
}
