import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { ReportIdempotencyRecord } from "#lib/incidents/idempotency.ts";

/**
 * The time for which a key is remembered. It is counted from the report's creation, so a key's row needs no time of its
 * own.
 */
export const REPORT_IDEMPOTENCY_KEY_TTL_HOURS = 24;
export const REPORT_IDEMPOTENCY_KEY_TTL_SQL = Prisma.raw(
  `interval '${REPORT_IDEMPOTENCY_KEY_TTL_HOURS} hours'`,
);

/** What the sender of a key may learn of the report that was filed under it, as SQL conditions. */
export type ReportReplayAccess = {
  /** They may still report, so they may learn that the report has arrived. */
  maySend: Prisma.Sql;
  /** They may still read their own reports. */
  mayRead: Prisma.Sql;
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
    where k.key_hash in (${keyHash}::bytea, ${otherKeyHash}::bytea) and i.created_at > now() - ${REPORT_IDEMPOTENCY_KEY_TTL_SQL} and ${maySend}
    order by same desc`;
  return match;
}
