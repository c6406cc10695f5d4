import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  IDEMPOTENT_REQUEST_TTL_HOURS,
  IDEMPOTENT_REQUEST_TTL_SQL,
  type IdempotentRequestRecord,
} from "#lib/idempotency/queries.ts";

/** Attempts at a request with an idempotency key: each changes the request's row in one statement. */

/** How long an attempt that hasn't taken effect may run before another attempt may take its place. */
const LEASE_SQL = Prisma.raw("interval '30 seconds'");

/** One attempt at a request. */
export type IdempotentRequestAttempt = IdempotentRequestRecord & { claim: string };

/**
 * Begins an attempt at a request, unless another attempt is running or has taken effect. @returns whether it has begun
 */
export async function claimIdempotentRequest({
  keyHash,
  contentHash,
  userId,
  claim,
}: IdempotentRequestAttempt): Promise<boolean> {
  const claimed = await sql.$executeRaw`
    insert into idempotent_requests as r (key_hash, content_hash, user_id, claim, claimed_until)
    values (${keyHash}::bytea, ${contentHash}::bytea, ${userId}::uuid, ${claim}::uuid, now() + ${LEASE_SQL})
    on conflict (key_hash) do update set content_hash = excluded.content_hash, user_id = excluded.user_id,
      claim = excluded.claim, claimed_until = excluded.claimed_until, took_effect = false, response = null, created_at = now()
    where r.created_at <= now() - ${IDEMPOTENT_REQUEST_TTL_SQL}
      or (r.response is null and not r.took_effect and r.claimed_until <= now())`;
  return claimed > 0;
}

/**
 * Records in the transaction that the attempt takes effect, after which no other attempt can take its place. Written as
 * raw SQL, so that it also works in transactions without a Prisma client.
 * @returns false when another attempt has taken its place already
 */
export async function markIdempotentRequestEffective(
  tx: SqlClient,
  { keyHash, claim }: IdempotentRequestAttempt,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    update idempotent_requests set took_effect = true where key_hash = ${keyHash}::bytea and claim = ${claim}::uuid`;
  return marked > 0;
}

/** Stores the response of an attempt, unless another attempt has taken its place. */
export const storeIdempotentResponse = (
  { keyHash, claim }: IdempotentRequestAttempt,
  response: Uint8Array<ArrayBuffer>,
): Promise<unknown> => prisma.idempotentRequest.updateMany({ where: { keyHash, claim }, data: { response } });

/**
 * Deletes the row of a failed attempt, so that its key can be used again.
 * @param refused whether the operation refused before it did anything; otherwise the row stays if a transaction of the
 *   attempt was committed
 */
export const releaseIdempotentRequest = (
  { keyHash, claim }: IdempotentRequestAttempt,
  { refused }: { refused: boolean },
): Promise<unknown> =>
  prisma.idempotentRequest.deleteMany({
    where: { keyHash, claim, ...(refused ? {} : { tookEffect: false }) },
  });

/** Deletes the rows of requests whose keys are forgotten. */
export async function deleteExpiredIdempotentRequests(): Promise<void> {
  const newestExpired = new Date(Date.now() - IDEMPOTENT_REQUEST_TTL_HOURS * 3600_000);
  await prisma.idempotentRequest.deleteMany({ where: { createdAt: { lte: newestExpired } } });
}
