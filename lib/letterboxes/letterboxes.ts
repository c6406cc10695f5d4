import {
  recordLetterboxClosureInLedger,
  recordReplacedLetterboxCodeInLedger,
} from "#lib/erasures/access-changes.ts";
import { assertSameOriginToSetCookies } from "#lib/accounts/sessions.ts";
import {
  appendAuditEntries,
  appendAuditEntry,
  buildAuditEntry,
  buildActorlessAuditEntry,
} from "#lib/audit/audit.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma, runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { env } from "#lib/env.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { insertEvidence, rollBackUploads, type StoredUpload } from "#lib/files/evidence.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import type { EventActorContext } from "#lib/incidents/incidents.ts";
import { loadLetterboxForTeam, isDecisionInLetterbox } from "#lib/letterboxes/queries.ts";
import {
  MAX_LETTERBOXES_PER_INCIDENT,
  type LetterboxRecord,
  type NewDecisionInput,
  type NewLetterboxInput,
  type NewHolderReplyInput,
} from "#lib/letterboxes/schema.ts";
import {
  createLetterboxNotOpenedHereError,
  type OpenedLetterboxPermissionSubject,
} from "#lib/letterboxes/scope.ts";
import { letterboxCookie } from "#lib/letterboxes/session.ts";
import { runThrottledReceiptLookup, type ProofOfWorkSolution } from "#lib/mailbox/lookup-lane.ts";
import { START_OF_TODAY_UTC_SQL } from "#lib/incidents/coarse-times-sql.ts";
import { parseReceiptOrLetterboxCode } from "#lib/mailbox/mailbox.ts";
import { sendOncePerIdempotencyKey } from "#lib/mailbox/send-once.ts";
import {
  AppError,
  createForbiddenError,
  createNotFoundError,
  InvalidInputError,
} from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { appendOutboxEvent, insertOutboxEventsSql } from "#lib/outbox/append.ts";
import {
  LETTER_FROM_LETTERBOX_HOLDER_KIND,
  TEAM_ONLY_CHANGE_KIND,
  type OutboxEventKind,
} from "#lib/outbox/events.ts";
import { storeUnidentifiedUploads } from "#lib/mailbox/uploads.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";

/**
 * Letterboxes, in which reported people and witnesses write with the team. A letterbox belongs to an incident and not
 * to its conversation with the reporter (docs/decisions/063): no statement here reads or writes messages, notes or
 * anything of the reporter.
 */

type TeamContext = EventActorContext & { incidentId: string };
type TeamLetterboxContext = TeamContext & { letterboxId: string };
type NewCode = { letterbox: LetterboxRecord; code: string; link: string };
type HolderContext = OpenedLetterboxPermissionSubject & { call: OperationCall };

/**
 * Creates a letterbox on an incident. Its code is for its holder: it is returned this once, and stored nowhere.
 * @throws AppError CONFLICT when the incident has as many as it may; FORBIDDEN when the role has been lost since
 */
export async function createLetterbox(
  context: TeamContext,
  { kind, label }: NewLetterboxInput,
): Promise<NewCode> {
  const code = createReceiptCode(null);
  const { incidentId, eventId, actor } = context;
  const id = await runSqlTransaction(
    async (tx) => {
      const [created] = await tx.$queryRaw<{ id: string; allowed: boolean }[]>`
        with locked as (
          select i.id from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid
            and ${isStillOnEventTeamSql(actor, eventId)} for no key update
        ), created as (
          insert into letterboxes (incident_id, kind, label, code_hash, created_by_id)
          select id, ${kind}::letterbox_kind, ${label}, ${hashReceipt(code)}::bytea, ${actor.id}::uuid from locked
          where (select count(*) from letterboxes b where b.incident_id = locked.id) < ${MAX_LETTERBOXES_PER_INCIDENT}::int
          returning id, incident_id
        ), history as (
          insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id)
          select incident_id, ${eventId}::uuid, ${actor.id}::uuid, 'letterbox.created', ${kind}, id from created
        ), appended_events as (${insertOutboxEventsSql(tx, [buildEvent(context, TEAM_ONLY_CHANGE_KIND)])})
        select c.id, l.id is not null as allowed from (select 1) as one left join locked l on true left join created c on true`;
      if (!created?.allowed) throw createForbiddenError();
      if (!created.id)
        throw new AppError("CONFLICT", "tooManyLetterboxes", { max: MAX_LETTERBOXES_PER_INCIDENT });
      return created.id;
    },
    async (tx, letterboxId) => {
      await appendAuditEntry(
        tx,
        buildAuditEntry(context, "letterbox.create", { type: "letterbox", id: letterboxId }, { incidentId }),
      );
      return letterboxId;
    },
  );
  return describeCode(id, code);
}

/** Writes to a letterbox's holder. @throws AppError CONFLICT when it is closed, FORBIDDEN when the role was lost */
export const sendLetterToHolder = (context: TeamLetterboxContext, body: string): Promise<LetterboxRecord> =>
  writeTeamLetter(context, { body, decision: null });

/** Sends the holder of a letterbox a decision in its four parts. @throws AppError as for `sendLetterToHolder` */
export const sendDecisionToHolder = (
  context: TeamLetterboxContext,
  decision: NewDecisionInput,
): Promise<LetterboxRecord> => writeTeamLetter(context, { body: null, decision });

async function writeTeamLetter(
  context: TeamLetterboxContext,
  { body, decision }: { body: string | null; decision: NewDecisionInput | null },
): Promise<LetterboxRecord> {
  const { letterboxId, incidentId, eventId, actor } = context;
  await runSqlTransaction(
    async (tx) => {
      if (!(await lockForTeam(tx, context))) throw new AppError("CONFLICT", "letterboxClosed");
      await tx.$executeRaw`
        with written as (
          insert into letters (letterbox_id, author_id, body, reported, finding, measure, measure_ends_on, appeal)
          values (${letterboxId}::uuid, ${actor.id}::uuid, ${body}, ${decision?.reported ?? null},
            ${decision?.finding ?? null}, ${decision?.measure ?? null}, ${decision?.measureEndsOn ?? null}::date,
            ${decision?.appeal ?? null})
          returning id
        ), appended_events as (${insertOutboxEventsSql(tx, [buildEvent(context, TEAM_ONLY_CHANGE_KIND)])})
        insert into incident_history (incident_id, event_id, actor_id, action, to_value, object_id)
        select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, 'letterbox.sent',
          ${decision ? "decision" : "message"}, id from written`;
    },
    (tx) =>
      appendAuditEntry(
        tx,
        buildAuditEntry(
          context,
          decision ? "letterbox.decide" : "letterbox.write",
          { type: "letterbox", id: letterboxId },
          { incidentId },
        ),
      ),
  );
  return loadLetterboxForTeam(letterboxId);
}

/**
 * Locks a letterbox for the team.
 * @returns the hash of its code; null if it is closed
 * @throws AppError FORBIDDEN when the role was lost
 */
async function lockForTeam(
  tx: SqlClient,
  { letterboxId, eventId, actor }: TeamLetterboxContext,
): Promise<Uint8Array | null> {
  const [letterbox] = await tx.$queryRaw<{ codeHash: Uint8Array | null }[]>`
    select code_hash as "codeHash" from letterboxes
    where id = ${letterboxId}::uuid and ${isStillOnEventTeamSql(actor, eventId)} for update`;
  if (!letterbox) throw createForbiddenError();
  return letterbox.codeHash;
}

/**
 * Closes a letterbox for good: its code stops working on every device. What was written stays for the team. Closing it
 * again changes nothing.
 * @throws AppError FORBIDDEN when the role was lost
 */
export async function closeLetterbox(context: TeamLetterboxContext): Promise<LetterboxRecord> {
  const { letterboxId, incidentId, eventId, actor } = context;
  await runSqlTransaction(async (tx) => {
    if (!(await lockForTeam(tx, context))) return;
    await tx.$executeRaw`
      with closed as (
        update letterboxes set code_hash = null, closed_at = now() where id = ${letterboxId}::uuid returning id
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, 'letterbox.closed', id from closed`;
    await recordLetterboxClosureInLedger(tx, letterboxId);
    await appendOutboxEvent(tx, buildEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "letterbox.close", { type: "letterbox", id: letterboxId }, { incidentId }),
    );
  });
  return loadLetterboxForTeam(letterboxId);
}

/**
 * Gives a letterbox a new code, for its holder alone. The old code stops working at once, also where it has opened the
 * letterbox. The new code is returned this once, and stored nowhere.
 * @throws AppError CONFLICT when the letterbox is closed, FORBIDDEN when the actor has lost the role
 */
export async function renewLetterboxCode(context: TeamLetterboxContext): Promise<NewCode> {
  const code = createReceiptCode(null);
  const { letterboxId, incidentId, eventId, actor } = context;
  await runSqlTransaction(async (tx) => {
    const replacedHash = await lockForTeam(tx, context);
    if (!replacedHash) throw new AppError("CONFLICT", "letterboxClosed");
    await recordReplacedLetterboxCodeInLedger(tx, letterboxId, replacedHash);
    await tx.$executeRaw`
      with renewed as (
        update letterboxes set code_hash = ${hashReceipt(code)}::bytea where id = ${letterboxId}::uuid returning id
      )
      insert into incident_history (incident_id, event_id, actor_id, action, object_id)
      select ${incidentId}::uuid, ${eventId}::uuid, ${actor.id}::uuid, 'letterbox.renewed', id from renewed`;
    await appendOutboxEvent(tx, buildEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendAuditEntry(
      tx,
      buildAuditEntry(context, "letterbox.renewCode", { type: "letterbox", id: letterboxId }, { incidentId }),
    );
  });
  return describeCode(letterboxId, code);
}

const describeCode = async (letterboxId: string, code: string): Promise<NewCode> => ({
  letterbox: await loadLetterboxForTeam(letterboxId),
  code,
  link: `${env().baseUrl}/letterbox`,
});

/**
 * Opens a letterbox on this device with its code. Look-ups of letterboxes and mailboxes share one queue.
 * @throws InvalidInputError for words that can't be a code; AppError NOT_FOUND, SERVICE_UNAVAILABLE, CSRF_REJECTED
 */
export async function openLetterbox(
  call: OperationCall,
  { code: typed, proof }: { code: string; proof?: ProofOfWorkSolution | undefined },
): Promise<void> {
  assertSameOriginToSetCookies(call);
  const code = parseReceiptOrLetterboxCode(typed, "code");
  const cookie = await runThrottledReceiptLookup({ address: call.address, proof }, async () => {
    const codeHash = hashReceipt(code);
    const found = await prisma.letterbox.findUnique({ where: { codeHash }, select: { id: true } });
    return (
      found &&
      letterboxCookie.seal({
        letterboxId: found.id,
        codeHash: Buffer.from(codeHash).toString("base64url"),
      })
    );
  });
  if (!cookie) throw new AppError("NOT_FOUND", "noLetterboxWithCode");
  call.setCookie(cookie);
}

/** Ends the session of the letterbox on this device; the code opens it again. */
export const leaveLetterbox = (call: OperationCall): void => call.setCookie(letterboxCookie.createExpired());

/**
 * Writes a letter to the team, or an appeal. Its date has no time of day.
 * @throws AppError UNAUTHENTICATED when the letterbox has been closed since, INVALID_STATE_TRANSITION for an appeal
 *   before any decision, RATE_LIMITED, IDEMPOTENCY_KEY_REUSED
 */
export const writeHolderReply = (
  context: HolderContext,
  { body, appeal }: NewHolderReplyInput,
): Promise<void> =>
  sendOncePerIdempotencyKey(context, ["letter", body, appeal], async (claim) => {
    const { letterboxId, incidentId, eventId } = context;
    await consumeLimit("unidentified-message", letterboxId);
    await runSqlTransaction(async (tx) => {
      await lockOpenedLetterbox(tx, context);
      await claim(tx);
      if (appeal && !(await isDecisionInLetterbox(tx, letterboxId)))
        throw new AppError("INVALID_STATE_TRANSITION", "noDecisionYet");
      await tx.$executeRaw`
        with written as (
          insert into letters (letterbox_id, from_holder, body, is_appeal, sent_at)
          values (${letterboxId}::uuid, true, ${body}, ${appeal}::boolean, ${START_OF_TODAY_UTC_SQL}) returning id
        )
        insert into incident_history (incident_id, event_id, action, to_value, object_id, created_at)
        select ${incidentId}::uuid, ${eventId}::uuid, 'letterbox.received', ${appeal ? "appeal" : "message"}, id,
          ${START_OF_TODAY_UTC_SQL} from written`;
      await appendOutboxEvent(tx, buildEvent(context, LETTER_FROM_LETTERBOX_HOLDER_KIND));
      await appendAuditEntry(
        tx,
        buildActorlessAuditEntry(
          { ...context, right: "letterbox" },
          appeal ? "letterbox.appeal" : "letterbox.reply",
          { type: "letterbox", id: letterboxId },
          { incidentId },
        ),
      );
    });
  });

/** Confirms that the holder read a letter; repeats change nothing. @throws AppError NOT_FOUND, UNAUTHENTICATED */
export async function confirmLetterRead(context: HolderContext, letterId: string): Promise<void> {
  const { letterboxId, incidentId, eventId } = context;
  await runSqlTransaction(async (tx) => {
    await lockOpenedLetterbox(tx, context);
    const letter = await tx.$queryRaw<{ id: string; isNew: boolean }[]>`
      with letter as (
        select id, read_on is null as is_new from letters
        where id = ${letterId}::uuid and letterbox_id = ${letterboxId}::uuid and not from_holder
      ), confirmed as (
        update letters set read_on = (now() at time zone 'UTC')::date
        where id in (select id from letter where is_new) returning id
      ), history as (
        insert into incident_history (incident_id, event_id, action, object_id, created_at)
        select ${incidentId}::uuid, ${eventId}::uuid, 'letterbox.read', id, ${START_OF_TODAY_UTC_SQL} from confirmed
      )
      select id, is_new as "isNew" from letter`;
    if (!letter[0]) throw createNotFoundError("letter");
    if (!letter[0].isNew) return;
    await appendOutboxEvent(tx, buildEvent(context, TEAM_ONLY_CHANGE_KIND));
    await appendAuditEntry(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "letterbox" },
        "letterbox.confirmReading",
        { type: "letterbox", id: letterboxId },
        { incidentId },
      ),
    );
  });
}

/**
 * Adds the holder's files, of which only the content is stored. The team and the holder see them; the reporter doesn't.
 * @throws AppError as for a report's files, UNAUTHENTICATED when the letterbox has been closed or given a new code
 *   since, and IDEMPOTENCY_KEY_REUSED
 */
export async function addLetterboxFiles(context: HolderContext): Promise<void> {
  const { letterboxId, incidentId, call } = context;
  if (call.files.length === 0) throw new InvalidInputError({ relatedFiles: createFieldProblem("missing") });
  const content = ["files", call.files.map(({ size, sha256 }) => [size, sha256])];
  await sendOncePerIdempotencyKey(context, content, async (claim) => {
    const files = await storeUnidentifiedUploads(call, { incidentId, letterboxId });
    try {
      await insertLetterboxFiles(context, files, claim);
    } catch (error) {
      await rollBackUploads(files, error);
      throw error;
    }
  });
}

const insertLetterboxFiles = (
  context: HolderContext,
  files: StoredUpload[],
  claim: (tx: SqlClient) => Promise<void>,
): Promise<void> =>
  runSqlTransaction(async (tx) => {
    const { letterboxId, incidentId, eventId } = context;
    await lockOpenedLetterbox(tx, context);
    await claim(tx);
    const ids = await insertEvidence(tx, {
      incidentId,
      eventId,
      letterboxId,
      uploadedById: null,
      visibleToReporter: false,
      files,
      createdAt: START_OF_TODAY_UTC_SQL,
    });
    await tx.$executeRaw`
      insert into incident_history (incident_id, event_id, action, to_value, object_id, created_at)
      select incident_id, ${eventId}::uuid, 'letterbox.received', 'files', id, ${START_OF_TODAY_UTC_SQL}
      from letterboxes where id = ${letterboxId}::uuid`;
    await appendOutboxEvent(tx, buildEvent(context, LETTER_FROM_LETTERBOX_HOLDER_KIND));
    await appendAuditEntries(
      tx,
      buildActorlessAuditEntry(
        { ...context, right: "letterbox" },
        "letterbox.addFile",
        { type: "file", ids },
        { incidentId },
      ),
    );
  });

/**
 * Locks an opened letterbox against closing and new codes. @throws AppError UNAUTHENTICATED after either of the two
 */
async function lockOpenedLetterbox(tx: SqlClient, { letterboxId, codeHash }: HolderContext): Promise<void> {
  const [open] = await tx.$queryRaw<{ id: string }[]>`
    select id from letterboxes where id = ${letterboxId}::uuid and code_hash = ${codeHash}::bytea for update`;
  if (!open) throw createLetterboxNotOpenedHereError();
}

type Place = Pick<TeamContext, "organizationId" | "eventId" | "incidentId"> & {
  actor?: EventActorContext["actor"];
};

const buildEvent = ({ organizationId, eventId, incidentId, actor }: Place, kind: OutboxEventKind) => ({
  kind,
  actorId: actor?.id ?? null,
  organizationId,
  eventId,
  incidentId,
});
