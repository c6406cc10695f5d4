import { recordMailboxClosureInLedger } from "#lib/erasures/access-changes.ts";
import { assertSameOriginToSetCookies } from "#lib/accounts/sessions.ts";
import { appendAuditEntries, appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import {
  listMistypedReceiptTerms,
  hashReceipt,
  normalizeReceipt,
  RECEIPT_WORD_COUNT,
} from "#lib/crypto/receipt.ts";
import { prisma, runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { insertEvidence, rollBackUploads, type StoredUpload } from "#lib/files/evidence.ts";
import { runThrottledReceiptLookup, type ProofOfWorkSolution } from "#lib/mailbox/lookup-lane.ts";
import { nextMailboxActionCoarseTimeSql, CURRENT_QUARTER_HOUR_SQL } from "#lib/incidents/coarse-times-sql.ts";
import { sendOncePerIdempotencyKey } from "#lib/mailbox/send-once.ts";
import {
  createMailboxClosedError,
  createMailboxNotOpenError,
  type MailboxPermissionSubject,
} from "#lib/mailbox/scope.ts";
import {
  createExpiredMailboxCookie,
  sealMailboxCookie,
  type MailboxSession,
} from "#lib/incidents/mailbox-session.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { AppError, InvalidInputError } from "#lib/operation/errors.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { appendOutboxEvent } from "#lib/outbox/append.ts";
import {
  MESSAGE_AFTER_CLOSING_KIND,
  REPORT_WITHDRAWN_KIND,
  type OutboxEventKind,
} from "#lib/outbox/events.ts";
import { storeUnidentifiedUploads } from "#lib/mailbox/uploads.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";

type MailboxContext = MailboxPermissionSubject & { call: OperationCall };

/**
 * Opens a mailbox with its receipt. When the reporter comes back for the first time, the mailbox shows the words again.
 * Hits and misses take the same time.
 * @throws InvalidInputError where the words can't be a receipt; AppError NOT_FOUND, SERVICE_UNAVAILABLE, CSRF_REJECTED
 */
export async function openMailbox(
  call: OperationCall,
  { receipt: typed, proof }: { receipt: string; proof?: ProofOfWorkSolution | undefined },
): Promise<void> {
  assertSameOriginToSetCookies(call);
  const receipt = parseReceiptOrLetterboxCode(typed);
  const cookie = await runThrottledReceiptLookup({ address: call.address, proof }, async () => {
    const session = await findMailbox(receipt);
    return session && sealMailboxCookie(session);
  });
  if (!cookie) throw noSuchMailbox();
  call.setCookie(cookie);
}

/**
 * Parses the words of a receipt, or of the code of a letterbox.
 * @param field the name of the input
 * @throws InvalidInputError unless they are seven words of the list
 */
export function parseReceiptOrLetterboxCode(typed: string, field: "receipt" | "code" = "receipt"): string {
  const receipt = normalizeReceipt(typed);
  const parts = receipt.split(" ").filter(Boolean);
  if (parts.length !== RECEIPT_WORD_COUNT)
    throw new InvalidInputError({
      [field]: createFieldProblem("mustBeReceipt", { count: RECEIPT_WORD_COUNT }),
    });
  const [unknown] = listMistypedReceiptTerms(receipt);
  if (unknown !== undefined)
    throw new InvalidInputError({
      [field]: createFieldProblem("unlistedReceiptWord", { number: parts.indexOf(unknown) + 1 }),
    });
  return receipt;
}

async function findMailbox(receipt: string): Promise<MailboxSession | null> {
  const mailbox = await prisma.reportMailbox.findUnique({
    where: { receiptHash: hashReceipt(receipt) },
    select: { incidentId: true, confirmed: true },
  });
  return mailbox && { incidentId: mailbox.incidentId, ...(mailbox.confirmed ? {} : { receipt }) };
}

const noSuchMailbox = () => new AppError("NOT_FOUND", "noReportWithReceipt");

/**
 * Records in the cookie that the words were downloaded, printed or copied on this device. Does nothing on a team
 * member's device, where the reporter types two of the words instead.
 */
export async function recordReceiptSavedInCookie({ call, session }: MailboxContext): Promise<void> {
  if (session.handOverUntil !== undefined) return;
  call.setCookie(await sealMailboxCookie({ ...session, saved: true }));
}

/**
 * Ends the display of the words, once they were saved on this device or the person typed two of them. A team member's
 * device then forgets them, and they can't be requested again.
 * @throws InvalidInputError for a wrong word, or when the words were neither saved nor typed
 */
export async function endReceiptDisplay(
  { call, session, incidentId }: MailboxContext,
  typed: Readonly<Record<string, string>>,
): Promise<void> {
  if (session.receipt !== undefined) assertReceiptSaved(session, typed);
  if (session.handOverUntil !== undefined) {
    await prisma.reportMailbox.updateMany({ where: { incidentId }, data: { handingOver: false } });
    return leaveMailbox(call);
  }
  await prisma.reportMailbox.updateMany({
    where: { incidentId },
    data: session.fresh ? { confirmedOnSending: true } : { confirmed: true },
  });
  const { endsAt } = session;
  call.setCookie(await sealMailboxCookie({ incidentId, endsAt }));
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

/**
 * Writes a message to the team. Its time is rounded to the quarter of an hour, but never before the message that it
 * replies to.
 * @throws AppError UNAUTHENTICATED when the mailbox has been closed since, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED
 */
export const writeMailboxMessageToTeam = (context: MailboxContext, body: string): Promise<void> =>
  sendOncePerIdempotencyKey(context, ["message", body], async (claim) => {
    const { incidentId, eventId } = context;
    await consumeLimit("unidentified-message", incidentId);
    await runSqlTransaction(async (tx) => {
      const { finished } = await lockMailbox(tx, context);
      await claim(tx);
      const [message] = await tx.$queryRaw<{ id: string }[]>`
        with written as (
          insert into reporter_messages (incident_id, from_mailbox, body, created_at, updated_at)
          select i.id, true, ${body}, sent.at, sent.at
          from incidents i, lateral (select ${nextMailboxActionCoarseTimeSql(incidentId)} as at) sent
          where i.id = ${incidentId}::uuid
          returning id, incident_id, created_at
        )
        insert into incident_history (incident_id, event_id, action, object_id, created_at)
        select incident_id, ${eventId}::uuid, 'message', id, created_at from written returning object_id as id`;
      if (!message) throw createMailboxNotOpenError();
      await appendChange(tx, context, finished ? MESSAGE_AFTER_CLOSING_KIND : "message.created");
      await appendAuditEntry(
        tx,
        buildActorlessAuditEntry(
          { ...context, right: "mailbox" },
          "message.create",
          { type: "message", id: message.id },
          { incidentId },
        ),
      );
    });
  });

/**
 * Adds files. They keep only their content, and get neutral names.
 * @throws AppError as for a report's files, UNAUTHENTICATED when the mailbox has been closed since, and
 *   IDEMPOTENCY_KEY_REUSED
 */
export async function addMailboxFiles(context: MailboxContext, description: string | null): Promise<void> {
  const { incidentId, call } = context;
  if (call.files.length === 0) throw new InvalidInputError({ relatedFiles: createFieldProblem("missing") });
  const content = ["files", description, call.files.map(({ size, sha256 }) => [size, sha256])];
  await sendOncePerIdempotencyKey(context, content, async (claim) => {
    const files = await storeUnidentifiedUploads(call, { incidentId, letterboxId: null });
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
    const { incidentId, eventId } = context;
    await lockMailbox(tx, context);
    await claim(tx);
    const ids = await insertEvidence(tx, {
      incidentId,
      eventId,
      uploadedById: null,
      files,
      descriptions: files.map(() => description),
      createdAt: CURRENT_QUARTER_HOUR_SQL,
    });
    await tx.$executeRaw`
      insert into incident_history (incident_id, event_id, action, object_id, to_value, created_at)
      select ${incidentId}::uuid, ${eventId}::uuid, 'file.added', f.id, f.filename,
        greatest(f.created_at, ${nextMailboxActionCoarseTimeSql(incidentId)})
      from related_files f where f.id = any(${ids}::uuid[])`;
    await appendChange(tx, context, "file.added");
    await appendAuditEntries(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "mailbox" },
        "file.add",
        { type: "file", ids },
        { incidentId },
      ),
    );
  });

/**
 * Notifies the team that the reporter doesn't want the report pursued; the team decides. A second call changes nothing.
 */
export async function recordReportWithdrawal(context: MailboxContext): Promise<void> {
  const { incidentId, eventId } = context;
  await runSqlTransaction(async (tx) => {
    await lockMailbox(tx, context);
    const withdrawn = await tx.$executeRaw`
      with withdrawn as (
        update report_mailboxes set withdrawn_on = (now() at time zone 'UTC')::date
        where incident_id = ${incidentId}::uuid and withdrawn_on is null returning incident_id
      )
      insert into incident_history (incident_id, event_id, action, created_at)
      select incident_id, ${eventId}::uuid, 'withdrawn', ${nextMailboxActionCoarseTimeSql(incidentId)} from withdrawn`;
    if (withdrawn === 0) return;
    await appendChange(tx, context, REPORT_WITHDRAWN_KIND);
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

/** Closes the mailbox for good: its receipt stops working, and the reporter gets no more messages. */
export async function closeMailbox(context: MailboxContext): Promise<void> {
  const { incidentId, eventId, call } = context;
  await runSqlTransaction(async (tx) => {
    await lockMailbox(tx, context);
    await tx.$executeRaw`
      with closed as (
        update report_mailboxes set receipt_hash = null, closed_on = (now() at time zone 'UTC')::date
        where incident_id = ${incidentId}::uuid returning incident_id
      ), unreachable as (
        update incidents set has_mailbox = false,
          updated_at = greatest(${nextMailboxActionCoarseTimeSql(incidentId)}, updated_at + interval '1 millisecond')
        where id = (select incident_id from closed)
      )
      insert into incident_history (incident_id, event_id, action, created_at)
      select incident_id, ${eventId}::uuid, 'mailbox.closed', ${nextMailboxActionCoarseTimeSql(incidentId)} from closed`;
    await recordMailboxClosureInLedger(tx, incidentId);
    await appendChange(tx, context, "incident.changed");
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

/** Ends the session of the mailbox on this device; the receipt opens it again. */
export const leaveMailbox = (call: OperationCall): void => call.setCookie(createExpiredMailboxCookie());

/**
 * Locks the incident and its mailbox, so that neither is closed in the meantime.
 * @returns whether the incident is resolved or closed
 * @throws AppError UNAUTHENTICATED when the mailbox has been closed since
 */
async function lockMailbox(tx: SqlClient, { incidentId }: MailboxContext): Promise<{ finished: boolean }> {
  const [row] = await tx.$queryRaw<{ finished: boolean }[]>`
    select i.state not in ${OPEN_STATES_SQL} as finished
    from incidents i join report_mailboxes m on m.incident_id = i.id
    where i.id = ${incidentId}::uuid and m.receipt_hash is not null for no key update of i, m`;
  if (!row) throw createMailboxClosedError();
  return row;
}

const appendChange = (
  tx: SqlClient,
  { organizationId, eventId, incidentId }: MailboxContext,
  kind: OutboxEventKind,
): Promise<void> => appendOutboxEvent(tx, { kind, actorId: null, organizationId, eventId, incidentId });
