import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { listAuditHeads, listLostHeads } from "#lib/audit/heads-queries.ts";
import { readRecordedHeads, recordAuditHeads, type AuditHead } from "#lib/audit/heads.ts";
import { loadAuditKeys } from "#lib/audit/keys.ts";
import { isEntryGenuine } from "#lib/audit/mac.ts";
import { listAcceptanceEntries, listEntryKeyIds } from "#lib/audit/verify-queries.ts";
import { runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/**
 * Entries of the system's chain by which the operator goes on from the log as it is: after a restored backup, or without
 * a lost key. Only the service can write them, since their MAC needs its key.
 */
export type AuditLogAcceptance = {
  at: string;
  /** The time of the backup that was restored; undefined when no entry may be missing. */
  backupTakenAt: string | undefined;
  /** The number of each chain's newest entry at that moment. */
  ends: Map<string, number>;
  /** Keys that are lost; entries up to `ends` that name them can't be verified any more. */
  lostKeys: string[];
};

/**
 * Appends the entry that accepts the log as it is, and names the heads that are lost; the data folder then has the present
 * ones. No service may run on the database in the meantime.
 * @param backupTakenAt when a backup was restored: the time at which it was taken
 */
export async function acceptAuditLog(backupTakenAt?: string): Promise<{ chains: number; lost: number }> {
  const heads = await listAuditHeads();
  const lost = await listLostHeads(readHeadsIfPossible());
  const ours = loadAuditKeys(env()).map(({ id }) => id);
  const lostKeys = (await listEntryKeyIds()).filter((id) => !ours.includes(id));
  const formatHead = ({ chain, seq, mac }: AuditHead) => `${chain} ${seq} ${mac}`;
  await runTransaction((tx) =>
    appendAuditEntry(
      tx,
      buildActorlessAuditEntry(
        { right: "service" },
        backupTakenAt === undefined ? "audit.anchor" : "audit.restore",
        { type: "audit", id: null },
        {
          ...(backupTakenAt !== undefined && { backupTakenAt }),
          heads: heads.map(formatHead),
          lost: lost.map(formatHead),
          lostKeys,
        },
      ),
    ),
  );
  await recordAuditHeads({ forget: true });
  return { chains: heads.length, lost: lost.length };
}

/** Which heads are lost can't be told where the file can't be read; accepting the log replaces it. */
function readHeadsIfPossible(): AuditHead[] {
  try {
    return readRecordedHeads(env())?.heads ?? [];
  } catch {
    return [];
  }
}

/** Lists the genuine acceptances, oldest first. */
export async function listAcceptances(): Promise<AuditLogAcceptance[]> {
  const keys = loadAuditKeys(env());
  const entries = await listAcceptanceEntries();
  return entries.flatMap(({ previousMac, ...row }) => {
    const key = keys.find(({ id }) => id === row.keyId);
    if (!key || !isEntryGenuine(key, previousMac, row)) return [];
    const data = JSON.parse(row.data) as { backupTakenAt?: string; heads: string[]; lostKeys: string[] };
    const ends = data.heads.map((head) => head.split(" "));
    return [
      {
        at: row.at,
        backupTakenAt: data.backupTakenAt,
        ends: new Map(ends.map(([chain = "", seq]) => [chain, Number(seq)])),
        lostKeys: data.lostKeys,
      },
    ];
  });
}
