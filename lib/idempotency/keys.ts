import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { IdempotencyKeyState, IdempotencyRecord } from "#lib/idempotency/queries.ts";
import { AppError, createUnavailableError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * The keys under which something was done, for a day (docs/decisions/024). A row says whose it is only as far as what was
 * done under it says so: the account of a request, the report of a key that came with one, the conversation of a
 * mailbox.
 */

/** The header of a replayed response: the request was carried out earlier. */
export const IDEMPOTENT_REPLAYED_HEADER = "Idempotent-Replayed";

export const IDEMPOTENCY_KEY_TTL_SQL = Prisma.raw("interval '24 hours'");

/** For what is dated with the UTC day only. */
export const END_OF_TOMORROW_UTC_SQL = Prisma.sql`date_trunc('day', now(), 'UTC') + interval '2 days'`;

/** How long an attempt that hasn't taken effect may run before another attempt may take its place. */
const LEASE_SQL = Prisma.raw("interval '30 seconds'");

/** A key to take: when it is forgotten, whom or what it is deleted with, and the attempt that takes it, if one may fail. */
export type KeyToTake = IdempotencyRecord & {
  expiresAt: Prisma.Sql;
  userId?: string | null;
  incidentId?: string;
  conversationId?: string;
  attemptId?: string;
};

/** Thrown when a concurrent request has just taken the key. Nothing has been written. */
export class KeyTakenError extends Error {}

/**
 * Takes the key under a condition, unless it is taken and neither expired nor left by an attempt that failed to end. It
 * waits for a concurrent transaction that is taking it. Has a row if it took the key.
 */
export const takeKeySql = (
  { keyHash, contentHash, expiresAt, userId, incidentId, conversationId, attemptId }: KeyToTake,
  condition = Prisma.sql`true`,
): Prisma.Sql => Prisma.sql`
  insert into idempotency_keys as k (key_hash, content_hash, expires_at, user_id, incident_id, conversation_id, attempt_id, attempt_until)
  select ${keyHash}::bytea, ${contentHash}::bytea, ${expiresAt}, ${userId ?? null}::uuid, ${incidentId ?? null}::uuid, ${conversationId ?? null}::uuid,
    ${attemptId ?? null}::uuid, case when ${attemptId !== undefined}::boolean then now() + ${LEASE_SQL} end
  where ${condition}
  on conflict (key_hash) do update set content_hash = excluded.content_hash, expires_at = excluded.expires_at, user_id = excluded.user_id,
    incident_id = excluded.incident_id, conversation_id = excluded.conversation_id, attempt_id = excluded.attempt_id,
    attempt_until = excluded.attempt_until, took_effect = false, response = null
    where k.expires_at <= now() or (k.response is null and not k.took_effect and k.attempt_until <= now())
  returning 1`;

/** Takes the key in a transaction of its own or a given one. @throws KeyTakenError */
export async function takeKey(client: SqlClient, key: KeyToTake): Promise<void> {
  if ((await client.$executeRaw(takeKeySql(key))) === 0) throw new KeyTakenError();
}

/**
 * Runs `send`, which takes the key in its transaction, unless that was done before; the response then says that it is a
 * replay. After a concurrent request under the key it looks once more and stores nothing: the files of the failed
 * request are gone.
 * @throws what both throw; AppError SERVICE_UNAVAILABLE if what was done is gone again, or isn't the sender's to see
 */
export async function sendUnlessSent<Result>(
  call: OperationCall,
  findReplay: () => Promise<Result | null>,
  send: () => Promise<Result>,
): Promise<Result> {
  let replay = await findReplay();
  if (replay === null) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      replay = await findReplay();
    }
    if (replay === null) throw createUnavailableError();
  }
  call.responseHeaders[IDEMPOTENT_REPLAYED_HEADER] = "true";
  return replay;
}

/** Refuses other content under a key. @throws AppError IDEMPOTENCY_KEY_REUSED */
export function assertSameContent({ sameContent }: IdempotencyKeyState): void {
  if (!sameContent) throw new AppError("IDEMPOTENCY_KEY_REUSED", "idempotencyKeyTaken");
}

/** Deletes the keys that are forgotten. One that is taken anew in the meantime stays: it expires later. */
export async function deleteExpiredIdempotencyKeys(): Promise<void> {
  await prisma.idempotencyKey.deleteMany({ where: { expiresAt: { lte: new Date() } } });
}
