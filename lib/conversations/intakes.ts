import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { insertNote } from "#lib/conversations/notes.ts";
import { listResponseTeam, resolveMentions } from "#lib/conversations/mentions.ts";
import { createReceiptCode, hashReceipt } from "#lib/crypto/receipt.ts";
import { recordNoConflictOfIntakeTaker } from "#lib/readers/conflict-check.ts";
import { runTransaction } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { nextUpdatedAtSql } from "#lib/database/next-updated-at-sql.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { assertUnguessableIdempotencyKey, isRandomIdempotencyKey } from "#lib/idempotency/key.ts";
import { sendUnlessSent } from "#lib/idempotency/keys.ts";
import { deriveIdempotencyRecord, findReplayedIncidentId } from "#lib/incidents/idempotency.ts";
import { mailboxSql } from "#lib/incidents/deadline-sql.ts";
import type { EventActorContext } from "#lib/incidents/scope.ts";
import { sealReceiptHandOverCookie } from "#lib/incidents/mailbox-session.ts";
import { refetchIncidentForActor, type IncidentRow } from "#lib/incidents/record-queries.ts";
import type { NewIncidentInput } from "#lib/incidents/schema.ts";
import { incidentScope } from "#lib/incidents/scope.ts";
import { storeReport, type ReportSubmissionToStore } from "#lib/incidents/submission.ts";
import {
  isRecentIntakeOfActorSql,
  canRequestReceiptAgain,
  isUnconfirmedIntakeOfOthers,
} from "#lib/conversations/intake-queries.ts";
import type { ConfirmedIntakeText, NewIntakeInput } from "#lib/conversations/intake-schema.ts";
import {
  AppError,
  createForbiddenError,
  InvalidInputError,
  isCommitOutcomeUnknownError,
} from "#lib/operation/errors.ts";
import { insertOutboxEventsSql } from "#lib/jobs/append-event.ts";
import { createLaneForUser } from "#lib/fair-queue.ts";
import { consumeReportLimits } from "#lib/rate-limits/rate-limits.ts";

export type IntakeContext = EventActorContext;

/**
 * Files a report that somebody told a team member. It has no reporter: the taker gets no reporter's rights. The
 * person's words are the description; what the taker saw becomes a team note in the same transaction. The report counts
 * as unconfirmed until the person has read it. A replay under the same idempotency key returns the same report.
 * @throws InvalidInputError for a witness outside the team; AppError FORBIDDEN when the role has been lost since,
 *   IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function fileIntake(context: IntakeContext, input: NewIntakeInput): Promise<IncidentRow> {
  const report = toReport(input);
  const { channel, witnessId, observations, firstResponses } = input;
  const content = { ...report, intake: { channel, witnessId, observations, firstResponses } };
  const idempotency = deriveIdempotencyRecord(
    `taker ${context.actor.id}`,
    { ...context, namesSender: true },
    content,
  );
  const onTeam = isStillOnEventTeamSql(context.actor, context.eventId);
  const access = { maySend: onTeam, mayRead: onTeam };
  const findReplay = async () => {
    const id = idempotency && (await findReplayedIncidentId(context, idempotency, access));
    return id === null ? null : loadTakenReport(context, id);
  };
  return sendUnlessSent(context.call, findReplay, () => submit(context, { report, idempotency, input }));
}

/** Finds a report that the actor took. @throws AppError NOT_FOUND if it is hidden from them since */
async function loadTakenReport(context: IntakeContext, incidentId: string): Promise<IncidentRow> {
  const { incident } = await incidentScope.inside!(context, { incidentId }, context.actor);
  return incident;
}

const toReport = (input: NewIntakeInput) =>
  ({
    title: input.title,
    description: input.description,
    type: input.type,
    location: input.location,
    parties: input.parties,
    reportedPersonName: input.reportedPersonName,
    severity: input.severity,
    incidentAt: input.incidentAt,
    incidentOn: input.incidentOn,
    incidentDayPart: input.incidentDayPart,
    anonymous: true,
    contactMethod: "no_contact",
    contactPhone: null,
    openMailbox: false,
    excludedUserIds: input.excludedUserIds,
    aboutTeam: null,
    excludedName: null,
  }) satisfies NewIncidentInput;

type IntakeParts = Pick<ReportSubmissionToStore, "report" | "idempotency"> & { input: NewIntakeInput };

async function submit(context: IntakeContext, parts: IntakeParts): Promise<IncidentRow> {
  const undoCount = await consumeReportLimits(context.actor.id, parts.report, 0);
  try {
    return await storeReport(buildSubmission(context, parts));
  } catch (error) {
    if (!isCommitOutcomeUnknownError(error)) await undoCount();
    throw error;
  }
}

const buildSubmission = (
  context: IntakeContext,
  { report, idempotency, input }: IntakeParts,
): ReportSubmissionToStore => ({
  report,
  idempotency,
  organizationId: context.organizationId,
  eventId: context.eventId,
  right: context.right,
  call: context.call,
  sender: null,
  lane: createLaneForUser(context.actor.id),
  onTeam: true,
  refusalSql: Prisma.sql`case when not ${isStillOnEventTeamSql(context.actor, context.eventId)} then 'no role' end`,
  refuse: createForbiddenError,
  receivedAt: Prisma.sql`now()`,
  taking: {
    takerId: context.actor.id,
    write: (tx, incidentId) => writeIntake(tx, { ...context, incidentId }, input),
  },
});

type TakenContext = IntakeContext & { incidentId: string };

/**
 * Writes how a report was taken, its history entry and the taker's observations.
 * @throws InvalidInputError when the witness isn't another member of the team
 */
async function writeIntake(tx: SqlClient, context: TakenContext, input: NewIntakeInput): Promise<void> {
  const { incidentId, eventId, actor } = context;
  const { channel, witnessId, observations, firstResponses } = input;
  const team = witnessId === null ? [] : await listResponseTeam(tx, eventId);
  if (witnessId !== null && !team.some(({ id }) => id === witnessId && id !== actor.id))
    throw new InvalidInputError({ witnessId: createFieldProblem("mustBeOtherTeamMember") });
  await tx.$executeRaw`
    with taken as (
      insert into intakes (incident_id, taker_id, witness_id, channel)
      values (${incidentId}::uuid, ${actor.id}::uuid, ${witnessId}::uuid, ${channel}::intake_channel)
      returning incident_id
    ), done as (
      insert into first_responses (incident_id, kind, done_at)
      select t.incident_id, d.kind::first_response_kind, d.at
      from taken t, json_to_recordset(${JSON.stringify(firstResponses)}::json) as d(kind text, at timestamptz)
      on conflict do nothing
    )
    insert into incident_history (incident_id, event_id, actor_id, action, to_value)
    select incident_id, ${eventId}::uuid, ${actor.id}::uuid, 'intake', ${channel} from taken`;
  // The taker already knows the report, so the conflict check doesn't ask them. It does ask the witness: the taker
  // could name somebody with a conflict as the witness, to let them read the report (docs/decisions/058).
  await recordNoConflictOfIntakeTaker(tx, incidentId, actor.id);
  if (observations === null) return;
  const people = await resolveMentions(tx, eventId, { body: observations });
  await insertNote(tx, context, { body: observations, people });
}

/**
 * Records that the person has read their report on the screen, with what they corrected, and gives it a mailbox. Its
 * receipt is for the person. Only whoever took the report, or the witness, can do so, within a day: later, the words of
 * the report are what others rely on. The same request within ten minutes has the same receipt, until the person
 * confirms that they saved it; after that nobody can request it.
 * @throws InvalidInputError for a short key; AppError INVALID_STATE_TRANSITION when the report is confirmed already or
 *   was filed more than a day ago, FORBIDDEN for anybody else, and for an actor who has lost the role since
 */
export async function confirmIntake(
  context: TakenContext,
  text: ConfirmedIntakeText,
): Promise<{ incident: IncidentRow; receipt: string }> {
  const key = context.call.idempotencyKey;
  assertUnguessableIdempotencyKey(key);
  const owner = key === null ? null : `confirmed ${context.actor.id} ${context.incidentId} ${key}`;
  const receipt = createReceiptCode(owner, { isGuessable: key !== null && !isRandomIdempotencyKey(key) });
  const incident = await runTransaction(async (tx) => {
    const isReplay = !(await writeConfirmation(tx, context, { text, receipt }));
    if (isReplay && (await isUnconfirmedIntakeOfOthers(tx, context)))
      throw new AppError("FORBIDDEN", "intakeOfAnother");
    if (isReplay && !(await canRequestReceiptAgain(tx, context, receipt)))
      throw new AppError("INVALID_STATE_TRANSITION", "intakeNotOpen");
    const confirmed = await refetchIncidentForActor(tx, context, context.incidentId);
    const object = { type: "incident", id: context.incidentId };
    if (!isReplay) await appendAuditEntry(tx, buildAuditEntry(context, "intake.confirm", object));
    return confirmed;
  });
  if (text.openMailbox) context.call.setCookie(await sealReceiptHandOverCookie(context.incidentId, receipt));
  return { incident, receipt };
}

/**
 * The history keeps the words that were corrected, for the team.
 * @returns false if the report was confirmed before, was filed more than a day ago, or was taken by somebody else
 */
async function writeConfirmation(
  tx: SqlClient,
  { incidentId, eventId, organizationId, actor }: TakenContext,
  { text, receipt }: { text: ConfirmedIntakeText; receipt: string },
): Promise<boolean> {
  const { title = null, description = null, location, parties, reportedPersonName: reported } = text;
  const isNewLocation = location !== undefined;
  const isNewParties = parties !== undefined;
  const isNewReported = reported !== undefined;
  const confirmed = await tx.$executeRaw`
    with locked as (
      select i.id, coalesce(${title}, i.title) as title, coalesce(${description}, i.description) as description,
        case when ${isNewLocation}::boolean then ${location ?? null} else i.location end as location,
        case when ${isNewParties}::boolean then ${parties ?? null} else i.parties end as parties,
        case when ${isNewReported}::boolean then ${reported ?? null} else i.reported_person_name end as reported_person_name,
        i.title as old_title, i.description as old_description, i.location as old_location, i.parties as old_parties,
        i.reported_person_name as old_reported_person_name
      from incidents i where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid and i.unconfirmed
        and ${isRecentIntakeOfActorSql(actor)} and ${isStillOnEventTeamSql(actor, eventId)} for update
    ), confirmed as (
      update intakes k set confirmed_at = ${new Date()}::timestamptz, corrected = (l.title, l.description, l.location, l.parties, l.reported_person_name)
        is distinct from (l.old_title, l.old_description, l.old_location, l.old_parties, l.old_reported_person_name)
      from locked l where k.incident_id = l.id and k.confirmed_at is null
      returning k.incident_id, k.corrected, ${REPLACED_TEXT_SQL} as replaced
    ), changed as (
      update incidents i set title = l.title, description = l.description, location = l.location,
        parties = l.parties, reported_person_name = l.reported_person_name, unconfirmed = false, ${mailboxSql("open")},
        updated_at = ${nextUpdatedAtSql("i")}
      from locked l, confirmed c where i.id = l.id and c.incident_id = l.id
    ), opened_mailbox as (
      update conversations set words_hash = ${hashReceipt(receipt)}::bytea, handing_over = true
      where id = (select incident_id from confirmed)
    ), appended_events as (
      ${insertOutboxEventsSql(tx, [{ kind: "incident.changed", actorId: actor.id, organizationId, eventId, incidentId }])}
    )
    insert into incident_history (incident_id, event_id, actor_id, action, from_value, to_value)
    select incident_id, ${eventId}::uuid, ${actor.id}::uuid, 'intake.confirmed', replaced,
      case when corrected then 'corrected' else 'unchanged' end from confirmed`;
  return confirmed === 1;
}

/** The earlier text of each field of `l` that was corrected; null where none was. */
const REPLACED_TEXT_SQL = Prisma.sql`nullif(concat_ws(E'\\n\\n',
  case when l.title <> l.old_title then l.old_title end,
  case when l.description <> l.old_description then l.old_description end,
  case when l.location is distinct from l.old_location then l.old_location end,
  case when l.parties is distinct from l.old_parties then l.old_parties end,
  case when l.reported_person_name is distinct from l.old_reported_person_name then l.old_reported_person_name end), '')`;
