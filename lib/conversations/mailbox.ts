import { recordConversationClosureInLedger } from "#lib/erasures/access-changes.ts";
import { assertSameOriginToSetCookies } from "#lib/accounts/sessions.ts";
import { appendAuditEntries, appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import {
  listMistypedReceiptTerms,
  hashReceipt,
  normalizeReceipt,
  RECEIPT_WORD_COUNT,
} from "#lib/crypto/receipt.ts";
import { prisma, runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { insertEvidence, rollBackUploads, type StoredUpload } from "#lib/files/evidence.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
import { runThrottledReceiptLookup, type ProofOfWorkSolution } from "#lib/conversations/lookup-lane.ts";
import type { NewMailboxMessageInput } from "#lib/conversations/schema.ts";
import {
  CURRENT_QUARTER_HOUR_SQL,
  nextMailboxActionCoarseTimeSql,
  START_OF_TODAY_UTC_SQL,
} from "#lib/incidents/coarse-times-sql.ts";
import { sendOncePerIdempotencyKey } from "#lib/conversations/send-once.ts";
import {
  createMailboxClosedError,
  createMailboxNotOpenError,
  type MailboxPermissionSubject,
  type ReporterMailboxSubject,
} from "#lib/conversations/scope.ts";
import {
  createExpiredMailboxCookie,
  describeOpened,
  sealMailboxCookie,
  type MailboxSession,
} from "#lib/incidents/mailbox-session.ts";
import { mailboxSql } from "#lib/incidents/deadline-sql.ts";
import { addMessage } from "#lib/incidents/messages.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, createNotFoundError, InvalidInputError } from "#lib/operation/errors.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import {
  MESSAGE_AFTER_CLOSING_KIND,
  MESSAGE_FROM_PARTY_KIND,
  REPORT_WITHDRAWN_KIND,
  TEAM_ONLY_CHANGE_KIND,
  type OutboxEvent,
  type OutboxEventKind,
} from "#lib/outbox/events.ts";
import { storeUnidentifiedUploads } from "#lib/conversations/uploads.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";

/** What a person with seven words does: a reporter without an account, a reported person or a witness. */

type MailboxContext = MailboxPermissionSubject & { call: OperationCall };
type ReporterContext = ReporterMailboxSubject & { call: OperationCall };

/**
 * Opens a mailbox with its words. Hits and misses take the same time, and neither writes anything.
 * @throws InvalidInputError for words that can't open anything; AppError NOT_FOUND, SERVICE_UNAVAILABLE, CSRF_REJECTED
 */
export async function openMailbox(
  call: OperationCall,
  { words: typed, proof }: { words: string; proof?: ProofOfWorkSolution | undefined },
): Promise<void> {
  assertSameOriginToSetCookies(call);
  const words = parseWords(typed);
  const cookie = await runThrottledReceiptLookup({ address: call.address, proof }, async () => {
    const session = await findConversation(words);
    return session && sealMailboxCookie(session);
  });
  if (!cookie) throw new AppError("NOT_FOUND", "noMailboxWithWords");
  call.setCookie(cookie);
}

function parseWords(typed: string): string {
  const words = normalizeReceipt(typed);
  const parts = words.split(" ").filter(Boolean);
  if (parts.length !== RECEIPT_WORD_COUNT)
    throw new InvalidInputError({
      words: createFieldProblem("mustBeReceipt", { count: RECEIPT_WORD_COUNT }),
    });
  const [unknown] = listMistypedReceiptTerms(words);
  if (unknown !== undefined)
    throw new InvalidInputError({
      words: createFieldProblem("unlistedReceiptWord", { number: parts.indexOf(unknown) + 1 }),
    });
  return words;
}

async function findConversation(words: string): Promise<MailboxSession | null> {
  const found = await prisma.conversation.findUnique({
    where: { wordsHash: hashReceipt(words) },
    select: { id: true },
  });
  return found && describeOpened(found.id, words);
}

/**
 * Records in the cookie that the words were downloaded, printed or copied on this device. Does nothing on a team
 * member's device, where the reporter types two of the words instead.
 */
export async function recordReceiptSavedInCookie({ call, session }: ReporterContext): Promise<void> {
  if (session.handOverUntil !== undefined) return;
  call.setCookie(await sealMailboxCookie({ ...session, saved: true }));
}

/**
 * Ends the display of the words, once they were saved on this device or the person typed two of them. A team member's
 * device then forgets them, and they can't be requested again.
 * @throws InvalidInputError for a wrong word, or when the words were neither saved nor typed
 */
export async function endReceiptDisplay(
  { call, session, conversationId }: ReporterContext,
  typed: Readonly<Record<string, string>>,
): Promise<void> {
  if (session.receipt !== undefined) assertReceiptSaved(session, typed);
  if (session.handOverUntil !== undefined) {
    await prisma.conversation.updateMany({ where: { id: conversationId }, data: { handingOver: false } });
    return leaveMailbox(call);
  }
  await prisma.conversation.updateMany({ where: { id: conversationId }, data: { confirmed: true } });
  const { endsAt, wordsHash } = session;
  call.setCookie(await sealMailboxCookie({ conversationId, wordsHash, endsAt }));
}

function assertReceiptSaved(
  { receipt = "", saved }: MailboxSession,
  typed: Readonly<Record<string, string>>,
): void {
  if (saved) return;
  const parts = receipt.split(" ");
  const answers = Object.entries(typed).filter(([, word]) => word.trim() !== "");
  const wrong = answers.find(([place, word]) => normalizeReceipt(word) !== parts[Number(place) - 1]);
  if (wrong) throw new InvalidInputError({ [`word${wrong[0]}`]: createFieldProblem("wrongReceiptWord") });
  if (new Set(answers.map(([place]) => place)).size < 2)
    throw new InvalidInputError({
      receipt: createFieldProblem("receiptNotSaved"),
    });
}

type SenderRules = Record<"messageKind" | "fileKind", OutboxEventKind> & {
  at: Prisma.Sql;
  audit: Record<"message" | "appeal" | "files", AuditAction>;
};

/**
 * What differs between a reporter's mailbox and that of somebody else (contract 14). Times are rounded to the quarter of
 * an hour for a reporter, but never before the message that it replies to; else to the day.
 */
const rulesFor = ({ party, incidentId }: MailboxPermissionSubject): SenderRules =>
  party === "reporter"
    ? {
        at: nextMailboxActionCoarseTimeSql(incidentId),
        messageKind: "message.created",
        fileKind: "file.added",
        audit: { message: "message.create", appeal: "message.create", files: "file.add" },
      }
    : {
        at: START_OF_TODAY_UTC_SQL,
        messageKind: MESSAGE_FROM_PARTY_KIND,
        fileKind: MESSAGE_FROM_PARTY_KIND,
        audit: {
          message: "conversation.reply",
          appeal: "conversation.appeal",
          files: "conversation.addFile",
        },
      };

/**
 * Writes a message to the team, or an appeal.
 * @throws AppError UNAUTHENTICATED when the mailbox has been closed since, INVALID_STATE_TRANSITION for an appeal before
 *   any decision, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED
 */
export const writeMailboxMessage = (
  context: MailboxContext,
  { body, appeal }: NewMailboxMessageInput,
): Promise<void> =>
  sendOncePerIdempotencyKey(context, ["message", body, appeal], async (claim) => {
    const { conversationId, incidentId, party } = context;
    const { at, messageKind, audit } = rulesFor(context);
    await consumeLimit("unidentified-message", conversationId);
    await runSqlTransaction(async (tx) => {
      const { finished, hasDecision } = await lockMailbox(tx, context);
      await claim(tx);
      if (appeal && !hasDecision) throw new AppError("INVALID_STATE_TRANSITION", "noDecisionYet");
      const isLate = party === "reporter" && finished;
      const id = await addMessage(tx, {
        conversationId,
        authorId: null,
        fromParty: true,
        kind: appeal ? "appeal" : "message",
        body,
        at,
        event: buildEvent(context, isLate ? MESSAGE_AFTER_CLOSING_KIND : messageKind),
      });
      const object =
        party === "reporter" ? { type: "message", id } : { type: "conversation", id: conversationId };
      await appendAuditEntry(
        tx,
        buildActorlessAuditEntry(
          { ...context, right: "mailbox" },
          appeal ? audit.appeal : audit.message,
          object,
          { incidentId },
        ),
      );
    });
  });

/**
 * Adds files, of which only the content is stored, under neutral names. A reporter's belong to the report; those of
 * somebody else are for the team and for them, and never for the reporter.
 * @throws AppError as for a report's files, UNAUTHENTICATED when the mailbox has been closed since, and
 *   IDEMPOTENCY_KEY_REUSED
 */
export async function addMailboxFiles(context: MailboxContext, description: string | null): Promise<void> {
  const { incidentId, conversationId, party, call } = context;
  if (call.files.length === 0) throw new InvalidInputError({ relatedFiles: createFieldProblem("missing") });
  const content = ["files", description, call.files.map(({ size, sha256 }) => [size, sha256])];
  await sendOncePerIdempotencyKey(context, content, async (claim) => {
    const owner = { incidentId, conversationId: party === "reporter" ? null : conversationId };
    const files = await storeUnidentifiedUploads(call, owner);
    try {
      await insertMailboxFiles(context, { files, description, claim });
    } catch (error) {
      await rollBackUploads(files, error);
      throw error;
    }
  });
}

type MailboxFiles = {
  files: StoredUpload[];
  description: string | null;
  claim: (tx: SqlClient) => Promise<void>;
};

const insertMailboxFiles = (
  context: MailboxContext,
  { files, description, claim }: MailboxFiles,
): Promise<void> =>
  runSqlTransaction(async (tx) => {
    const { incidentId, eventId, conversationId, party } = context;
    const { at, fileKind, audit } = rulesFor(context);
    await lockMailbox(tx, context);
    await claim(tx);
    const isReporter = party === "reporter";
    const ids = await insertEvidence(tx, {
      incidentId,
      eventId,
      uploadedById: null,
      files,
      ...(isReporter
        ? { descriptions: files.map(() => description), createdAt: CURRENT_QUARTER_HOUR_SQL }
        : { conversationId, visibleToReporter: false, createdAt: START_OF_TODAY_UTC_SQL }),
    });
    if (isReporter)
      await tx.$executeRaw`
        insert into incident_history (incident_id, event_id, action, object_id, to_value, created_at)
        select ${incidentId}::uuid, ${eventId}::uuid, 'file.added', f.id, f.filename, greatest(f.created_at, ${at})
        from related_files f where f.id = any(${ids}::uuid[])`;
    else
      await tx.$executeRaw`
        insert into incident_history (incident_id, event_id, action, to_value, object_id, created_at)
        select incident_id, ${eventId}::uuid, 'conversation.received', 'files', id, ${at}
        from conversations where id = ${conversationId}::uuid`;
    await appendOutboxEvent(tx, buildEvent(context, fileKind));
    await appendAuditEntries(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "mailbox" },
        audit.files,
        { type: "file", ids },
        { incidentId },
      ),
    );
  });

/**
 * Confirms that the person read a message of the team; repeats change nothing. Reporters confirm nothing.
 * @throws AppError NOT_FOUND, UNAUTHENTICATED
 */
export async function confirmMessageRead(context: MailboxContext, messageId: string): Promise<void> {
  const { conversationId, incidentId, eventId, party } = context;
  if (party === "reporter") throw createNotFoundError("message");
  await runSqlTransaction(async (tx) => {
    await lockMailbox(tx, context);
    const [message] = await tx.$queryRaw<{ id: string; isNew: boolean }[]>`
      with message as (
        select id, read_on is null as is_new from messages
        where id = ${messageId}::uuid and conversation_id = ${conversationId}::uuid and not from_party
      ), confirmed as (
        update messages set read_on = (now() at time zone 'UTC')::date
        where id in (select id from message where is_new) returning id
      ), history as (
        insert into incident_history (incident_id, event_id, action, object_id, created_at)
        select ${incidentId}::uuid, ${eventId}::uuid, 'conversation.read', id, ${START_OF_TODAY_UTC_SQL} from confirmed
      )
      select id, is_new as "isNew" from message`;
    if (!message) throw createNotFoundError("message");
    if (!message.isNew) return;
    await appendOutboxEvent(tx, buildEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendAuditEntry(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "mailbox" },
        "conversation.confirmReading",
        { type: "conversation", id: conversationId },
        { incidentId },
      ),
    );
  });
}

/**
 * Notifies the team that the reporter doesn't want the report pursued; the team decides. A second call changes nothing.
 */
export async function recordReportWithdrawal(context: ReporterContext): Promise<void> {
  const { incidentId, eventId } = context;
  await runSqlTransaction(async (tx) => {
    await lockMailbox(tx, context);
    const withdrawn = await tx.$executeRaw`
      with withdrawn as (
        update conversations set withdrawn_on = (now() at time zone 'UTC')::date
        where id = ${incidentId}::uuid and withdrawn_on is null returning incident_id
      )
      insert into incident_history (incident_id, event_id, action, created_at)
      select incident_id, ${eventId}::uuid, 'withdrawn', ${nextMailboxActionCoarseTimeSql(incidentId)} from withdrawn`;
    if (withdrawn === 0) return;
    await appendOutboxEvent(tx, buildEvent(context, REPORT_WITHDRAWN_KIND));
    await appendAuditEntry(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "mailbox" },
        "incident.withdraw",
        { type: "incident", id: incidentId },
        { incidentId },
      ),
    );
  });
}

/** Closes the reporter's mailbox for good: its words stop working, and the reporter gets no more messages. */
export async function closeMailbox(context: ReporterContext): Promise<void> {
  const { incidentId, eventId, call } = context;
  await runSqlTransaction(async (tx) => {
    await lockMailbox(tx, context);
    await tx.$executeRaw`
      with closed as (
        update conversations set words_hash = null, closed_on = (now() at time zone 'UTC')::date
        where id = ${incidentId}::uuid returning incident_id
      ), unreachable as (
        update incidents i set ${mailboxSql("closed")}, updated_at = greatest(${nextMailboxActionCoarseTimeSql(incidentId)}, updated_at + interval '1 millisecond')
        where id = (select incident_id from closed)
      )
      insert into incident_history (incident_id, event_id, action, created_at)
      select incident_id, ${eventId}::uuid, 'mailbox.closed', ${nextMailboxActionCoarseTimeSql(incidentId)} from closed`;
    await recordConversationClosureInLedger(tx, incidentId);
    await appendOutboxEvent(tx, buildEvent(context, "incident.changed"));
    await appendAuditEntry(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "mailbox" },
        "incident.closeMailbox",
        { type: "incident", id: incidentId },
        { incidentId },
      ),
    );
  });
  leaveMailbox(call);
}

/** Ends the session of the mailbox on this device; the words open it again. */
export const leaveMailbox = (call: OperationCall): void => call.setCookie(createExpiredMailboxCookie());

/**
 * Locks the incident and the conversation, against a change of status, closing and new words.
 * @returns whether the incident is resolved or closed, and whether the person was sent a decision
 * @throws AppError UNAUTHENTICATED when the mailbox has been closed or given new words since
 */
async function lockMailbox(
  tx: SqlClient,
  { conversationId, session }: MailboxContext,
): Promise<{ finished: boolean; hasDecision: boolean }> {
  const wordsHash = Buffer.from(session.wordsHash, "base64url");
  const [open] = await tx.$queryRaw<{ finished: boolean; hasDecision: boolean; isOpen: boolean | null }[]>`
    select i.state not in ${OPEN_STATES_SQL} as finished, c.words_hash = ${wordsHash}::bytea as "isOpen",
      exists (select 1 from messages m where m.conversation_id = c.id and m.kind = 'decision') as "hasDecision"
    from conversations c join incidents i on i.id = c.incident_id where c.id = ${conversationId}::uuid
    for no key update of i, c`;
  if (!open || open.isOpen === null) throw createMailboxClosedError();
  if (!open.isOpen) throw createMailboxNotOpenError();
  return open;
}

const buildEvent = (
  { organizationId, eventId, incidentId }: MailboxPermissionSubject,
  kind: OutboxEventKind,
): OutboxEvent => ({ kind, actorId: null, organizationId, eventId, incidentId });
