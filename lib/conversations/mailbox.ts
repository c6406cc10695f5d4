import { recordConversationClosureInLedger } from "#lib/erasures/access-changes.ts";
import { appendAuditEntries, appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import type { AuditAction } from "#lib/audit/actions.ts";
import { leaveMailbox } from "#lib/conversations/mailbox-opening.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  insertEvidence,
  rollBackUploads,
  type StoredUpload,
  cleanAndStoreUploads,
  sumFileSizes,
} from "#lib/files/evidence.ts";
import type { NewMailboxMessageInput } from "#lib/conversations/schema.ts";
import { timeSql } from "#lib/incidents/coarse-times-sql.ts";
import { DAY_MS, QUARTER_HOUR_MS, roundDownTime } from "#lib/wall-clock.ts";
import {
  createMailboxClosedError,
  createMailboxNotOpenError,
  type MailboxPermissionSubject,
  type ReporterMailboxSubject,
} from "#lib/conversations/scope.ts";
import { appendHistoryEntry } from "#lib/incidents/history.ts";
import { addMessage, markMailboxClosed } from "#lib/incidents/messages.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, createNotFoundError, InvalidInputError } from "#lib/operation/errors.ts";
import { isOpenState } from "#lib/access/incident-states.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import {
  MESSAGE_AFTER_CLOSING_KIND,
  MESSAGE_FROM_PARTY_KIND,
  REPORT_WITHDRAWN_KIND,
  TEAM_ONLY_CHANGE_KIND,
  type OutboxEvent,
  type OutboxEventKind,
} from "#lib/jobs/outbox-events.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { assertIdempotencyKey } from "#lib/idempotency/key.ts";
import {
  assertSameContent,
  END_OF_TOMORROW_UTC_SQL,
  sendUnlessSent,
  takeKey,
} from "#lib/idempotency/keys.ts";
import { findIdempotencyKeyState } from "#lib/idempotency/queries.ts";

/** What a person with seven words does: a reporter without an account, a reported person or a witness. */

type MailboxContext = MailboxPermissionSubject & { call: OperationCall };
type ReporterContext = ReporterMailboxSubject & { call: OperationCall };

type SenderRules = Record<"messageKind" | "fileKind", OutboxEventKind> & {
  audit: Record<"message" | "appeal" | "files", AuditAction>;
};

/** What differs between a reporter's mailbox and that of somebody else (contract 14). */
const rulesFor = ({ party }: MailboxPermissionSubject): SenderRules =>
  party === "reporter"
    ? {
        messageKind: "message.created",
        fileKind: "file.added",
        audit: { message: "message.create", appeal: "message.create", files: "file.add" },
      }
    : {
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
    const { conversationId, party } = context;
    const { messageKind, audit } = rulesFor(context);
    await consumeLimit("unidentified-message", conversationId);
    await runTransaction(async (tx) => {
      const { finished } = await lockMailbox(tx, context);
      await claim(tx);
      if (appeal && !(await hasDecision(tx, conversationId)))
        throw new AppError("INVALID_STATE_TRANSITION", "noDecisionYet");
      const isLate = party === "reporter" && finished;
      const id = await addMessage(tx, {
        conversationId,
        authorId: null,
        fromParty: true,
        kind: appeal ? "appeal" : "message",
        body,
        at: await findActionTime(tx, context),
        event: buildEvent(context, isLate ? MESSAGE_AFTER_CLOSING_KIND : messageKind),
      });
      const object =
        party === "reporter" ? { type: "message", id } : { type: "conversation", id: conversationId };
      await appendEntry(tx, context, appeal ? audit.appeal : audit.message, object);
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
  runTransaction(async (tx) => {
    const { incidentId, eventId, conversationId, party } = context;
    const { fileKind, audit } = rulesFor(context);
    await lockMailbox(tx, context);
    await claim(tx);
    const isReporter = party === "reporter";
    const coarse = findCoarseTime(party);
    const ids = await insertEvidence(tx, {
      incidentId,
      eventId,
      uploadedById: null,
      files,
      ...(isReporter
        ? { descriptions: files.map(() => description) }
        : { conversationId, visibleToReporter: false }),
      createdAt: timeSql(coarse),
    });
    const at = await findActionTime(tx, context, coarse);
    const received = {
      action: "conversation.received",
      toValue: "files",
      objectId: conversationId,
      createdAt: at,
    } as const;
    await (isReporter ? appendFileHistory(tx, context, { ids, at }) : appendHistory(tx, context, received));
    await appendOutboxEvent(tx, buildEvent(context, fileKind));
    const actorless = { ...context, right: "mailbox" } as const;
    await appendAuditEntries(
      tx,
      buildActorlessAuditEntry(actorless, audit.files, { type: "file", ids }, { incidentId }),
    );
  });

/** Adds an entry for each file, no earlier than the file and `at`. */
async function appendFileHistory(
  tx: Tx,
  { incidentId, eventId }: MailboxContext,
  { ids, at }: { ids: string[]; at: Date },
): Promise<void> {
  const files = await tx.relatedFile.findMany({
    where: { id: { in: ids } },
    orderBy: { createdAt: "asc" },
    select: { id: true, filename: true, createdAt: true },
  });
  await tx.incidentHistory.createMany({
    data: files.map(({ id: objectId, filename: toValue, ...file }) => {
      const createdAt = file.createdAt > at ? file.createdAt : at;
      return { incidentId, eventId, action: "file.added", objectId, toValue, createdAt };
    }),
  });
}

/**
 * Confirms that the person read a message of the team; repeats change nothing. Reporters confirm nothing.
 * @throws AppError NOT_FOUND, UNAUTHENTICATED
 */
export async function confirmMessageRead(context: MailboxContext, messageId: string): Promise<void> {
  const { conversationId, party } = context;
  if (party === "reporter") throw createNotFoundError("message");
  await runTransaction(async (tx) => {
    await lockMailbox(tx, context);
    const message = await tx.message.findFirst({
      where: { id: messageId, conversationId, fromParty: false },
      select: { readOn: true, updatedAt: true },
    });
    if (!message) throw createNotFoundError("message");
    if (message.readOn) return;
    const { updatedAt } = message;
    // Reading isn't an edit, so the time of the last one stays.
    const data = { readOn: new Date(), updatedAt };
    await tx.message.update({ where: { id: messageId }, data, select: { id: true } });
    const createdAt = await findActionTime(tx, context);
    await appendHistory(tx, context, { action: "conversation.read", objectId: messageId, createdAt });
    await appendOutboxEvent(tx, buildEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendEntry(tx, context, "conversation.confirmReading", {
      type: "conversation",
      id: conversationId,
    });
  });
}

/**
 * Notifies the team that the reporter doesn't want the report pursued; the team decides. A second call changes nothing.
 */
export async function recordReportWithdrawal(context: ReporterContext): Promise<void> {
  const { incidentId } = context;
  await runTransaction(async (tx) => {
    await lockMailbox(tx, context);
    const where = { id: incidentId, withdrawnOn: null };
    const withdrawn = await tx.conversation.updateMany({ where, data: { withdrawnOn: new Date() } });
    if (withdrawn.count === 0) return;
    const createdAt = await findActionTime(tx, context);
    await appendHistory(tx, context, { action: "withdrawn", createdAt });
    await appendOutboxEvent(tx, buildEvent(context, REPORT_WITHDRAWN_KIND));
    await appendEntry(tx, context, "incident.withdraw", { type: "incident", id: incidentId });
  });
}

/** Closes the reporter's mailbox for good: its words stop working, and the reporter gets no more messages. */
export async function closeMailbox(context: ReporterContext): Promise<void> {
  const { incidentId, call } = context;
  await runTransaction(async (tx) => {
    await lockMailbox(tx, context);
    const createdAt = await findActionTime(tx, context);
    const closed = { wordsHash: null, closedOn: new Date() };
    await tx.conversation.update({ where: { id: incidentId }, data: closed, select: { id: true } });
    await markMailboxClosed(tx, incidentId, createdAt);
    await appendHistory(tx, context, { action: "mailbox.closed", createdAt });
    await recordConversationClosureInLedger(tx, incidentId);
    await appendOutboxEvent(tx, buildEvent(context, "incident.changed"));
    await appendEntry(tx, context, "incident.closeMailbox", { type: "incident", id: incidentId });
  });
  leaveMailbox(call);
}

/**
 * Locks the incident and the conversation, against a change of status, closing and new words.
 * @returns whether the incident is resolved or closed
 * @throws AppError UNAUTHENTICATED when the mailbox has been closed or given new words since
 */
async function lockMailbox(
  tx: SqlClient,
  { incidentId, conversationId, session }: MailboxContext,
): Promise<{ finished: boolean }> {
  const incident = await lockRow(tx, { table: "incidents", id: incidentId }, ["state"]);
  const conversation = await lockRow(tx, { table: "conversations", id: conversationId }, ["wordsHash"]);
  if (!incident || !conversation?.wordsHash) throw createMailboxClosedError();
  if (!Buffer.from(session.wordsHash, "base64url").equals(conversation.wordsHash))
    throw createMailboxNotOpenError();
  return { finished: !isOpenState(incident.state) };
}

const hasDecision = async (tx: Tx, conversationId: string): Promise<boolean> =>
  (await tx.message.count({ where: { conversationId, kind: "decision" } })) > 0;

/** Actions of the history whose times a mailbox shows. The times of the reporter's own files are shown, too. */
const VISIBLE_STEPS = ["submitted", "message", "withdrawn"];

const findCoarseTime = (party: MailboxPermissionSubject["party"]): Date =>
  new Date(roundDownTime(Date.now(), party === "reporter" ? QUARTER_HOUR_MS : DAY_MS));

/**
 * Finds the time of what the person does now: the UTC day for a reported person or a witness. For a reporter it is the
 * beginning of this quarter of an hour, or just after the last entry that the mailbox shows, if that is later. Other actions
 * of the team don't count, since the reporter would see their time.
 */
async function findActionTime(
  tx: Tx,
  { party, incidentId }: MailboxPermissionSubject,
  coarse = findCoarseTime(party),
): Promise<Date> {
  if (party !== "reporter") return coarse;
  const shown = await tx.incidentHistory.aggregate({
    where: {
      incidentId,
      OR: [{ action: { in: VISIBLE_STEPS } }, { action: "file.added", actorId: null }],
    },
    _max: { createdAt: true },
  });
  return new Date(Math.max(coarse.getTime(), (shown._max.createdAt?.getTime() ?? 0) + 1));
}

/** A mailbox's entries name nobody, whoever is signed in. */
const appendHistory = (
  tx: Tx,
  { incidentId, eventId }: MailboxPermissionSubject,
  entry: Parameters<typeof appendHistoryEntry>[2],
): Promise<void> => appendHistoryEntry(tx, { incidentId, eventId, actor: null }, entry);

const appendEntry = (
  tx: Tx,
  context: MailboxPermissionSubject,
  action: AuditAction,
  object: { type: string; id: string },
): Promise<void> =>
  appendAuditEntry(
    tx,
    buildActorlessAuditEntry({ ...context, right: "mailbox" }, action, object, {
      incidentId: context.incidentId,
    }),
  );

const buildEvent = (
  { organizationId, eventId, incidentId }: MailboxPermissionSubject,
  kind: OutboxEventKind,
): OutboxEvent => ({ kind, actorId: null, organizationId, eventId, incidentId });

/**
 * Counts, cleans and stores the files that somebody sends from their mailbox. Only their content is stored.
 * @throws AppError as for a report's files, and RATE_LIMITED
 */
async function storeUnidentifiedUploads(
  call: OperationCall,
  addsTo: { incidentId: string; conversationId: string | null },
): Promise<StoredUpload[]> {
  await consumeLimit("unidentified-message", addsTo.conversationId ?? addsTo.incidentId);
  await consumeLimit("unidentified-files", call.address, sumFileSizes(call.files));
  const lane = createLaneForAddress(call.address);
  return cleanAndStoreUploads(call.files, { lane, anonymous: true, addsTo });
}

/**
 * Runs `send`, unless the same content was sent from the mailbox under the key before (docs/decisions/024).
 * @param send calls `take` in its transaction
 * @throws AppError IDEMPOTENCY_KEY_REUSED for other content under the key
 */
async function sendOncePerIdempotencyKey(
  { call, conversationId }: { conversationId: string; call: OperationCall },
  content: unknown,
  send: (take: (tx: SqlClient) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (call.idempotencyKey === null) return send(async () => {});
  assertIdempotencyKey(call.idempotencyKey);
  const owner = `${conversationId} ${call.idempotencyKey}`;
  const record = {
    keyHash: computeKeyedHash("mailbox key", owner),
    contentHash: computeKeyedHash("mailbox content", `${owner} ${JSON.stringify(content)}`),
  };
  const key = { ...record, conversationId, expiresAt: END_OF_TOMORROW_UTC_SQL };
  const findReplay = async () => {
    const sent = await findIdempotencyKeyState(record);
    if (sent) assertSameContent(sent);
    return sent ? {} : null;
  };
  await sendUnlessSent<unknown>(call, findReplay, () => send((tx) => takeKey(tx, key)));
}
