import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma, type MessageKind } from "#lib/generated/prisma/client.ts";
import { deadlineSql, mailboxSql } from "#lib/incidents/deadline-sql.ts";
import { insertOutboxEventsSql } from "#lib/jobs/append-event.ts";
import type { OutboxEvent } from "#lib/jobs/outbox-events.ts";

/** A decision in its four parts. `measureEndsOn` is a day, null where the measure has no end. */
type DecisionParts = {
  reported: string;
  finding: string;
  measure: string;
  measureEndsOn: string | null;
  appeal: string;
};

/** A message of a conversation, whoever writes it. The conversation with a reporter has the id of its incident. */
export type MessageToAdd = {
  conversationId: string;
  /** Null for somebody who opened the conversation with its words. */
  authorId: string | null;
  /** Whether the person outside the team writes, and not the team. */
  fromParty: boolean;
  kind: MessageKind;
  body: string | null;
  decision?: DecisionParts;
  /** The team waits for an answer (contract 7.11). */
  waitForReporter?: boolean;
  /** Now, where it is missing. */
  at?: Date;
  event: OutboxEvent;
};

/** What an incident knows of the last message `w` of its reporter's conversation, if there is one. */
const LAST_MESSAGE_SQL = {
  last_message_at: Prisma.sql`w.created_at`,
  last_message_from: Prisma.sql`case when w.from_party then 'reporter' when not w.from_party then 'team' end::message_sender`,
  awaits_reporter: Prisma.sql`coalesce(w.wait_for_reporter and not w.from_party, false)`,
};

const NOW_SQL = Prisma.sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * Adds a message with its history entry and outbox event, in one statement. In a reporter's conversation the incident
 * then knows who wrote last, whether the team waits for an answer, and whether the reporter wrote after the report was
 * resolved or closed (contract 8.4). The caller has locked the incident or the conversation.
 * @returns the message's id
 */
export async function addMessage(tx: SqlClient, message: MessageToAdd): Promise<string> {
  const { conversationId, authorId, fromParty, kind, body, decision, waitForReporter = false } = message;
  const [added] = await tx.$queryRaw<{ id: string }[]>`
    with written as (
      insert into messages (conversation_id, author_id, from_party, kind, body, wait_for_reporter, reported, finding,
        measure, measure_ends_on, appeal, created_at, updated_at)
      select ${conversationId}::uuid, ${authorId}::uuid, ${fromParty}, ${kind}::message_kind, ${body}, ${waitForReporter},
        ${decision?.reported ?? null}, ${decision?.finding ?? null}, ${decision?.measure ?? null},
        ${decision?.measureEndsOn ?? null}::date, ${decision?.appeal ?? null}, sent.at, sent.at
      from (select coalesce(${message.at ?? null}::timestamptz, ${NOW_SQL}) as at) sent
      returning *
    ), last_message as (
      update incidents i set last_message_at = w.created_at,
        last_message_from = ${LAST_MESSAGE_SQL.last_message_from}, awaits_reporter = ${LAST_MESSAGE_SQL.awaits_reporter},
        message_after_closing = w.from_party and i.state not in ${OPEN_STATES_SQL}, ${deadlineSql(LAST_MESSAGE_SQL)}
      from written w
      where i.id = w.conversation_id and (i.last_message_at is null or i.last_message_at <= w.created_at)
    ), appended_events as (${insertOutboxEventsSql(tx, [message.event])})
    insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id, created_at)
    select c.incident_id, i.event_id, w.author_id,
      case when c.party = 'reporter' then 'message' when w.from_party then 'conversation.received' else 'conversation.sent' end,
      case when c.party <> 'reporter' then w.kind::text end, w.id, w.created_at
    from written w join conversations c on c.id = w.conversation_id join incidents i on i.id = c.incident_id
    returning object_id as id`;
  if (!added) throw new Error("a message was added to a conversation that isn't there");
  return added.id;
}

/** Finds again who wrote last to or from a reporter, once a message of their conversation is deleted. */
export async function refreshLastMessage(tx: SqlClient, incidentId: string): Promise<void> {
  await tx.$executeRaw`
    with last as (
      select m.created_at, m.from_party, m.wait_for_reporter from messages m where m.conversation_id = ${incidentId}::uuid
      order by m.created_at desc, m.id desc limit 1
    )
    update incidents i set last_message_at = w.created_at, last_message_from = ${LAST_MESSAGE_SQL.last_message_from},
      awaits_reporter = ${LAST_MESSAGE_SQL.awaits_reporter},
      message_after_closing = i.message_after_closing and coalesce(w.from_party, false), ${deadlineSql(LAST_MESSAGE_SQL)}
    from (select 1) as one left join last w on true where i.id = ${incidentId}::uuid`;
}

/**
 * Records of an incident that its reporter has no mailbox any more, so that nobody waits to be answered there.
 * @param at the time of the change, unless the one before was later
 */
export const markMailboxClosed = (tx: SqlClient, incidentId: string, at: Date | null): Promise<number> =>
  tx.$executeRaw`
    update incidents i set ${mailboxSql("closed")},
      updated_at = greatest(${at}::timestamptz, i.updated_at + interval '1 millisecond')
    where i.id = ${incidentId}::uuid`;
