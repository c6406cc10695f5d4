import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** The rows of requests with an idempotency key, each read and changed in one statement. */

/** How long a key is remembered. */
const REQUEST_TTL = Prisma.raw("interval '24 hours'");

/** How long an attempt that hasn't taken effect may run before another attempt may take its place. */
const LEASE = Prisma.raw("interval '30 seconds'");

/** Identifies a request: two keyed hashes, and the account whose deletion deletes the row. */
export type RequestRecord = { keyHash: Uint8Array; contentHash: Uint8Array; userId: string };

/** One attempt at a request. */
export type RequestAttempt = RequestRecord & { claim: string };

export type StoredRequestState = {
  sameContent: boolean;
  response: Uint8Array | null;
  tookEffect: boolean;
  /** Whether an attempt has begun, and has neither ended nor outlived its lease. */
  running: boolean;
};

/** Returns the stored state of a request; undefined when there is none, or it has expired. */
export async function findRequest({
  keyHash,
  contentHash,
}: RequestRecord): Promise<StoredRequestState | undefined> {
  const [row] = await sql.$queryRaw<StoredRequestState[]>`
    select content_hash = ${contentHash}::bytea as "sameContent", response, took_effect as "tookEffect",
      response is null and claimed_until > now() as running
    from idempotent_requests where key_hash = ${keyHash}::bytea and created_at > now() - ${REQUEST_TTL}`;
  return row;
}

/**
 * Begins an attempt at a request, unless another attempt is running or has taken effect. @returns whether it has begun
 */
export async function claimRequest({
  keyHash,
  contentHash,
  userId,
  claim,
}: RequestAttempt): Promise<boolean> {
  const claimed = await sql.$executeRaw`
    insert into idempotent_requests as r (key_hash, content_hash, user_id, claim, claimed_until)
    values (${keyHash}::bytea, ${contentHash}::bytea, ${userId}::uuid, ${claim}::uuid, now() + ${LEASE})
    on conflict (key_hash) do update set content_hash = excluded.content_hash, user_id = excluded.user_id,
      claim = excluded.claim, claimed_until = excluded.claimed_until, took_effect = false, response = null, created_at = now()
    where r.created_at <= now() - ${REQUEST_TTL}
      or (r.response is null and not r.took_effect and r.claimed_until <= now())`;
  return claimed > 0;
}

/**
 * Records in the transaction that the attempt takes effect. From then on no other one can take its place.
 * @returns false when another one has done so already
 */
export async function markRequestEffective(
  tx: SqlClient,
  { keyHash, claim }: RequestAttempt,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    update idempotent_requests set took_effect = true where key_hash = ${keyHash}::bytea and claim = ${claim}::uuid`;
  return marked > 0;
}

export const storeResponse = ({ keyHash, claim }: RequestAttempt, response: Uint8Array): Promise<number> =>
  sql.$executeRaw`
    update idempotent_requests set response = ${response}::bytea
    where key_hash = ${keyHash}::bytea and claim = ${claim}::uuid`;

/**
 * Deletes the row of a failed attempt, so that its key can be used again.
 * @param refused whether the operation refused before it did anything; otherwise the row stays if a transaction of the
 *   attempt was committed
 */
export const releaseRequest = (
  { keyHash, claim }: RequestAttempt,
  { refused }: { refused: boolean },
): Promise<number> => sql.$executeRaw`
  delete from idempotent_requests
  where key_hash = ${keyHash}::bytea and claim = ${claim}::uuid and (${refused}::boolean or not took_effect)`;

export const deleteExpiredRequests = (): Promise<number> =>
  sql.$executeRaw`delete from idempotent_requests where created_at <= now() - ${REQUEST_TTL}`;
