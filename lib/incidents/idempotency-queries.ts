import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { IDEMPOTENCY_KEY_TTL_SQL, takeKeySql } from "#lib/idempotency/keys.ts";
import type { ReportIdempotencyRecord } from "#lib/incidents/idempotency.ts";
import type { ReportSubmissionToStore } from "#lib/incidents/submission.ts";

/** What the sender of a key may learn of the report that was filed under it, as SQL conditions. */
export type ReportReplayAccess = {
  /** They may still report, so they may learn that the report has arrived. */
  maySend: Prisma.Sql;
  /** They may still read their own reports. */
  mayRead: Prisma.Sql;
};

/** Whoever has the key of a report without a person learns that it was sent, and nobody reads it without its receipt. */
export const REPLAY_BY_KEY_ALONE: ReportReplayAccess = {
  maySend: Prisma.sql`true`,
  mayRead: Prisma.sql`false`,
};

export type IdempotencyKeyMatch = { id: string; named: boolean; same: boolean; mayRead: boolean };

/**
 * Finds the report that was filed under a key, with its reporter's name or without, and whether its content is the
 * same.
 */
export async function findIncidentOfIdempotencyKey(
  { keyHash, contentHash, otherKeyHash }: ReportIdempotencyRecord,
  { maySend, mayRead }: ReportReplayAccess,
): Promise<IdempotencyKeyMatch | undefined> {
  const [match] = await sql.$queryRaw<IdempotencyKeyMatch[]>`
    select i.id, i.reporter_id is not null as named, k.content_hash = ${contentHash}::bytea as same, ${mayRead} as "mayRead"
    from idempotency_keys k join incidents i on i.id = k.incident_id
    where k.key_hash in (${keyHash}::bytea, ${otherKeyHash}::bytea) and k.expires_at > now() and ${maySend}
    order by same desc`;
  return match;
}

/** Takes the key in the statement that admits a report, until a day after the time at which the report counts as received. */
export const takeReportKeySql = (
  { idempotency, sender, receivedAt }: ReportSubmissionToStore,
  incidentId: string,
): Prisma.Sql =>
  idempotency === null
    ? Prisma.sql`select 1 where false`
    : takeKeySql(
        {
          ...idempotency,
          incidentId,
          userId: sender,
          expiresAt: Prisma.sql`${receivedAt} + ${IDEMPOTENCY_KEY_TTL_SQL}`,
        },
        Prisma.sql`(select refusal is null and hiding_problem is null from admission)`,
      );
