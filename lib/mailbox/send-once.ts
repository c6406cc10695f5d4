import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { assertIdempotencyKey } from "#lib/idempotency/key.ts";
import { IDEMPOTENT_REPLAYED_HEADER } from "#lib/idempotency/requests.ts";
import { CURRENT_QUARTER_HOUR_SQL, START_OF_TODAY_UTC_SQL } from "#lib/incidents/coarse-times-sql.ts";
import {
  findMailboxIdempotencyKeyMatch,
  LETTERBOX_IDEMPOTENCY_KEY_TTL_MS,
  MAILBOX_IDEMPOTENCY_KEY_TTL_MS,
  type MailboxIdempotencyKeyRecord,
} from "#lib/mailbox/key-queries.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * Ensures that a request from a mailbox or letterbox takes effect only once, even if it is repeated under the same
 * `Idempotency-Key` (docs/decisions/051). A row of `mailbox_keys` reveals only the report and the quarter of an hour,
 * or the letterbox and the day: its two keyed hashes can't be computed without the key that was sent.
 */

/** An opened mailbox, or an opened letterbox. */
type Sender = { incidentId: string; letterboxId?: string; call: OperationCall };
/** Thrown in the transaction of a repeated request: nothing is written. */
class AlreadySent extends Error {}

/**
 * Runs `send`, unless the same content was sent under the key before; the response then says that it is a replay.
 * @param send calls `claim` in its transaction, once the mailbox or letterbox is locked
 * @throws AppError IDEMPOTENCY_KEY_REUSED for other content under the key
 */
export async function sendOncePerIdempotencyKey(
  sender: Sender,
  content: unknown,
  send: (claim: (tx: SqlClient) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { call, incidentId, letterboxId } = sender;
  const record = deriveRecord(call.idempotencyKey, letterboxId ?? incidentId, content);
  if (!record) return send(async () => {});
  try {
    await refuseIfSent(sql, record);
    await send((tx) => claimKey(tx, sender, record));
  } catch (error) {
    if (!(error instanceof AlreadySent)) throw error;
    call.responseHeaders[IDEMPOTENT_REPLAYED_HEADER] = "true";
  }
}

function deriveRecord(
  key: string | null,
  ownerId: string,
  content: unknown,
): MailboxIdempotencyKeyRecord | null {
  if (key === null) return null;
  assertIdempotencyKey(key);
  const owner = `${ownerId} ${key}`;
  return {
    keyHash: computeKeyedHash("mailbox key", owner),
    contentHash: computeKeyedHash("mailbox content", `${owner} ${JSON.stringify(content)}`),
  };
}

/** Refuses a key under which something was sent before. @throws AlreadySent; AppError IDEMPOTENCY_KEY_REUSED */
async function refuseIfSent(client: SqlClient, record: MailboxIdempotencyKeyRecord): Promise<void> {
  const sent = await findMailboxIdempotencyKeyMatch(client, record);
  if (!sent) return;
  throw sent.same ? new AlreadySent() : new AppError("IDEMPOTENCY_KEY_REUSED", "idempotencyKeyTaken");
}

/**
 * Stores the idempotency key of a message or letter. The lock on the mailbox or letterbox keeps a second request with
 * the same key waiting until the first has committed.
 * @throws AlreadySent; AppError IDEMPOTENCY_KEY_REUSED
 */
async function claimKey(
  tx: SqlClient,
  { incidentId, letterboxId }: Sender,
  record: MailboxIdempotencyKeyRecord,
): Promise<void> {
  await refuseIfSent(tx, record);
  await tx.$executeRaw`
    insert into mailbox_keys (key_hash, content_hash, incident_id, letterbox_id, created_at)
    values (${record.keyHash}::bytea, ${record.contentHash}::bytea, ${letterboxId ? null : incidentId}::uuid,
      ${letterboxId ?? null}::uuid, ${letterboxId ? START_OF_TODAY_UTC_SQL : CURRENT_QUARTER_HOUR_SQL})
    on conflict (key_hash) do update set content_hash = excluded.content_hash, created_at = excluded.created_at`;
}

/** Deletes the keys that aren't remembered anymore. */
export async function deleteExpiredMailboxIdempotencyKeys(): Promise<void> {
  const isOlderThan = (ageMs: number) => ({ lte: new Date(Date.now() - ageMs) });
  await prisma.mailboxKey.deleteMany({
    where: {
      createdAt: isOlderThan(MAILBOX_IDEMPOTENCY_KEY_TTL_MS),
      OR: [{ letterboxId: null }, { createdAt: isOlderThan(LETTERBOX_IDEMPOTENCY_KEY_TTL_MS) }],
    },
  });
}
