import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import {
  type HidingSource,
  findReaderChangeLostInRestore,
  hasReaderChangesInLedger,
  hasConversationClosureInLedger,
  hasReplacedWordsInLedger,
  recordConversationClosureInLedger,
  recordReaderChangesOfFileInLedger,
  recordReplacedWordsInLedger,
} from "#lib/erasures/access-changes.ts";
import { markMailboxClosed } from "#lib/incidents/messages.ts";
import { createReaderListIfMissing, HIDDEN_ROW, letPersonIn } from "#lib/readers/lists.ts";
import { removePersonTracesFromIncident } from "#lib/readers/hiding.ts";

type Lines = ReadonlySet<string>;
type Place = { incidentId: string; eventId: string; organizationId: string; right: "service" };

/**
 * Repeats changes of access that were made after a restored backup was taken: hiding and letting in, closings of
 * conversations, and new words. Skips incidents and people that the backup doesn't have.
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
    if (!hasReaderChangesInLedger(lines, incidentId)) continue;
    for (const { id: userId } of people.filter(({ id }) => id !== reporterId)) {
      const change = findReaderChangeLostInRestore(lines, forgotten, { incidentId, userId });
      if (change === null) continue;
      await runTransaction(async (tx) => {
        await (change === "letIn"
          ? letInAgain(tx, place, userId)
          : hideAgain(tx, place, { userId, source: change }));
        await recordReaderChangesOfFileInLedger(tx, lines, { incidentId, userId });
      });
      changeCount += 1;
    }
  }
  return changeCount + (await closeConversationsAgain(forgotten)) + (await replaceWordsAgain(forgotten));
}

type AgainHidden = { userId: string; source: HidingSource };

async function hideAgain(tx: Tx, place: Place, { userId, source }: AgainHidden): Promise<void> {
  const { incidentId } = place;
  if (source !== "self") await createReaderListIfMissing(tx, place, { source, byId: null });
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
      "incident.hide",
      { type: "incident", id: incidentId },
      { userId, again: true },
    ),
  );
}

async function letInAgain(tx: Tx, place: Place, userId: string): Promise<void> {
  const { incidentId } = place;
  // Entries about an incident with a list go to the system's log.
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      { ...place, organizationId: null },
      "incident.letIn",
      { type: "incident", id: incidentId },
      { userId, again: true },
    ),
  );
  await letPersonIn(tx, place, { userId, source: "reporter", byId: null });
}

/**
 * Invalidates the words that were replaced after the backup was taken: nobody knows those that are stored instead. The
 * conversations stay open, and the team gives each person other words.
 */
async function replaceWordsAgain(forgotten: Lines): Promise<number> {
  const open = await prisma.conversation.findMany({
    where: { wordsHash: { not: null } },
    select: { id: true, wordsHash: true },
  });
  const due = open.filter(
    ({ id, wordsHash }) => wordsHash && hasReplacedWordsInLedger(forgotten, id, wordsHash),
  );
  for (const { id, wordsHash } of due)
    await runTransaction(async (tx) => {
      await tx.conversation.update({
        where: { id },
        data: { wordsHash: hashReceipt(createReceiptCode(null)) },
        select: { id: true },
      });
      if (wordsHash) await recordReplacedWordsInLedger(tx, id, wordsHash);
    });
  return due.length;
}

async function closeConversationsAgain(forgotten: Lines): Promise<number> {
  const open = await prisma.conversation.findMany({
    where: { wordsHash: { not: null } },
    select: OPEN_CONVERSATION,
  });
  const due = open.filter(({ id }) => hasConversationClosureInLedger(forgotten, id));
  for (const conversation of due) await runTransaction((tx) => closeConversationAgain(tx, conversation));
  return due.length;
}

const OPEN_CONVERSATION = {
  id: true,
  incidentId: true,
  party: true,
  incident: { select: { eventId: true, event: { select: { organizationId: true } } } },
} satisfies Prisma.ConversationSelect;

async function closeConversationAgain(
  tx: Tx,
  { id, incidentId, party, incident }: Prisma.ConversationGetPayload<{ select: typeof OPEN_CONVERSATION }>,
): Promise<void> {
  const { eventId, event } = incident;
  const isReporter = party === "reporter";
  await tx.conversation.update({ where: { id }, data: { wordsHash: null, closedOn: new Date() } });
  if (isReporter) await markMailboxClosed(tx, id, null);
  await recordConversationClosureInLedger(tx, id);
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      { eventId, organizationId: event.organizationId, right: "service" },
      isReporter ? "incident.closeMailbox" : "conversation.close",
      { type: isReporter ? "incident" : "conversation", id },
      { incidentId, again: true },
    ),
  );
}
