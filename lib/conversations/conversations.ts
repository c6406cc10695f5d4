import {
  recordConversationClosureInLedger,
  recordReplacedWordsInLedger,
} from "#lib/erasures/access-changes.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { runSqlTransaction, runTransaction } from "#lib/database/client.ts";
import { lockRow, lockRows } from "#lib/database/row-lock.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { env } from "#lib/env.ts";
import { isStillOnEventTeam } from "#lib/events/held-roles-queries.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import { addMessage, type MessageToAdd } from "#lib/incidents/messages.ts";
import { loadConversation } from "#lib/conversations/queries.ts";
import {
  MAX_CONVERSATIONS_PER_INCIDENT,
  type ConversationRecord,
  type NewConversationInput,
  type NewDecisionInput,
} from "#lib/conversations/schema.ts";
import { AppError, createForbiddenError } from "#lib/operation/errors.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { buildOutboxEvent, TEAM_ONLY_CHANGE_KIND } from "#lib/jobs/outbox-events.ts";

/**
 * What the team does in conversations with reported people and witnesses. No statement here reads or writes a note, or
 * the conversation with the reporter.
 */

type TeamContext = EventActorContext & { incidentId: string };
type ConversationContext = TeamContext & { conversationId: string };
type NewWords = { conversation: ConversationRecord; words: string; link: string };

/**
 * Opens a conversation on an incident. Its words are for the person alone: they are returned this once, and stored
 * nowhere.
 * @throws AppError CONFLICT when the incident has as many as it may; FORBIDDEN when the role has been lost since
 */
export async function createConversation(
  context: TeamContext,
  { party, label }: NewConversationInput,
): Promise<NewWords> {
  const words = createReceiptCode(null);
  const { incidentId, eventId, actor } = context;
  const id = await runTransaction(async (tx) => {
    const [incident] = await lockRows(tx, { table: "incidents", where: { id: incidentId, eventId } });
    if (!incident || !(await isStillOnEventTeam(tx, actor, eventId))) throw createForbiddenError();
    const isOfIncident = { incidentId, party: { not: "reporter" } } as const;
    if ((await tx.conversation.count({ where: isOfIncident })) >= MAX_CONVERSATIONS_PER_INCIDENT)
      throw new AppError("CONFLICT", "tooManyConversations", { max: MAX_CONVERSATIONS_PER_INCIDENT });
    const { id: conversationId } = await tx.conversation.create({
      data: { incidentId, party, label, wordsHash: hashReceipt(words), createdById: actor.id },
      select: { id: true },
    });
    const objectId = conversationId;
    await appendHistoryEntry(tx, context, { action: "conversation.created", toValue: party, objectId });
    await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendEntry(tx, { ...context, conversationId }, "conversation.create");
    return conversationId;
  });
  return describeWords(id, words);
}

/** Writes to the person of a conversation. @throws AppError CONFLICT when it is closed, FORBIDDEN when the role was lost */
export const sendMessageToParty = (context: ConversationContext, body: string): Promise<ConversationRecord> =>
  writeAsTeam(context, { kind: "message", body }, "conversation.write");

/** Sends the person a decision in its four parts. @throws AppError as for `sendMessageToParty` */
export const sendDecisionToParty = (
  context: ConversationContext,
  decision: NewDecisionInput,
): Promise<ConversationRecord> =>
  writeAsTeam(context, { kind: "decision", body: null, decision }, "conversation.decide");

async function writeAsTeam(
  context: ConversationContext,
  message: Pick<MessageToAdd, "kind" | "body" | "decision">,
  action: AuditAction,
): Promise<ConversationRecord> {
  const { conversationId, actor } = context;
  await runSqlTransaction(
    async (tx) => {
      if (!(await lockForTeam(tx, context))) throw new AppError("CONFLICT", "conversationClosed");
      await addMessage(tx, {
        conversationId,
        authorId: actor.id,
        fromParty: false,
        ...message,
        event: buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND),
      });
    },
    (tx) => appendEntry(tx, context, action),
  );
  return loadConversation(conversationId);
}

/**
 * Locks a conversation for the team.
 * @returns the hash of its words; null if it is closed
 * @throws AppError FORBIDDEN when the role was lost
 */
async function lockForTeam(
  tx: SqlClient,
  { conversationId, eventId, actor }: ConversationContext,
): Promise<Uint8Array | null> {
  const lock = { table: "conversations", id: conversationId, strength: "update" } as const;
  const conversation = await lockRow(tx, lock, ["party", "wordsHash"]);
  const isOfTeam = conversation?.party !== "reporter" && (await isStillOnEventTeam(tx, actor, eventId));
  if (!conversation || !isOfTeam) throw createForbiddenError();
  return conversation.wordsHash;
}

/**
 * Closes a conversation for good: its words stop working on every device. What was written stays for the team. Closing
 * it again changes nothing.
 * @throws AppError FORBIDDEN when the role was lost
 */
export async function closeConversation(context: ConversationContext): Promise<ConversationRecord> {
  const { conversationId } = context;
  await runTransaction(async (tx) => {
    if (!(await lockForTeam(tx, context))) return;
    const closed = { wordsHash: null, closedOn: new Date() };
    await tx.conversation.update({ where: { id: conversationId }, data: closed, select: { id: true } });
    await appendHistoryEntry(tx, context, { action: "conversation.closed", objectId: conversationId });
    await recordConversationClosureInLedger(tx, conversationId);
    await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendEntry(tx, context, "conversation.close");
  });
  return loadConversation(conversationId);
}

/**
 * Gives a conversation new words, for its person alone. The old ones stop working at once, also where they have opened
 * it. The new words are returned this once, and stored nowhere. Nobody gives a reporter new words.
 * @throws AppError CONFLICT when the conversation is closed, FORBIDDEN when the actor has lost the role
 */
export async function renewWords(context: ConversationContext): Promise<NewWords> {
  const words = createReceiptCode(null);
  const { conversationId } = context;
  await runTransaction(async (tx) => {
    const replacedHash = await lockForTeam(tx, context);
    if (!replacedHash) throw new AppError("CONFLICT", "conversationClosed");
    await recordReplacedWordsInLedger(tx, conversationId, replacedHash);
    const renewed = { wordsHash: hashReceipt(words) };
    await tx.conversation.update({ where: { id: conversationId }, data: renewed, select: { id: true } });
    await appendHistoryEntry(tx, context, { action: "conversation.renewed", objectId: conversationId });
    await appendOutboxEvent(tx, buildOutboxEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendEntry(tx, context, "conversation.renewWords");
  });
  return describeWords(conversationId, words);
}

const describeWords = async (conversationId: string, words: string): Promise<NewWords> => ({
  conversation: await loadConversation(conversationId),
  words,
  link: `${env().baseUrl}/mailbox`,
});

const appendEntry = (tx: SqlClient, context: ConversationContext, action: AuditAction): Promise<void> =>
  appendAuditEntry(
    tx,
    buildAuditEntry(
      context,
      action,
      { type: "conversation", id: context.conversationId },
      { incidentId: context.incidentId },
    ),
  );
