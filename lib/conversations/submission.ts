import { createReceiptCode } from "#lib/crypto/receipt.ts";
import { sumFileSizes } from "#lib/files/evidence.ts";
import { createEventNotOpenError } from "#lib/events/join.ts";
import { EVENT_NOT_OPEN_REFUSAL, reportWithoutAccountRefusalSql } from "#lib/events/join-queries.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { deriveIdempotencyRecord, findReplayedIncidentId } from "#lib/incidents/idempotency.ts";
import { assertUnguessableIdempotencyKey } from "#lib/idempotency/key.ts";
import { sendUnlessSent } from "#lib/idempotency/keys.ts";
import type { NewIncidentInput } from "#lib/incidents/schema.ts";
import {
  isReportRateLimitRefundable,
  storeReport,
  type ReportSubmissionToStore,
} from "#lib/incidents/submission.ts";
import { CURRENT_QUARTER_HOUR_SQL } from "#lib/incidents/coarse-times-sql.ts";
import type { NewReportWithoutAccountInput } from "#lib/conversations/schema.ts";
import { REPLAY_BY_KEY_ALONE } from "#lib/incidents/idempotency-queries.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { consumeLimit, consumeReportWithoutAccountLimit } from "#lib/rate-limits/rate-limits.ts";

type SubmissionContext = EventPermissionSubject & { call: OperationCall; right: string };

/** Replaces the sender when an idempotency key is hashed, so that the hash can't equal that of a person's key. */
const SENDER = "without account";

/**
 * Files a report of somebody who has no account, or doesn't use it. Nothing stored identifies the sender: no account,
 * no address, no browser, and times are rounded to the quarter of an hour. Files are accepted only if they reveal
 * nothing but their content. A replay under the same idempotency key has the same receipt.
 * @returns the words of the receipt, which are stored nowhere, and the incident's id
 * @throws InvalidInputError; AppError FORBIDDEN where the event accepts no such reports, EVENT_NOT_OPEN, UNSUPPORTED_FILE_TYPE,
 *   STORAGE_UNAVAILABLE, SERVICE_UNAVAILABLE, IDEMPOTENCY_KEY_REUSED, RATE_LIMITED
 */
export async function submitReportWithoutAccount(
  context: SubmissionContext,
  input: NewReportWithoutAccountInput,
): Promise<{ receipt: string; incidentId: string }> {
  assertUnguessableIdempotencyKey(context.call.idempotencyKey);
  const report: NewIncidentInput = {
    ...input,
    anonymous: true,
    contactMethod: "no_contact",
    contactPhone: null,
  };
  const idempotency = deriveIdempotencyRecord(SENDER, context, report);
  const receipt = createReceiptCode(idempotency?.owner ?? null, idempotency ?? {});
  const incidentId = await sendUnlessSent(
    context.call,
    async () => idempotency && (await findReplayedIncidentId(context, idempotency, REPLAY_BY_KEY_ALONE)),
    () => fileWithinLimits(context, { report, idempotency, receipt }),
  );
  return { receipt, incidentId };
}

type SubmissionParts = Pick<ReportSubmissionToStore, "report" | "idempotency" | "receipt">;

/** Stores the report, unless a limit of its address is used up. @returns its id */
async function fileWithinLimits(context: SubmissionContext, parts: SubmissionParts): Promise<string> {
  const { call } = context;
  const fileUse = await consumeLimit("unidentified-files", call.address, sumFileSizes(call.files));
  const undoCount = await consumeReportWithoutAccountLimit(call);
  try {
    return (await storeReport(buildSubmission(context, parts))).id;
  } catch (error) {
    if (isReportRateLimitRefundable(error, call)) {
      await fileUse.refund();
      await undoCount();
    }
    throw error;
  }
}

const buildSubmission = (
  { organizationId, eventId, right, call }: SubmissionContext,
  parts: SubmissionParts,
): ReportSubmissionToStore => ({
  ...parts,
  organizationId,
  eventId,
  right,
  call,
  sender: null,
  lane: createLaneForAddress(call.address),
  onTeam: false,
  refusalSql: reportWithoutAccountRefusalSql(eventId),
  refuse: (refusal) =>
    refusal === EVENT_NOT_OPEN_REFUSAL ? createEventNotOpenError() : createAccountNeededError(),
  receivedAt: CURRENT_QUARTER_HOUR_SQL,
});

const createAccountNeededError = () => new AppError("FORBIDDEN", "reportsNeedAccount");
