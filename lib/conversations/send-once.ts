import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { assertIdempotencyKey } from "#lib/idempotency/key.ts";
import { IDEMPOTENT_REPLAYED_HEADER } from "#lib/idempotency/requests.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * Ensures that a request from an opened mailbox takes effect only once, even if it is repeated under the same
 * `Idempotency-Key` within a day (docs/decisions/051). A row of `conversation_keys` reveals only the conversation and
 * the UTC day: its two keyed hashes can't be computed without the key that was sent.
 */

/** A key sent at the end of its day is remembered for 24 hours, too. */
const REMEMBERED_DAYS = 1;

type Sender = { conversationId: string; call: OperationCall };
type KeyRecord = { keyHash: Uint8Array<ArrayBuffer>; contentHash: Uint8Array<ArrayBuffer> };
/** Thrown in the transaction of a repeated request: nothing is written. */
class AlreadySent extends Error {}

/**
 * Runs `send`, unless the same content was sent under the key before; the response then says that it is a replay.
 * @param send calls `claim` in its transaction, once the conversation is locked
 * @throws AppError IDEMPOTENCY_KEY_REUSED for other content under the key
 */
export async function sendOncePerIdempotencyKey(
  { call, conversationId }: Sender,
  content: unknown,
  send: (claim: (tx: SqlClient) => Promise<void>) => Promise<void>,
): Promise<void> {
  const record = deriveRecord(call.idempotencyKey, conversationId, content);
  if (!record) return send(async () => {});
  try {
    await refuseIfSent(sql, record);
    await send((tx) => claimKey(tx, conversationId, record));
  } catch (error) {
    if (!(error instanceof AlreadySent)) throw error;
    call.responseHeaders[IDEMPOTENT_REPLAYED_HEADER] = "true";
  }
}

function deriveRecord(key: string | null, conversationId: string, content: unknown): KeyRecord | null {
  if (key === null) return null;
  assertIdempotencyKey(key);
  const owner = `${conversationId} ${key}`;
  return {
    keyHash: computeKeyedHash("mailbox key", owner),
    contentHash: computeKeyedHash("mailbox content", `${owner} ${JSON.stringify(content)}`),
  };
}

/** Refuses a key under which something was sent before. @throws AlreadySent; AppError IDEMPOTENCY_KEY_REUSED */
async function refuseIfSent(client: SqlClient, { keyHash, contentHash }: KeyRecord): Promise<void> {
  const [sent] = await client.$queryRaw<{ same: boolean }[]>`
    select content_hash = ${contentHash}::bytea as same from conversation_keys
    where key_hash = ${keyHash}::bytea and created_on >= (now() at time zone 'UTC')::date - ${REMEMBERED_DAYS}::int`;
  if (sent)
    throw sent.same ? new AlreadySent() : new AppError("IDEMPOTENCY_KEY_REUSED", "idempotencyKeyTaken");
}

/**
 * Stores the idempotency key. The lock on the conversation keeps a second request with the same key waiting until the
 * first has committed.
 * @throws AlreadySent; AppError IDEMPOTENCY_KEY_REUSED
 */
async function claimKey(
  tx: SqlClient,
  conversationId: string,
  { keyHash, contentHash }: KeyRecord,
): Promise<void> {
  await refuseIfSent(tx, { keyHash, contentHash });
  await tx.$executeRaw`
    insert into conversation_keys (key_hash, content_hash, conversation_id, created_on)
    values (${keyHash}::bytea, ${contentHash}::bytea, ${conversationId}::uuid, (now() at time zone 'UTC')::date)
    on conflict (key_hash) do update set content_hash = excluded.content_hash, created_on = excluded.created_on`;
}

/** Deletes the keys that aren't remembered anymore. */
export async function deleteExpiredConversationKeys(): Promise<void> {
  const firstDay = new Date();
  firstDay.setUTCDate(firstDay.getUTCDate() - REMEMBERED_DAYS);
  firstDay.setUTCHours(0, 0, 0, 0);
  await prisma.conversationKey.deleteMany({ where: { createdOn: { lt: firstDay } } });
}
