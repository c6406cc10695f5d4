import { randomUUID } from "node:crypto";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { keyedHash } from "#lib/crypto/keyed-hash.ts";
import { createReceipt, hashReceipt } from "#lib/crypto/receipt.ts";
import { runSqlTransaction, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { env } from "#lib/env.ts";
import type { EventSubject } from "#lib/events/scope.ts";
import { insertEvidence, rollBackUploads, storeUploads, type StoredUpload } from "#lib/files/evidence.ts";
import { isReportedAsUrgent } from "#lib/incidents/lifecycle.ts";
import { expandFileDescriptions } from "#lib/incidents/submission.ts";
import { fieldProblem } from "#lib/i18n/error-text.ts";
import { IDEMPOTENCY_KEY_TTL, MAX_IDEMPOTENCY_KEY_LENGTH } from "#lib/incidents/idempotency.ts";
import type { ReportWithoutAccount } from "#lib/mailbox/schema.ts";
import { QUARTER_SQL } from "#lib/mailbox/quarter-sql.ts";
import { AppError, InvalidInputError, isOutcomeUnknown } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { appendOutboxEventsSql } from "#lib/outbox/append.ts";
import { URGENT_REPORT, type OutboxEvent } from "#lib/outbox/events.ts";
import { consumeUnidentifiedReportLimit } from "#lib/rate-limits/rate-limits.ts";

type SubmissionContext = EventSubject & { call: OperationCall };

/** What was sent under an `Idempotency-Key`: a repetition is the same report, with the same receipt. */
type RepeatableRequest = {
  owner: string;
  keyHash: Uint8Array<ArrayBuffer>;
  contentHash: Uint8Array<ArrayBuffer>;
};

/**
 * Files a report of somebody who has no account, or doesn't use it. Nothing that is stored says who sent it: no
 * account, no address, no browser, and times are those of the quarter of an hour. Files are taken only if they reveal
 * nothing but their content.
 * @returns the words of the receipt, which are stored nowhere, and the incident's id
 * @throws InvalidInputError; AppError FORBIDDEN where the event takes no such reports, UNSUPPORTED_FILE_TYPE,
 *   STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function submitWithoutAccount(
  context: SubmissionContext,
  report: ReportWithoutAccount,
): Promise<{ receipt: string; incidentId: string }> {
  const repeatable = readIdempotencyKey(context, report);
  const receipt = createReceipt(repeatable?.owner ?? null);
  const earlier = repeatable && (await findEarlierReport(repeatable));
  if (earlier) return { receipt, incidentId: earlier };
  const undoCount = await consumeUnidentifiedReportLimit(context.call.address);
  try {
    return { receipt, incidentId: await storeReport(context, { report, receipt, repeatable }) };
  } catch (error) {
    if (!isOutcomeUnknown(error)) await undoCount();
    const concurrent =
      repeatable && error instanceof RepeatedReport ? await findEarlierReport(repeatable) : null;
    if (concurrent) return { receipt, incidentId: concurrent };
    throw error;
  }
}

/** Thrown when a request under the same key has just filed the report. Nothing is written then. */
class RepeatedReport extends Error {}

/** A key stands for its report, and gives its receipt: it has to be as hard to guess as the receipt. */
const MIN_KEY_LENGTH = 22;

function readIdempotencyKey(
  { eventId, call }: SubmissionContext,
  report: ReportWithoutAccount,
): RepeatableRequest | null {
  const key = call.idempotencyKey;
  if (key === null) return null;
  if (!/^[\x21-\x7e]{22,255}$/.test(key))
    throw new InvalidInputError({
      "Idempotency-Key": fieldProblem("mustBeRandomKey", {
        min: MIN_KEY_LENGTH,
        max: MAX_IDEMPOTENCY_KEY_LENGTH,
      }),
    });
  const owner = `without account ${eventId} ${key}`;
  const { openMailbox: _, ...content } = report;
  const fields = Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const files = call.files.map(({ size, sha256 }) => [size, sha256]);
  return {
    owner,
    keyHash: keyedHash("report key", owner),
    contentHash: keyedHash("report content", `${owner} ${JSON.stringify([fields, files])}`),
  };
}

/** @throws AppError IDEMPOTENCY_KEY_REUSED when other content was sent under the key */
async function findEarlierReport({ keyHash, contentHash }: RepeatableRequest): Promise<string | null> {
  const [match] = await sql.$queryRaw<{ id: string; same: boolean }[]>`
    select i.id, k.content_hash = ${contentHash}::bytea as same
    from idempotency_keys k join incidents i on i.id = k.incident_id
    where k.key_hash = ${keyHash}::bytea and i.created_at > now() - ${IDEMPOTENCY_KEY_TTL}`;
  if (!match) return null;
  if (!match.same) throw new AppError("IDEMPOTENCY_KEY_REUSED", "idempotencyKeyReused");
  return match.id;
}

type NewReport = { report: ReportWithoutAccount; receipt: string; repeatable: RepeatableRequest | null };

async function storeReport(context: SubmissionContext, draft: NewReport): Promise<string> {
  const { eventId, call } = context;
  const descriptions = expandFileDescriptions(draft.report, call.files.length);
  // Inspection is shared out by sender; all reports of an event without an account are one.
  const files = await storeUploads(call.files, { personId: `event ${eventId}`, eventId, anonymous: true });
  const incidentId = randomUUID();
  try {
    await runSqlTransaction(
      async (tx) => {
        await insertReport(tx, context, { ...draft, incidentId });
        await insertEvidence(tx, {
          incidentId,
          eventId,
          uploadedById: null,
          files,
          descriptions,
          createdAt: QUARTER_SQL,
        });
      },
      (tx) => appendSubmissionAudit(tx, context, { incidentId, files }),
    );
    return incidentId;
  } catch (error) {
    await rollBackUploads(files, error);
    throw error;
  }
}

const appendSubmissionAudit = (
  tx: SqlClient,
  { organizationId, eventId }: SubmissionContext,
  { incidentId, files }: { incidentId: string; files: StoredUpload[] },
): Promise<void> =>
  appendAuditEntry(tx, {
    action: "incident.create",
    organizationId,
    eventId,
    actorId: null,
    right: "anonymous",
    object: { type: "incident", id: incidentId },
    data: { files: files.length },
  });

type Insertion = NewReport & { incidentId: string };
type InsertOutcome = { allowed: boolean; recent: number; written: boolean };

/**
 * Asks in the statement that writes whether the event takes such reports, and how many came in the last hour. A
 * concurrent request under the same key waits there, and the later one writes nothing.
 */
async function insertReport(tx: SqlClient, context: SubmissionContext, insertion: Insertion): Promise<void> {
  const { receipt, repeatable } = insertion;
  const limit = env().rateLimits ? env().RATE_REPORT_EVENT_PER_HOUR : null;
  const [outcome] = await tx.$queryRaw<InsertOutcome[]>`
    with appended_events as (${appendOutboxEventsSql(tx, [buildCreatedEvent(context, insertion)])}),
    allowed as materialized (${selectAdmissionSql(context.eventId)}),
    claimed_key as (${claimKeySql(repeatable, insertion.incidentId)}),
    new_incident as (
      ${insertIncidentSql(context.eventId, insertion)}
      from allowed where yes and (${limit}::int is null or recent < ${limit}::int)
        and (${repeatable === null}::boolean or exists (select 1 from claimed_key))
      returning id, event_id, created_at
    ), new_mailbox as (
      insert into report_mailboxes (incident_id, receipt_hash) select id, ${hashReceipt(receipt)}::bytea from new_incident
    ), first_history_entry as (
      insert into incident_history (incident_id, event_id, action, to_value, created_at)
      select id, event_id, 'submitted', 'submitted', created_at from new_incident
    )
    select yes as allowed, recent, exists (select 1 from new_incident) as written from allowed`;
  if (!outcome?.allowed) throw notTaken();
  if (limit !== null && outcome.recent >= limit) throw tooManyReports();
  if (!outcome.written) throw new RepeatedReport();
}

const buildCreatedEvent = (
  { organizationId, eventId }: SubmissionContext,
  { incidentId, report }: Insertion,
): OutboxEvent => ({
  kind: isReportedAsUrgent(report) ? URGENT_REPORT : "incident.created",
  actorId: null,
  organizationId,
  eventId,
  incidentId,
  state: "submitted",
});

const selectAdmissionSql = (eventId: string): Prisma.Sql => Prisma.sql`
  select exists (select 1 from events where id = ${eventId}::uuid)
      and coalesce((select without_account from event_report_settings where event_id = ${eventId}::uuid), true) as yes,
    (select count(*)::int from incidents i where i.event_id = ${eventId}::uuid
      and i.created_at > now() - interval '1 hour' and i.reporter_id is null) as recent`;

const claimKeySql = (repeatable: RepeatableRequest | null, incidentId: string): Prisma.Sql => Prisma.sql`
  insert into idempotency_keys (key_hash, content_hash, incident_id)
  select ${repeatable?.keyHash ?? null}::bytea, ${repeatable?.contentHash ?? null}::bytea, ${incidentId}::uuid
  from allowed where yes and ${repeatable !== null}::boolean
  on conflict (key_hash) do update set content_hash = excluded.content_hash, incident_id = excluded.incident_id
    where exists (select 1 from incidents i
      where i.id = idempotency_keys.incident_id and i.created_at <= now() - ${IDEMPOTENCY_KEY_TTL})
  returning 1`;

/** The insert as far as its `from`. A critical report counts as escalated from its beginning, as any other does. */
const insertIncidentSql = (eventId: string, { report, incidentId }: Insertion): Prisma.Sql => Prisma.sql`
  insert into incidents (id, event_id, title, description, type, location, parties, contact_method, severity,
    urgent, incident_at, has_mailbox, escalated_at, created_at, updated_at)
  select ${incidentId}::uuid, ${eventId}::uuid, ${report.title}, ${report.description}, ${report.type}, ${report.location},
    ${report.parties}, 'no_contact'::contact_method, ${report.severity}::severity, ${isReportedAsUrgent(report)}::boolean,
    ${report.incidentAt}::timestamptz, true,
    case when ${report.severity} = 'critical' then ${QUARTER_SQL} end, ${QUARTER_SQL}, ${QUARTER_SQL}`;

const notTaken = () => new AppError("FORBIDDEN", "reportsNeedAccount");

const tooManyReports = () =>
  new AppError("RATE_LIMITED", "tooManyReportsHere", {}, { headers: { "Retry-After": "900" } });
