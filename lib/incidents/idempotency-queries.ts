import { sql } from "#lib/database/client.ts";
import { mayStillReportAtEventSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { ReportIdempotencyRecord } from "#lib/incidents/idempotency.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * The time for which a key is remembered. It is counted from the report's creation, so a key's row needs no time of its
 * own.
 */
export const REPORT_IDEMPOTENCY_KEY_TTL_HOURS = 24;
export const REPORT_IDEMPOTENCY_KEY_TTL_SQL = Prisma.raw(
  `interval '${REPORT_IDEMPOTENCY_KEY_TTL_HOURS} hours'`,
);

/**
 * SQL condition on an incident `i`: a repeated request may get its id in response. The sender may still report at the
 * event, or the report is nameless and was sent by somebody without a role there.
 */
export const maySenderLearnReportIdSql = (
  actor: Actor,
  eventId: string,
  { withoutRole }: { withoutRole: boolean },
): Prisma.Sql =>
  Prisma.sql`(${mayStillReportAtEventSql(actor, eventId)} or ${withoutRole}::boolean and i.reporter_id is null)`;

type KeyMatch = { id: string; named: boolean; same: boolean };

/**
 * Finds the report that was filed under a key, with its reporter's name or without, and whether its content is the
 * same.
 * @param maySee SQL condition on an incident `i`: the sender of the key may still learn its id
 */
export async function findIncidentOfIdempotencyKey(
  { keyHash, contentHash, otherKeyHash }: ReportIdempotencyRecord,
  maySee: Prisma.Sql,
): Promise<KeyMatch | undefined> {
  const [match] = await sql.$queryRaw<KeyMatch[]>`
    select i.id, i.reporter_id is not null as named, k.content_hash = ${contentHash}::bytea as same
    from idempotency_keys k join incidents i on i.id = k.incident_id
    where k.key_hash in (${keyHash}::bytea, ${otherKeyHash}::bytea) and i.created_at > now() - ${REPORT_IDEMPOTENCY_KEY_TTL_SQL} and ${maySee}
    order by same desc`;
  return match;
}
