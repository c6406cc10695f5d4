import type { Tx } from "#lib/database/client.ts";
import { hashLedgerEntry, formatErasureFileLine } from "#lib/erasures/ledger.ts";
import { isLedgerEntryStored } from "#lib/erasures/queries.ts";

/**
 * Entries of the ledger for what takes away access, so that a restored backup doesn't give it back: people from whom
 * an incident was hidden, conversations that were closed, and words that were replaced
 * (docs/decisions/061). Each is written in the transaction of the change. Entries have no order, so the entry of
 * hiding or letting in holds how often the same person was let in to the incident so far; the highest number applies. The
 * texts are hashed in files that exist: they keep the words with which they began.
 */

const HIDING_SOURCES = ["reporter", "self", "team"] as const;
/** Who decided that somebody must not see an incident. */
export type HidingSource = (typeof HIDING_SOURCES)[number];
type Pair = { incidentId: string; userId: string };

const closedConversation = (conversationId: string) => `conversation:${conversationId}`;
const replacedWords = (conversationId: string, wordsHash: Uint8Array) =>
  `words:${conversationId}:${Buffer.from(wordsHash).toString("hex")}`;
const changedIncident = (incidentId: string) => `exclusions:${incidentId}`;
const letIn = ({ incidentId, userId }: Pair, count: number) => `lift:${incidentId}:${userId}:${count}`;
const hiding = ({ incidentId, userId }: Pair, letInCount: number, source: HidingSource) =>
  `exclusion:${incidentId}:${userId}:${letInCount}:${source === "self" ? "recusal" : source}`;

export const recordConversationClosureInLedger = (tx: Tx, conversationId: string): Promise<void> =>
  storeEntries(tx, [closedConversation(conversationId)]);

/** Records that a conversation was given new words in place of those with this hash. */
export const recordReplacedWordsInLedger = (
  tx: Tx,
  conversationId: string,
  wordsHash: Uint8Array,
): Promise<void> => storeEntries(tx, [replacedWords(conversationId, wordsHash)]);

/** Records that an incident was hidden from a person. The caller has locked the incident. */
export async function recordHidingInLedger(tx: Tx, pair: Pair, source: HidingSource): Promise<void> {
  const letInCount = await countLetIns(tx, pair);
  await storeEntries(tx, [changedIncident(pair.incidentId), hiding(pair, letInCount, source)]);
}

/** Records that a person was let in to an incident. The caller has locked it. */
export async function recordLetInInLedger(tx: Tx, pair: Pair): Promise<void> {
  const letInCount = await countLetIns(tx, pair);
  await storeEntries(tx, [changedIncident(pair.incidentId), letIn(pair, letInCount + 1)]);
}

async function countLetIns(tx: Tx, pair: Pair): Promise<number> {
  let count = 0;
  while (await isLedgerEntryStored(tx, hashLedgerEntry(letIn(pair, count + 1)))) count += 1;
  return count;
}

async function storeEntries(tx: Tx, entries: string[]): Promise<void> {
  const data = entries.map((entry) => ({ hash: hashLedgerEntry(entry) }));
  await tx.erasure.createMany({ data, skipDuplicates: true });
}

/** Records all changes for a person that the erasure file has, in the transaction that repeats the last one. */
export async function recordReaderChangesOfFileInLedger(tx: Tx, lines: Lines, pair: Pair): Promise<void> {
  const letInCount = countLetInsInFile(lines, pair);
  const entries = Array.from({ length: letInCount + 1 }, (_, count) => [
    letIn(pair, count),
    ...HIDING_SOURCES.map((source) => hiding(pair, count, source)),
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
export const hasReaderChangesInLedger = (lines: Lines, incidentId: string): boolean =>
  has(lines, changedIncident(incidentId));

/**
 * Returns what a restored backup lacks about a person and an incident: who hid it last, `letIn`
 * if none does, or null if it lacks nothing.
 * @param lines all lines of the erasure file
 * @param forgotten the lines without a row in the restored database
 */
export function findReaderChangeLostInRestore(
  lines: Lines,
  forgotten: Lines,
  pair: Pair,
): HidingSource | "letIn" | null {
  const letInCount = countLetInsInFile(lines, pair);
  const source = HIDING_SOURCES.find((one) => has(lines, hiding(pair, letInCount, one)));
  if (source) return has(forgotten, hiding(pair, letInCount, source)) ? source : null;
  return letInCount > 0 && has(forgotten, letIn(pair, letInCount)) ? "letIn" : null;
}

function countLetInsInFile(lines: Lines, pair: Pair): number {
  let count = 0;
  while (has(lines, letIn(pair, count + 1))) count += 1;
  return count;
}
