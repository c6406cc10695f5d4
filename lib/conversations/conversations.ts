import {
  recordConversationClosureInLedger,
  recordReplacedWordsInLedger,
} from "#lib/erasures/access-changes.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { env } from "#lib/env.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { addMessage, type MessageToAdd } from "#lib/incidents/messages.ts";
import { loadConversation } from "#lib/conversations/queries.ts";
import {
  MAX_CONVERSATIONS_PER_INCIDENT,
  type ConversationRecord,
  type NewConversationInput,
  type NewDecisionInput,
} from "#lib/conversations/schema.ts";
import { AppError, createForbiddenError } from "#lib/operation/errors.ts";
import { appendOutboxEvent, insertOutboxEventsSql } from "#lib/outbox/append.ts";
import { TEAM_ONLY_CHANGE_KIND, type OutboxEvent } from "#lib/outbox/events.ts";

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
  const id = await runSqlTransaction(
    async (tx) => {
      const [created] = await tx.$queryRaw<{ id: string; allowed: boolean }[]>`
        with locked as (
          select i.id from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid
            and ${isStillOnEventTeamSql(actor, eventId)} for no key update
        ), created as (
          insert into conversations (incident_id, party, label, words_hash, created_by_id)
          select id, ${party}::conversation_party, ${label}, ${hashReceipt(words)}::bytea, ${actor.id}::uuid from locked
          where (select count(*) from conversations c where c.incident_id = locked.id and c.party <> 'reporter')
            < ${MAX_CONVERSATIONS_PER_INCIDENT}::int
          returning id, incident_id
        ), history as (
          insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id)
          select incident_id, ${eventId}::uuid, ${actor.id}::uuid, 'conversation.created', ${party}, id from created
        ), appended_events as (${insertOutboxEventsSql(tx, [buildEvent(context)])})
        select c.id, l.id is not null as allowed from (select 1) as one left join locked l on true left join created c on true`;
      if (!created?.allowed) throw createForbiddenError();
      if (!created.id)
        throw new AppError("CONFLICT", "tooManyConversations", { max: MAX_CONVERSATIONS_PER_INCIDENT });
      return created.id;
    },
    async (tx, conversationId) => {
      await appendEntry(tx, { ...context, conversationId }, "conversation.create");
      return conversationId;
    },
  );
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
        event: buildEvent(context),
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
  const [conversation] = await tx.$queryRaw<{ wordsHash: Uint8Array | null }[]>`
    select words_hash as "wordsHash" from conversations
    where id = ${conversationId}::uuid and party <> 'reporter' and ${isStillOnEventTeamSql(actor, eventId)} for update`;
  if (!conversation) throw createForbiddenError();
  return conversation.wordsHash;
}

/**
 * Closes a conversation for good: its words stop working on every device. What was written stays for the team. Closing
 * it again changes nothing.
 * @throws AppError FORBIDDEN when the role was lost
 */
export async function closeConversation(context: ConversationContext): Promise<ConversationRecord> {
  const { conversationId, incidentId, eventId, actor } = context;
  await runSqlTransaction(async (tx) => {
    if (!(await lockForTeam(tx, context))) return;
    await tx.$executeRaw`
      with closed as (
        update conversations set words_hash = null, closed_on = (now() at time zone 'UTC')::date
        where id = ${conversationId}::uuid returning id
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, 'conversation.closed', id from closed`;
    await recordConversationClosureInLedger(tx, conversationId);
    await appendOutboxEvent(tx, buildEvent(context));
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
  const { conversationId, incidentId, eventId, actor } = context;
  await runSqlTransaction(async (tx) => {
    const replacedHash = await lockForTeam(tx, context);
    if (!replacedHash) throw new AppError("CONFLICT", "conversationClosed");
    await recordReplacedWordsInLedger(tx, conversationId, replacedHash);
    await tx.$executeRaw`
      with renewed as (
        update conversations set words_hash = ${hashReceipt(words)}::bytea where id = ${conversationId}::uuid returning id
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, 'conversation.renewed', id from renewed`;
    await appendOutboxEvent(tx, buildEvent(context));
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

const buildEvent = ({ organizationId, eventId, incidentId, actor }: TeamContext): OutboxEvent => ({
  kind: TEAM_ONLY_CHANGE_KIND,
  actorId: actor.id,
  organizationId,
  eventId,
  incidentId,
});
