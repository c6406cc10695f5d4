import { computeHashWithKeyNotOnDisk, computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { sql } from "#lib/database/client.ts";
import { mayStillReportAtEventSql } from "#lib/events/held-roles-sql.ts";
import { maySendReportSql } from "#lib/events/join-queries.ts";
import { assertIdempotencyKey, isRandomIdempotencyKey } from "#lib/idempotency/key.ts";
import type { IdempotencyRecord } from "#lib/idempotency/queries.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { ReportSubmissionContext } from "#lib/incidents/scope.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import {
  findIncidentOfIdempotencyKey,
  type IdempotencyKeyMatch,
  type ReportReplayAccess,
} from "#lib/incidents/idempotency-queries.ts";
import { findIncidentForReporter, type IncidentRow } from "#lib/incidents/record-queries.ts";
import { isReportedAsUrgent } from "#lib/incidents/lifecycle.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { NewIncidentInput } from "#lib/incidents/schema.ts";
import { NEW_REPORT_FIELDS, toTimeFields } from "#lib/incidents/workflow-fields.ts";

/**
 * A report sent again under the same `Idempotency-Key` is the same report (docs/decisions/024). Only keyed hashes are
 * stored: they reveal neither the key nor, for an anonymous report, the person, and nobody can compute them without
 * the key.
 */

/** The stored hashes of a report's key and content, and what follows from the key. */
export type ReportIdempotencyRecord = IdempotencyRecord & {
  /**
   * The hash that the same key has in a report of the other kind: with the sender's name if this one has none, and
   * without it if this one has it.
   */
  otherKeyHash: Uint8Array<ArrayBuffer> | null;
  /** The id of the user who sent the key, the event and the key itself, as one text; never stored. */
  owner: string;
  /** Whether somebody could try out such keys until they find the one that was sent. */
  isGuessable: boolean;
};

/**
 * The event and the call of a key. `namesSender`: the report is anonymous, but it is on record who took it, so its
 * hashes needn't be unlinkable.
 */
type KeyContext = { eventId: string; call: OperationCall; namesSender?: boolean };

/**
 * Derives the record to store of a call's key: the hash of the key, and the hash of the fields and file contents,
 * whatever their encoding. Null without a key. Somebody who has the data folder could try a guessable key for one
 * person after another. So for a report that names nobody, both hashes of such a key are computed with a secret that
 * isn't in that folder.
 * @param sender keeps the keys of different people apart
 * @throws InvalidInputError for a malformed key
 */
export function deriveIdempotencyRecord(
  sender: string,
  { eventId, call, namesSender = false }: KeyContext,
  report: NewIncidentInput,
): ReportIdempotencyRecord | null {
  const idempotencyKey = call.idempotencyKey;
  if (idempotencyKey === null) return null;
  assertIdempotencyKey(idempotencyKey);
  const owner = `${sender} ${eventId} ${idempotencyKey}`;
  const { openMailbox: _, ...content } = report;
  const fields = Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // The names of an anonymous report's files aren't stored anywhere.
  const files = call.files.map(({ filename, size, sha256 }) =>
    report.anonymous ? [size, sha256] : [filename, size, sha256],
  );
  const isGuessable = !isRandomIdempotencyKey(idempotencyKey);
  const isUnlinkable = report.anonymous && !namesSender && isGuessable;
  const [hash, otherHash] = isUnlinkable
    ? [computeEphemeralBytes, computeKeyedHash]
    : [computeKeyedHash, computeEphemeralBytes];
  return {
    owner,
    isGuessable,
    keyHash: hash("report key", owner),
    contentHash: hash("report content", `${owner} ${JSON.stringify([fields, files])}`),
    otherKeyHash: isGuessable ? otherHash("report key", owner) : null,
  };
}

const computeEphemeralBytes = (purpose: string, text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(computeHashWithKeyNotOnDisk(purpose, text), "base64url"));

/**
 * Finds the report filed under the key, as its sender may see it now. It is returned as it was when it arrived if it is
 * anonymous, since later changes are shown in its mailbox only, and if its reporter holds no role in the event any more
 * (contract 2.3). Null without a match, and for a sender who may no longer report: the statement that writes refuses
 * them.
 * @throws AppError IDEMPOTENCY_KEY_REUSED when different content was sent under the key
 */
export async function findReplayedIncident(
  { actor, eventId, call, withoutRole }: ReportSubmissionContext,
  report: NewIncidentInput,
  record: ReportIdempotencyRecord,
): Promise<IncidentRow | null> {
  const match = await findReplay(eventId, record, {
    maySend: maySendReportSql(actor, eventId, { withoutRole: withoutRole === true }),
    mayRead: mayStillReportAtEventSql(actor, eventId),
  });
  const row = match && (await findIncidentForReporter(sql, { eventId, incidentId: match.id }));
  if (!row) return null;
  const isReadable = match.mayRead && row.reporterId === actor.id;
  return redactIncidentForActor(actor, isReadable ? row : restoreSubmittedReport(row, report, call));
}

/**
 * Finds the id of the report filed under the key. Null without a match.
 * @throws AppError IDEMPOTENCY_KEY_REUSED when different content was sent under the key
 */
export const findReplayedIncidentId = async (
  { eventId }: KeyContext,
  record: ReportIdempotencyRecord,
  access: ReportReplayAccess,
): Promise<string | null> => (await findReplay(eventId, record, access))?.id ?? null;

async function findReplay(
  eventId: string,
  record: ReportIdempotencyRecord,
  access: ReportReplayAccess,
): Promise<IdempotencyKeyMatch | null> {
  const match = await findIncidentOfIdempotencyKey(record, access);
  if (!match) return null;
  const { id, named, same, mayRead } = match;
  if (!same) throw createKeyReusedError(named && mayRead ? `/api/events/${eventId}/incidents/${id}` : null);
  return match;
}

const createKeyReusedError = (path: string | null): AppError =>
  new AppError(
    "IDEMPOTENCY_KEY_REUSED",
    "idempotencyKeyReused",
    {},
    { headers: path ? { Location: path } : {} },
  );

/** Returns the report as it was submitted: without anything that the team has changed since. */
const restoreSubmittedReport = (
  row: IncidentRow,
  report: NewIncidentInput,
  { files }: OperationCall,
): IncidentRow => ({
  ...row,
  ...NEW_REPORT_FIELDS,
  ...toTimeFields(report),
  incidentAt: toTimeFields(report).incidentAt?.toISOString() ?? null,
  title: report.title,
  type: report.type,
  location: report.location,
  severity: report.severity,
  assignedResponder: null,
  escalatedAt: report.severity === "critical" ? row.createdAt : null,
  urgent: isReportedAsUrgent(report),
  reportedPersonName: report.reportedPersonName,
  hasMailbox: row.reporterId === null,
  mailboxClosed: false,
  withdrawn: false,
  updatedAt: row.createdAt,
  relatedFiles: row.relatedFiles.filter((file) => wasSentWithReport(file, row, files)),
});

/**
 * Returns whether a file came with the report. Where only a cleaned copy is stored, nothing tells what was uploaded; the
 * files of a report have the milliseconds after its own time.
 */
function wasSentWithReport(
  { original, sha256, clean, createdAt }: IncidentRow["relatedFiles"][number],
  report: IncidentRow,
  sent: OperationCall["files"],
): boolean {
  if (original === null && clean === "cleaned") {
    const laterByMs = Date.parse(createdAt) - Date.parse(report.createdAt);
    return laterByMs >= 1 && laterByMs <= sent.length;
  }
  return sent.some((file) => file.sha256 === (original?.sha256 ?? sha256));
}
