import { randomUUID } from "node:crypto";
import {
  appendAuditEntry,
  buildActorlessAuditEntry,
  buildAuditEntry,
  lockAuditChainsAhead,
  type AuditEntryInput,
} from "#lib/audit/audit.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { runSqlTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import {
  buildJoinAuditEntry,
  buildJoinOutboxEvent,
  createEventNotOpenError,
  EVENT_JOINER_ROLE,
} from "#lib/events/join.ts";
import { EVENT_NOT_OPEN_REFUSAL, reportRefusalSql } from "#lib/events/join-queries.ts";
import {
  rollBackUploads,
  insertEvidence,
  cleanAndStoreUploads,
  sumFileSizes,
  type EvidenceFilesToInsert,
} from "#lib/files/evidence.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { KeyTakenError, sendUnlessSent } from "#lib/idempotency/keys.ts";
import {
  findReplayedIncident,
  type ReportIdempotencyRecord,
  deriveIdempotencyRecord,
} from "#lib/incidents/idempotency.ts";
import { newDeadlineSql } from "#lib/incidents/deadline-sql.ts";
import { drawnNamesSql } from "#lib/incidents/drawn-names-sql.ts";
import { takeReportKeySql } from "#lib/incidents/idempotency-queries.ts";
import { CURRENT_QUARTER_HOUR_SQL } from "#lib/incidents/coarse-times-sql.ts";
import type { ReportSubmissionContext } from "#lib/incidents/scope.ts";
import { type HidingProblem, findNewReportHidingProblem } from "#lib/access/readers-queries.ts";
import {
  findIncidentForReporter,
  parseIncidentRowJson,
  selectJustSentIncidentJsonSql,
  type IncidentRow,
} from "#lib/incidents/record-queries.ts";
import { makeReaderNoticeDueSql } from "#lib/incidents/reader-notice-sql.ts";
import { accessOnceLetInSql, activeTeamMembersSql, peopleOfNewListSql } from "#lib/access/team-sql.ts";
import { checkNewReportReadersSql } from "#lib/access/new-report-readers-sql.ts";
import { type ReportWithResolvedReaders, resolveTeamAnswer } from "#lib/incidents/team-answer.ts";
import { isReportedAsUrgent } from "#lib/incidents/lifecycle.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { NewIncidentInput } from "#lib/incidents/schema.ts";
import {
  AppError,
  createForbiddenError,
  InvalidInputError,
  isCommitOutcomeUnknownError,
  createNotFoundError,
} from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import { appendOutboxEvent, insertOutboxEventsSql } from "#lib/jobs/append-event.ts";
import { URGENT_REPORT_KIND, type OutboxEvent } from "#lib/jobs/outbox-events.ts";
import { createLaneForUser, type Lane } from "#lib/fair-queue.ts";
import { consumeReportLimits } from "#lib/rate-limits/rate-limits.ts";

/** A filed report. The receipt of an anonymous one opens its mailbox, and is stored nowhere. */
export type SubmittedReportAndReceipt = { incident: IncidentRow; receipt?: string };

/**
 * Files a report in one transaction: the record in state submitted, its files, its first history entry and the audit
 * entry. Files are stored before their rows become visible. An anonymous report leaves no trace of its sender (contract
 * 7.3); it gets a mailbox, whose receipt is returned. A replay under the same idempotency key files no second report,
 * doesn't count against the limit, and has the same receipt. A named sender without a role becomes a Reporter in the
 * same transaction; an anonymous one gets no role (contract 7.16), nor does a replay give back a role that was lost.
 * @throws InvalidInputError for more descriptions than files; AppError FORBIDDEN when the role has been lost since, EVENT_NOT_OPEN,
 *   UNSUPPORTED_FILE_TYPE, STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function submitReport(
  context: ReportSubmissionContext,
  input: NewIncidentInput,
): Promise<SubmittedReportAndReceipt> {
  const { actor, call } = context;
  const report = withoutUnusedContact(input);
  if (context.withoutRole) assertNumberToCall(report);
  const idempotency = deriveIdempotencyRecord(actor.id, context, report);
  const receipt = report.anonymous
    ? createReceiptCode(idempotency?.owner ?? null, idempotency ?? {})
    : undefined;
  const incident = await sendUnlessSent(
    call,
    async () => idempotency && (await findReplayedIncident(context, report, idempotency)),
    async () => {
      const undoCount = await consumeReportLimits(actor.id, report, sumFileSizes(call.files));
      try {
        const filed = await storeReport(buildSubmission(context, { report, idempotency, receipt }));
        return redactIncidentForActor(actor, filed);
      } catch (error) {
        if (isReportRateLimitRefundable(error, call)) await undoCount();
        throw error;
      }
    },
  );
  return { incident, ...(receipt !== undefined && { receipt }) };
}

/**
 * Returns whether a report that failed with this error is taken off the limit. If the commit's outcome is unknown, the
 * report may exist. Invalid reports with files count, as each takes an inspection.
 */
export const isReportRateLimitRefundable = (error: unknown, { files }: OperationCall): boolean =>
  !isCommitOutcomeUnknownError(error) &&
  (files.length === 0 || !(error instanceof AppError) || error.status >= 500);

/**
 * Nobody can contact an anonymous reporter: a contact method or a number would only reveal something about them. A
 * number that the team isn't to call isn't stored either.
 */
function withoutUnusedContact(input: NewIncidentInput): NewIncidentInput {
  const contactMethod = input.anonymous ? "no_contact" : input.contactMethod;
  return { ...input, contactMethod, contactPhone: contactMethod === "phone" ? input.contactPhone : null };
}

function assertNumberToCall({ contactMethod, contactPhone }: NewIncidentInput): void {
  if (contactMethod === "phone" && contactPhone === null)
    throw new InvalidInputError({ contactPhone: createFieldProblem("missing") });
}

/** A report to store, and the conditions for storing it. */
export type ReportSubmissionToStore = EventPermissionSubject & {
  call: OperationCall;
  report: NewIncidentInput;
  idempotency: ReportIdempotencyRecord | null;
  /** The receipt of a report without an account, which opens its mailbox. */
  receipt?: string | undefined;
  /** The id of the sender; null for a report without the reporter's name. */
  sender: string | null;
  /** The right under which a named sender acts, for the audit log. */
  right: string;
  /** Identifies the sender in the inspection queue, which takes turns between senders. */
  lane: Lane;
  onTeam: boolean;
  /** SQL for the reason not to accept the report, as text, or null. It runs in the statement that writes. */
  refusalSql: Prisma.Sql;
  /** Returns the error for what `refusalSql` names. */
  refuse: (refusal: string) => AppError;
  /** SQL of the time at which the report counts as received. */
  receivedAt: Prisma.Sql;
  /** The team member who took the report for somebody, and what is written about that in the same transaction. */
  taking?: { takerId: string; write: (tx: SqlClient, incidentId: string) => Promise<void> };
  /** The role that a named sender gets with the report, and the entries that say so. */
  joining?: { insertRoleSql: Prisma.Sql; appendEntries: (tx: SqlClient) => Promise<void>[] };
};

/** A submission whose `excludedUserIds` are everybody from whom its answers hide it. */
type ResolvedSubmission = ReportSubmissionToStore & ReportWithResolvedReaders;

type ReportParts = Pick<ReportSubmissionToStore, "report" | "idempotency" | "receipt">;

function buildSubmission(context: ReportSubmissionContext, parts: ReportParts): ReportSubmissionToStore {
  const { actor, organizationId, eventId, right, call, withoutRole = false } = context;
  const sender = parts.report.anonymous ? null : actor.id;
  return {
    ...parts,
    organizationId,
    eventId,
    right,
    call,
    sender,
    lane: createLaneForUser(actor.id),
    onTeam: hasTeamAccessToEvent(actor, eventId),
    // An upload may have taken minutes, so the role is checked again.
    refusalSql: reportRefusalSql(actor, eventId, { withoutRole }),
    refuse: (refusal) =>
      refusal === EVENT_NOT_OPEN_REFUSAL ? createEventNotOpenError() : createForbiddenError(),
    // A finer time than that of a report without an account would tell that the sender has one.
    receivedAt: sender === null ? CURRENT_QUARTER_HOUR_SQL : Prisma.sql`now()`,
    // An anonymous sender gets no role: it would tell the team who reported.
    ...(withoutRole && sender !== null && { joining: buildJoining(context) }),
  };
}

const buildJoining = (context: ReportSubmissionContext): NonNullable<ReportSubmissionToStore["joining"]> => ({
  insertRoleSql: Prisma.sql`insert into event_roles (event_id, user_id, role_name)
    select event_id, reporter_id, ${EVENT_JOINER_ROLE}::event_role_name from new_incident
    where not exists (select 1 from event_roles r where r.event_id = new_incident.event_id and r.user_id = new_incident.reporter_id)
    on conflict do nothing returning 1`,
  appendEntries: (tx) => [
    appendOutboxEvent(tx, buildJoinOutboxEvent(context)),
    appendAuditEntry(tx, buildJoinAuditEntry(context)),
  ],
});

/**
 * Stores a report with its files. If the event is gone, and its roles with it, the sender gets NOT_FOUND.
 * @returns the record, for the caller to redact
 * @throws what `refuse` returns; InvalidInputError where it can't be hidden so; KeyTakenError when a transaction under the same key is first
 */
export async function storeReport(unresolved: ReportSubmissionToStore): Promise<IncidentRow> {
  const submission = { ...unresolved, ...(await resolveTeamAnswer(unresolved.report, unresolved)) };
  const { report, sender, lane, call } = submission;
  const descriptions = expandFileDescriptions(report, call.files.length);
  if (call.files.length > 0) await assertHidingPossible(submission);
  const files = await cleanAndStoreUploads(call.files, { lane, anonymous: sender === null });
  const incidentId = randomUUID();
  try {
    return await runSqlTransaction(
      async (tx) => {
        const goesOn = submission.taking !== undefined || submission.joining !== undefined;
        const [stored] = await Promise.all([
          insertReportWithFiles(tx, submission, { incidentId, files, descriptions }),
          goesOn || lockAuditChainsAhead(tx, [buildSubmissionAuditEntry(submission, incidentId)]),
        ]);
        await submission.taking?.write(tx, incidentId);
        return stored;
      },
      async (tx, { incident, joined }) => {
        await Promise.all([
          ...(joined ? (submission.joining?.appendEntries(tx) ?? []) : []),
          appendAuditEntry(tx, buildSubmissionAuditEntry(submission, incidentId)),
        ]);
        return incident;
      },
    );
  } catch (error) {
    await rollBackUploads(files, error);
    throw error;
  }
}

type StoredFiles = Pick<EvidenceFilesToInsert, "files"> & { descriptions: (string | null)[] };

/** Inserts the report and the rows of its files. @returns the record with its files, and whether the sender joined */
async function insertReportWithFiles(
  tx: SqlClient,
  submission: ResolvedSubmission,
  { incidentId, files, descriptions }: StoredFiles & { incidentId: string },
): Promise<{ incident: IncidentRow; joined: boolean }> {
  const { eventId, sender, onTeam, receivedAt } = submission;
  // The statements run one after the other; the first failure decides.
  const [{ incident, joined }, , incidentWithFiles] = await Promise.all([
    insertReport(tx, submission, incidentId),
    insertEvidence(tx, {
      incidentId,
      eventId,
      onTeam,
      files,
      descriptions,
      uploadedById: sender,
      createdAt: receivedAt,
    }),
    files.length > 0 ? findIncidentForReporter(tx, { eventId, incidentId }) : null,
  ]);
  return { incident: incidentWithFiles ?? incident, joined };
}

/**
 * The entry of a report without the reporter's name names neither its sender nor the request. That of a report which a
 * team member took for somebody names the team member.
 */
function buildSubmissionAuditEntry(
  { organizationId, eventId, right, call, sender, taking }: ReportSubmissionToStore,
  incidentId: string,
): AuditEntryInput {
  const actorId = sender ?? taking?.takerId ?? null;
  const action = taking ? "intake.create" : "incident.create";
  const object = { type: "incident", id: incidentId };
  const data = { files: call.files.length };
  return actorId === null
    ? buildActorlessAuditEntry({ organizationId, eventId, right: "anonymous" }, action, object, data)
    : buildAuditEntry({ organizationId, eventId, actor: { id: actorId }, right, call }, action, object, data);
}

/** Returns the description of each of `count` files. @throws InvalidInputError for more descriptions than files */
function expandFileDescriptions(
  { fileDescriptions: input = [] }: NewIncidentInput,
  count: number,
): (string | null)[] {
  const describedCount = input.findLastIndex((one) => one !== null) + 1;
  if (describedCount > count)
    throw new InvalidInputError({ fileDescriptions: createFieldProblem("moreDescriptionsThanFiles") });
  const [first = null] = input;
  return input.length === 1 ? Array.from({ length: count }, () => first) : input;
}

type InsertedReport = {
  record: string | null;
  refusal: string | null;
  hidingProblem: HidingProblem | null;
  joined: boolean;
  eventIsThere: boolean;
};

/**
 * Inserts the report unless `refusalSql` gives a reason not to. The same statement takes the idempotency key and waits
 * for a concurrent transaction that is taking it.
 */
async function insertReport(
  tx: SqlClient,
  submission: ResolvedSubmission,
  incidentId: string,
): Promise<{ incident: IncidentRow; joined: boolean }> {
  const { eventId, sender, idempotency, refusalSql, joining } = submission;
  const isAdmitted = Prisma.sql`refusal is null and hiding_problem is null`;
  const [row] = await tx.$queryRaw<InsertedReport[]>`
    with appended_events as (${insertOutboxEventsSql(tx, [buildCreatedEvent(submission, incidentId)])}),
    admission as materialized (select ${refusalSql}::text as refusal, e.* from (${checkNewReportReadersSql(submission)}) e),
    taken_key as (${takeReportKeySql(submission, incidentId)}),
    new_incident as (
      ${insertIncidentSql(submission, incidentId)}
      from admission where ${isAdmitted} and (${idempotency === null}::boolean or exists (select 1 from taken_key))
      returning *
    ), new_readers as (
      insert into incident_readers (incident_id, user_id, access, source, by_id, created_at)
      ${selectReadersOfNewReportSql(submission)}
    ), new_conversation as (${insertConversationSql(submission)}), first_history_entry as (
      insert into incident_history (incident_id, event_id, actor_id, action, to_value, created_at)
      select id, event_id, ${sender}::uuid, 'submitted', 'submitted', created_at from new_incident
    ), due_notice as (${makeReaderNoticeDueSql(submission)}), new_role as (${joining?.insertRoleSql ?? Prisma.sql`select 1 where false`})
    select (${selectJustSentIncidentJsonSql(Prisma.sql`new_incident`)}) as record, (select refusal from admission) as refusal,
      (select hiding_problem from admission) as "hidingProblem",
      exists (select 1 from new_role) as joined,
      exists (select 1 from events where id = ${eventId}::uuid) as "eventIsThere"`;
  if (!row?.eventIsThere) throw createNotFoundError("event");
  if (row.refusal !== null) throw submission.refuse(row.refusal);
  if (row.hidingProblem !== null) throw createHidingError(row.hidingProblem);
  if (row.record === null) throw new KeyTakenError();
  return { incident: parseIncidentRowJson(row.record), joined: row.joined };
}

/** Refuses a report that can't be hidden from those whom it names before files are inspected; the statement that writes checks them again. */
async function assertHidingPossible(submission: ResolvedSubmission): Promise<void> {
  if (!submission.isListed) return;
  const problem = await findNewReportHidingProblem(checkNewReportReadersSql(submission));
  if (problem) throw createHidingError(problem);
}

const createHidingError = (problem: HidingProblem) =>
  new InvalidInputError({ excludedUserIds: createFieldProblem(problem) });

/**
 * The rows of the list of a report that is hidden from somebody (docs/decisions/058): those from whom it is hidden, and
 * everybody else who can use a role at this moment; nobody on the team if it is about all of them, also if they joined
 * while files were inspected.
 */
function selectReadersOfNewReportSql({
  eventId,
  taking,
  report,
  hidesFromTeam,
}: ResolvedSubmission): Prisma.Sql {
  const excluded = Prisma.sql`${report.excludedUserIds}::uuid[]`;
  const decision = Prisma.sql`${taking ? "team" : "reporter"}::reader_source, ${taking?.takerId ?? null}::uuid`;
  return Prisma.sql`
      select n.id, x.user_id, 'none'::reader_access, ${decision}, n.created_at from new_incident n, unnest(${excluded}) as x(user_id)
      union all
      select n.id, a.outside_reader_id, ${accessOnceLetInSql(Prisma.sql`n.conflict_check`)}, 'outside', null, n.created_at from new_incident n, admission a where a.outside_reader_id is not null
      union all
      select n.id, p.user_id, p.access, ${decision}, n.created_at from new_incident n, admission a, lateral (${peopleOfNewListSql(eventId, Prisma.sql`n.conflict_check`)}) p
      where n.listed and p.user_id <> all(${excluded}) and p.user_id is distinct from a.outside_reader_id
        and not (${hidesFromTeam}::boolean and p.user_id in (select t.user_id from (${activeTeamMembersSql(eventId)}) t))`;
}

/**
 * The insert as far as its `from`. A critical report counts as escalated from its beginning. Where the organization asks
 * for the conflict check, a report stays under it, also if the option is turned off later (docs/decisions/058).
 */
const insertIncidentSql = (
  { eventId, report, sender, receipt, receivedAt, taking, isListed }: ResolvedSubmission,
  incidentId: string,
): Prisma.Sql => Prisma.sql`
  insert into incidents (id, event_id, number, code_name, title, description, type, location, parties, contact_method, contact_phone, severity,
    urgent, incident_at, incident_on, incident_day_part, reported_person_name, reporter_id, has_mailbox, unconfirmed, listed, outside_person_id, conflict_check,
    escalated_at, created_at, updated_at, due_for, due_since, due_at, first_response_due_at)
  select ${incidentId}::uuid, ${eventId}::uuid, ${drawnNamesSql(eventId)}, ${report.title}, ${report.description}, ${report.type}, ${report.location},
    ${report.parties}, ${report.contactMethod}::contact_method, ${report.contactPhone}, ${report.severity}::severity,
    ${isReportedAsUrgent(report)}, coalesce(${report.incidentAt}::timestamptz, (${report.incidentOn}::date + time '12:00') at time zone 'UTC'),
    ${report.incidentOn}::date, case when ${report.incidentOn}::date is not null then ${report.incidentDayPart}::day_part end, ${report.reportedPersonName}, ${sender}::uuid, ${receipt !== undefined}::boolean,
    ${taking !== undefined}::boolean, ${isListed}::boolean, outside_person_id,
    coalesce((select o.conflict_check from events e join organizations o on o.id = e.organization_id where e.id = ${eventId}::uuid), false),
    case when ${report.severity} = 'critical' then ${receivedAt} end, ${receivedAt}, ${receivedAt}, ${newDeadlineSql({ eventId, isUrgent: isReportedAsUrgent(report) }, receivedAt)}`;

/** Adds the conversation with the reporter. Only a report without the reporter's name has words that open it. */
const insertConversationSql = ({ receipt, isByName }: ResolvedSubmission): Prisma.Sql => Prisma.sql`
  insert into conversations (id, incident_id, party, words_hash, hidden_by_name, created_at)
  select id, id, 'reporter', ${receipt === undefined ? null : hashReceipt(receipt)}::bytea, ${receipt !== undefined && isByName}::boolean, created_at from new_incident`;

const buildCreatedEvent = (
  { organizationId, eventId, sender, report, taking }: ReportSubmissionToStore,
  incidentId: string,
): OutboxEvent => ({
  kind: isReportedAsUrgent(report) ? URGENT_REPORT_KIND : "incident.created",
  actorId: sender ?? taking?.takerId ?? null,
  organizationId,
  eventId,
  incidentId,
  state: "submitted",
});
