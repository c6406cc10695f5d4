import { prisma, runTransaction } from "#lib/database/client.ts";
import {
  listErasureFileLinesLostInRestore,
  readErasureFile,
  hashLedgerEntryForRecord,
  addErasureRowsFromFileLines,
  formatErasureFileLine,
  type ErasedKind,
} from "#lib/erasures/ledger.ts";
import { isFirstDataKeyLost } from "#lib/erasures/queries.ts";
import { log } from "#lib/observability/log.ts";
import { deleteOrganizationAndRecordErasure } from "#lib/organizations/organizations.ts";
import { deleteRestoredAccount } from "#lib/own-account/deletion.ts";
import { deleteIncidentAndRecordErasure } from "./deletion.ts";
import { repeatAccessChangesLostInRestore } from "./repeat-access-changes.ts";

/**
 * Erases records again that a restored backup brought back: incidents, accounts and organizations that were deleted
 * after the backup was taken, whose hashes are in the data folder (docs/decisions/061). Repeats hiding,
 * letting in and closings of conversations on the same list.
 * @returns how many were erased
 * @throws the database's error; the service must not serve then
 */
export async function repeatErasuresLostInRestore(): Promise<number> {
  const forgotten = await listErasureFileLinesLostInRestore();
  if (forgotten.size === 0) return 0;
  const isKeyLost = await isFirstDataKeyLost();
  const due = await listRecordsToEraseAgain(forgotten);
  // First, since each erasure commits: after an interrupted repetition nothing may be left that the next start finds.
  // Lines of a lost key stay for each start, and don't hold the rules up each time.
  if (!isKeyLost || due.length > 0) await deleteRetentionNotices();
  const erasedCount = await eraseAgain(due.filter(({ kind }) => kind !== "user"));
  const changeCount = await repeatAccessChangesLostInRestore(await readErasureFile(), forgotten);
  // Accounts come last, since hiding finds a person by their account.
  const accountCount = await eraseAgain(due.filter(({ kind }) => kind === "user"));
  // What was repeated is recorded. Other lines name what the backup doesn't have, unless another key is needed to tell.
  if (isKeyLost) await warnOfLinesUnderLostKey();
  else await addErasureRowsFromFileLines(forgotten);
  const count = erasedCount + accountCount;
  if (count > 0) log.info({ erased: count }, "what was deleted after the backup is deleted again");
  if (changeCount > 0) log.info("hidden reports and closings after the backup are repeated");
  return count;
}

type RecordToErase = { kind: ErasedKind; id: string };

/** Lists the records on the list, in the order in which they are erased. */
async function listRecordsToEraseAgain(forgotten: ReadonlySet<string>): Promise<RecordToErase[]> {
  const select = { select: { id: true } } as const;
  const rows: [ErasedKind, { id: string }[]][] = [
    ["organization", await prisma.organization.findMany(select)],
    ["incident", await prisma.incident.findMany(select)],
    ["user", await prisma.user.findMany(select)],
  ];
  return rows
    .flatMap(([kind, records]) => records.map(({ id }) => ({ kind, id })))
    .filter(({ kind, id }) => forgotten.has(formatErasureFileLine(hashLedgerEntryForRecord(kind, id))));
}

/** @returns how many of them were still there */
async function eraseAgain(records: RecordToErase[]): Promise<number> {
  let count = 0;
  for (const { kind, id } of records) if (await ERASERS[kind](id)) count += 1;
  return count;
}

/** Without rows, the lines are compared again at each start, and thus also at one with the key that was lost. */
async function warnOfLinesUnderLostKey(): Promise<void> {
  const { size } = await listErasureFileLinesLostInRestore();
  if (size > 0)
    log.warn(
      { lines: size },
      "erasures.log has lines that may need a lost data key: what they delete or hide stays until a start with that key",
    );
}

/**
 * Deletes the notices that the backup brought back, so that teams are notified again before anything else is deleted:
 * since the backup, reports may have been reopened, put on hold or kept by other rules.
 */
const deleteRetentionNotices = () => prisma.retentionNotice.deleteMany({ where: { daysAhead: { gt: 0 } } });

const BY_SERVICE = { actorId: null, right: "service" } as const;

const ERASERS: Record<ErasedKind, (id: string) => Promise<boolean>> = {
  organization: (id) =>
    runTransaction(async (tx) => {
      await deleteOrganizationAndRecordErasure(tx, id, BY_SERVICE);
      return true;
    }),
  user: (id) => runTransaction((tx) => deleteRestoredAccount(tx, id)),
  incident: (id) =>
    runTransaction(async (tx) => {
      const place = await tx.incident.findUnique({
        where: { id },
        select: { event: { select: { id: true, organizationId: true } } },
      });
      if (!place) return false;
      const { id: eventId, organizationId } = place.event;
      await deleteIncidentAndRecordErasure(tx, {
        incidentId: id,
        eventId,
        organizationId,
        data: { again: true },
      });
      return true;
    }),
};
