import { randomUUID } from "node:crypto";
import { appendAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { fieldProblem } from "#lib/i18n/error-text.ts";
import { createReceipt, hashReceipt } from "#lib/crypto/receipt.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { isStillReporter } from "#lib/events/held-roles.ts";
import { isOpenToAccounts, joinedAuditEntry, joinedEvent } from "#lib/events/join.ts";
import { rollBackUploads, insertEvidence, storeUploads } from "#lib/files/evidence.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  findIdempotentReplay,
  ConcurrentReplay,
  IDEMPOTENCY_KEY_TTL,
  type IdempotencyRecord,
  deriveIdempotencyRecord,
} from "#lib/incidents/idempotency.ts";
import type { ActorContext, ReportContext } from "#lib/incidents/incidents.ts";
import {
  parseIncidentRecord,
  refetchIncident,
  selectRecordSql,
  type IncidentRow,
} from "#lib/incidents/record.ts";
import { isReportedAsUrgent } from "#lib/incidents/lifecycle.ts";
import { redactIncident } from "#lib/incidents/redaction.ts";
import type { NewIncident } from "#lib/incidents/schema.ts";
import { forbidden, InvalidInputError, isOutcomeUnknown, notFound } from "#lib/operation/errors.ts";
import { isTeamMember } from "#lib/operation/policy.ts";
import { appendOutboxEvent, appendOutboxEventsSql } from "#lib/outbox/append.ts";
import { URGENT_REPORT, type OutboxEvent } from "#lib/outbox/events.ts";
import { consumeReportLimit } from "#lib/rate-limits/rate-limits.ts";

/** A filed report; the receipt of an anonymous one is its sender's way back, and stored nowhere. */
export type SubmittedReport = { incident: IncidentRow; receipt?: string };

/**
 * Files a report in one transaction: the record in state submitted, its files, its first history entry and the audit
 * entry. Files are stored before their rows become visible. An anonymous report leaves no trace of its sender
 * (contract 7.3); it gets a mailbox, whose receipt is returned. A replay under the same idempotency key neither files
 * a second report nor counts against the limit, and has the same receipt.
 * A sender without a role becomes a Reporter in the same transaction if they give their name, and nothing otherwise
 * (contract 7.16).
 * @throws InvalidInputError for more descriptions than files; AppError FORBIDDEN when the role was lost meanwhile,
 *   UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function submitReport(context: ReportContext, input: NewIncident): Promise<SubmittedReport> {
  const report = withoutUnusedContact(input);
  const idempotency = deriveIdempotencyRecord(context, report);
  const receipt = report.anonymous ? createReceipt(idempotency?.owner ?? null) : undefined;
  const receiptMember = receipt === undefined ? {} : { receipt };
  const replay = idempotency && (await findIdempotentReplay(context, report, idempotency));
  if (replay) return { incident: replay, ...receiptMember };
  const undoCount = await consumeReportLimit(context.actor.id, report, sumFileSizes(context.call.files));
  try {
    return { incident: await storeReport(context, { report, idempotency, receipt }), ...receiptMember };
  } catch (error) {
    // If the commit's outcome is unknown, the report may exist, so it stays counted.
    if (!isOutcomeUnknown(error)) await undoCount();
    if (error instanceof ConcurrentReplay) return submitReport(context, input);
    throw error;
  }
}

/**
 * Nobody can contact an anonymous reporter: a contact method or a number would only reveal something about them. A number
 * that the team isn't to call isn't stored either.
 */
function withoutUnusedContact(input: NewIncident): NewIncident {
  const contactMethod = input.anonymous ? "no_contact" : input.contactMethod;
  return { ...input, contactMethod, contactPhone: contactMethod === "phone" ? input.contactPhone : null };
}

const sumFileSizes = (files: readonly { size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

async function storeReport(
  context: ReportContext,
  { report, idempotency, receipt }: Pick<ReportDraft, "report" | "idempotency" | "receipt">,
): Promise<IncidentRow> {
  const { actor, eventId, call } = context;
  const descriptions = expandFileDescriptions(report, call.files.length);
  const files = await storeUploads(call.files, { personId: actor.id, eventId, anonymous: report.anonymous });
  const incidentId = randomUUID();
  const sender = report.anonymous ? null : actor.id;
  try {
    return await runSqlTransaction(
      async (tx) => {
        // The statements run one after the other; the first failure decides.
        const [{ incident, joined }, , incidentWithFiles] = await Promise.all([
          insertReport(tx, context, { incidentId, sender, report, idempotency, receipt }),
          insertEvidence(tx, {
            incidentId,
            eventId,
            uploadedById: sender,
            onTeam: isTeamMember(actor, eventId),
            files,
            descriptions,
          }),
          files.length > 0 ? refetchIncident(tx, context, incidentId) : undefined,
        ]);
        return { incident: incidentWithFiles ?? incident, joined };
      },
      (tx, stored) => appendSubmissionEntries(tx, context, { incidentId, report, ...stored }),
    );
  } catch (error) {
    await rollBackUploads(files, error);
    throw error;
  }
}

type StoredReport = { incident: IncidentRow; joined: boolean };

/** Ends the transaction with the entries of the report, and of the sender's joining. They are sent at once. */
async function appendSubmissionEntries(
  tx: SqlClient,
  context: ReportContext,
  { incidentId, report, incident, joined }: Pick<ReportDraft, "incidentId" | "report"> & StoredReport,
): Promise<IncidentRow> {
  await Promise.all([
    ...(joined
      ? [appendOutboxEvent(tx, joinedEvent(context)), appendAuditEntry(tx, joinedAuditEntry(context))]
      : []),
    appendAuditEntry(tx, buildSubmissionAuditEntry(context, { incidentId, report })),
  ]);
  return incident;
}

/** An anonymous report's entry names neither its sender nor the request. */
const buildSubmissionAuditEntry = (
  { actor, organizationId, eventId, right, call }: ActorContext,
  { incidentId, report }: Pick<ReportDraft, "incidentId" | "report">,
): AuditEntryInput => ({
  action: "incident.create",
  organizationId,
  eventId,
  actorId: report.anonymous ? null : actor.id,
  right: report.anonymous ? "anonymous" : right,
  object: { type: "incident", id: incidentId },
  data: { files: call.files.length },
  ...(report.anonymous ? {} : { requestId: call.requestId }),
});

/** Returns the description of each of `count` files. @throws InvalidInputError for more descriptions than files */
export function expandFileDescriptions(
  { fileDescriptions: input = [] }: Pick<NewIncident, "fileDescriptions">,
  count: number,
): (string | null)[] {
  const describedCount = input.findLastIndex((one) => one !== null) + 1;
  if (describedCount > count)
    throw new InvalidInputError({ fileDescriptions: fieldProblem("moreDescriptionsThanFiles") });
  const [first = null] = input;
  return input.length === 1 ? Array.from({ length: count }, () => first) : input;
}

type ReportDraft = {
  incidentId: string;
  sender: string | null;
  report: NewIncident;
  idempotency: IdempotencyRecord | null;
  /** Of an anonymous report. */
  receipt: string | undefined;
};

type InsertedReport = { record: string | null; allowed: boolean; joined: boolean; eventIsThere: boolean };

/**
 * Checks the role again in the statement that writes, because an upload may have taken minutes. If the event is gone,
 * and its roles with it, the sender gets NOT_FOUND. The same statement claims the idempotency key and waits for a
 * concurrent transaction that is claiming it.
 * @throws ConcurrentReplay when that transaction claims it first
 */
async function insertReport(
  tx: SqlClient,
  context: ReportContext,
  draft: ReportDraft,
): Promise<StoredReport> {
  const { actor, eventId } = context;
  const { incidentId, sender, report, idempotency } = draft;
  const keyHash = idempotency?.keyHash ?? null;
  const [row] = await tx.$queryRaw<InsertedReport[]>`
    with appended_events as (${appendOutboxEventsSql(tx, [buildCreatedEvent(context, draft)])}), allowed as materialized (select ${mayStillReport(context)} as yes), claimed_key as (
      insert into idempotency_keys (key_hash, content_hash, incident_id, user_id)
      select ${keyHash}::bytea, ${idempotency?.contentHash ?? null}::bytea, ${incidentId}::uuid, ${sender}::uuid
      from allowed where yes and ${keyHash}::bytea is not null
      on conflict (key_hash) do update set content_hash = excluded.content_hash, incident_id = excluded.incident_id, user_id = excluded.user_id
        where exists (select 1 from incidents i where i.id = idempotency_keys.incident_id and i.created_at <= now() - ${IDEMPOTENCY_KEY_TTL})
      returning 1
    ), new_incident as (
      insert into incidents (id, event_id, title, description, type, location, parties, contact_method, contact_phone, severity,
        urgent, incident_at, reporter_id, has_mailbox, escalated_at)
      select ${incidentId}::uuid, ${eventId}::uuid, ${report.title}, ${report.description}, ${report.type}, ${report.location},
        ${report.parties}, ${report.contactMethod}::contact_method, ${report.contactPhone}, ${report.severity}::severity, ${isReportedAsUrgent(report)}, ${report.incidentAt}::timestamptz,
        ${sender}::uuid, ${draft.receipt !== undefined}::boolean, case when ${report.severity} = 'critical' then now() end
      from allowed where yes and (${keyHash}::bytea is null or exists (select 1 from claimed_key))
      returning *
    ), new_mailbox as (${insertMailboxSql(draft.receipt)}), first_history_entry as (
      insert into incident_history (incident_id, event_id, actor_id, action, to_value, created_at)
      select id, event_id, ${sender}::uuid, 'submitted', 'submitted', created_at from new_incident
    ), new_role as (${insertRoleSql(context, draft)})
    select (${selectRecordSql(Prisma.sql`new_incident`)}) as record, (select yes from allowed) as allowed,
      exists (select 1 from new_role) as joined,
      exists (select 1 from events where id = ${eventId}::uuid) as "eventIsThere"`;
  if (!row?.eventIsThere) throw notFound("event");
  if (!row.allowed) throw forbidden();
  if (row.record === null) throw new ConcurrentReplay();
  return { incident: redactIncident(actor, parseIncidentRecord(row.record)), joined: row.joined };
}

/** Adds the mailbox of an anonymous report, which alone has a receipt. */
const insertMailboxSql = (receipt: string | undefined): Prisma.Sql =>
  receipt === undefined
    ? Prisma.sql`select 1 where false`
    : Prisma.sql`insert into report_mailboxes (incident_id, receipt_hash)
        select id, ${hashReceipt(receipt)}::bytea from new_incident`;

/** SQL condition: the sender holds a role, or needs none (contract 7.16). */
const mayStillReport = ({ actor, eventId, withoutRole }: ReportContext): Prisma.Sql =>
  withoutRole
    ? Prisma.sql`(${isStillReporter(actor, eventId)} or ${isOpenToAccounts(eventId)})`
    : isStillReporter(actor, eventId);

/** Adds the role of a sender who has none. An anonymous sender gets none: it would tell the team who reported. */
const insertRoleSql = ({ eventId, withoutRole }: ReportContext, { sender }: ReportDraft): Prisma.Sql =>
  withoutRole && sender !== null
    ? Prisma.sql`insert into event_roles (event_id, user_id, role_name)
        select event_id, reporter_id, 'Reporter' from new_incident
        where not exists (select 1 from event_roles where event_id = ${eventId}::uuid and user_id = ${sender}::uuid)
        on conflict do nothing returning 1`
    : Prisma.sql`select 1 where false`;

const buildCreatedEvent = (
  { organizationId, eventId }: ActorContext,
  { incidentId, sender, report }: ReportDraft,
): OutboxEvent => ({
  kind: isReportedAsUrgent(report) ? URGENT_REPORT : "incident.created",
  actorId: sender,
  organizationId,
  eventId,
  incidentId,
  state: "submitted",
});
