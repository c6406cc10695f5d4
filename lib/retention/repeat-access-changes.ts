import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import {
  type HidingSource,
  findExclusionChangeLostInRestore,
  hasExclusionChangesInLedger,
  hasLetterboxClosureInLedger,
  hasMailboxClosureInLedger,
  hasReplacedLetterboxCodeInLedger,
  recordExclusionChangesOfFileInLedger,
  recordLetterboxClosureInLedger,
  recordMailboxClosureInLedger,
  recordReplacedLetterboxCodeInLedger,
} from "#lib/erasures/access-changes.ts";
import { createReaderListIfMissing, HIDDEN_ROW, letPersonIn } from "#lib/readers/lists.ts";
import { removePersonTracesFromIncident } from "#lib/readers/hiding.ts";

type Lines = ReadonlySet<string>;
type Place = { incidentId: string; eventId: string; organizationId: string; right: "service" };

/**
 * Repeats changes of access that were made after a restored backup was taken: exclusions and their lifting, closings of
 * mailboxes and letterboxes, and new codes of letterboxes. Skips incidents and people that the backup doesn't have.
 * Each change is recorded in the ledger in its own transaction, so that a later start doesn't repeat it.
 * @param lines all lines of the erasure file
 * @param forgotten those of its lines that the backup doesn't have
 * @returns how many changes were repeated
 */
export async function repeatAccessChangesLostInRestore(lines: Lines, forgotten: Lines): Promise<number> {
  const incidents = await prisma.incident.findMany({
    select: { id: true, eventId: true, reporterId: true, event: { select: { organizationId: true } } },
  });
  let changeCount = 0;
  const people = await prisma.user.findMany({ select: { id: true } });
  for (const { id: incidentId, eventId, reporterId, event } of incidents) {
    const place: Place = { incidentId, eventId, organizationId: event.organizationId, right: "service" };
    if (hasMailboxClosureInLedger(forgotten, incidentId)) changeCount += await closeMailboxAgain(place);
    if (!hasExclusionChangesInLedger(lines, incidentId)) continue;
    for (const { id: userId } of people.filter(({ id }) => id !== reporterId)) {
      const change = findExclusionChangeLostInRestore(lines, forgotten, { incidentId, userId });
      if (change === null) continue;
      await runTransaction(async (tx) => {
        await (change === "lifted"
          ? liftAgain(tx, place, userId)
          : excludeAgain(tx, place, { userId, source: change }));
        await recordExclusionChangesOfFileInLedger(tx, lines, { incidentId, userId });
      });
      changeCount += 1;
    }
  }
  return changeCount + (await closeLetterboxesAgain(forgotten)) + (await replaceCodesAgain(forgotten));
}

type AgainExcluded = { userId: string; source: HidingSource };

async function excludeAgain(tx: Tx, place: Place, { userId, source }: AgainExcluded): Promise<void> {
  const { incidentId } = place;
  if (source !== "recusal") await createReaderListIfMissing(tx, place, { source, byId: null });
  await tx.incidentReader.upsert({
    where: { incidentId_userId: { incidentId, userId } },
    create: { incidentId, userId, ...HIDDEN_ROW, source },
    update: { ...HIDDEN_ROW, source, byId: null },
    select: { userId: true },
  });
  await removePersonTracesFromIncident(tx, { ...place, actor: { id: null } }, userId);
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      place,
      "incident.exclude",
      { type: "incident", id: incidentId },
      { userId, again: true },
    ),
  );
}

async function liftAgain(tx: Tx, place: Place, userId: string): Promise<void> {
  const { incidentId } = place;
  // Appended before the exclusion is removed: entries about an incident with exclusions go to the system's log.
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      place,
      "incident.liftExclusion",
      { type: "incident", id: incidentId },
      { userId, again: true },
    ),
  );
  await letPersonIn(tx, place, { userId, source: "reporter", byId: null });
}

const closeMailboxAgain = (place: Place): Promise<number> =>
  runTransaction(async (tx) => {
    const { incidentId } = place;
    await recordMailboxClosureInLedger(tx, incidentId);
    const closed = await tx.$executeRaw`
      with closed as (
        update report_mailboxes set receipt_hash = null, closed_on = (now() at time zone 'UTC')::date
        where incident_id = ${incidentId}::uuid and receipt_hash is not null returning incident_id
      )
      update incidents set has_mailbox = false, updated_at = updated_at + interval '1 millisecond'
      where id = (select incident_id from closed)`;
    if (closed === 0) return 0;
    await appendAuditEntry(
      tx,
      buildActorlessAuditEntry(
        place,
        "incident.closeMailbox",
        { type: "incident", id: incidentId },
        { incidentId, again: true },
      ),
    );
    return 1;
  });

/**
 * Invalidates the letterbox codes that were replaced after the backup was taken: nobody knows the codes that are stored
 * instead. The letterboxes stay open, and the team gives each holder another code.
 */
async function replaceCodesAgain(forgotten: Lines): Promise<number> {
  const open = await prisma.letterbox.findMany({
    where: { codeHash: { not: null } },
    select: { id: true, codeHash: true },
  });
  const due = open.filter(
    ({ id, codeHash }) => codeHash && hasReplacedLetterboxCodeInLedger(forgotten, id, codeHash),
  );
  for (const { id, codeHash } of due)
    await runTransaction(async (tx) => {
      await tx.letterbox.update({
        where: { id },
        data: { codeHash: hashReceipt(createReceiptCode(null)) },
        select: { id: true },
      });
      if (codeHash) await recordReplacedLetterboxCodeInLedger(tx, id, codeHash);
    });
  return due.length;
}

async function closeLetterboxesAgain(forgotten: Lines): Promise<number> {
  const open = await prisma.letterbox.findMany({
    where: { codeHash: { not: null } },
    select: {
      id: true,
      incidentId: true,
      incident: { select: { eventId: true, event: { select: { organizationId: true } } } },
    },
  });
  const due = open.filter(({ id }) => hasLetterboxClosureInLedger(forgotten, id));
  for (const { id, incidentId, incident } of due) {
    const { eventId, event } = incident;
    const place: Place = { incidentId, eventId, organizationId: event.organizationId, right: "service" };
    await runTransaction(async (tx) => {
      await tx.letterbox.update({ where: { id }, data: { codeHash: null, closedAt: new Date() } });
      await recordLetterboxClosureInLedger(tx, id);
      await appendAuditEntry(
        tx,
        buildActorlessAuditEntry(
          place,
          "letterbox.close",
          { type: "letterbox", id },
          { incidentId, again: true },
        ),
      );
    });
  }
  return due.length;
}
