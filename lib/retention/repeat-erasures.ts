import { prisma, runTransaction } from "#lib/database/client.ts";
import {
  listErasureFileLinesLostInRestore,
  readErasureFile,
  hashLedgerEntryForRecord,
  addErasureRowsFromFileLines,
  formatErasureFileLine,
  type ErasedKind,
} from "#lib/erasures/ledger.ts";
import { log } from "#lib/observability/log.ts";
import { deleteOrganizationAndRecordErasure } from "#lib/organizations/organizations.ts";
import { deleteRestoredAccount } from "#lib/own-account/deletion.ts";
import { deleteIncidentAndRecordErasure } from "./deletion.ts";
import { repeatAccessChangesLostInRestore } from "./repeat-access-changes.ts";

/**
 * Erases records again that a restored backup brought back: incidents, accounts and organizations that were deleted
 * after the backup was taken, whose hashes are in the data folder (docs/decisions/061). Repeats exclusions and closings
 * of mailboxes and letterboxes on the same list.
 * @returns how many were erased
 * @throws the database's error; the service must not serve then
 */
export async function repeatErasuresLostInRestore(): Promise<number> {
  const forgotten = await listErasureFileLinesLostInRestore();
  if (forgotten.size === 0) return 0;
  // First, since each erasure commits: after an interrupted repetition nothing may be left that the next start finds.
  await deleteRetentionNotices();
  const isForgotten = (kind: ErasedKind) => (row: { id: string }) =>
    forgotten.has(formatErasureFileLine(hashLedgerEntryForRecord(kind, row.id)));
  const select = { select: { id: true } } as const;
  let erasedCount = 0;
  const eraseAll = async (rows: { id: string }[], kind: ErasedKind) => {
    for (const { id } of rows.filter(isForgotten(kind))) if (await ERASERS[kind](id)) erasedCount += 1;
  };
  await eraseAll(await prisma.organization.findMany(select), "organization");
  await eraseAll(await prisma.incident.findMany(select), "incident");
  const changeCount = await repeatAccessChangesLostInRestore(await readErasureFile(), forgotten);
  // Accounts come last, since the deletion keeps their exclusions for a new account with the same address.
  await eraseAll(await prisma.user.findMany(select), "user");
  await addErasureRowsFromFileLines(forgotten);
  if (erasedCount > 0)
    log.info({ erased: erasedCount }, "what was deleted after the backup is deleted again");
  if (changeCount > 0) log.info("exclusions and closings after the backup are repeated");
  return erasedCount;
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
