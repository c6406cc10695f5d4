import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { assertIdempotencyKey } from "#lib/idempotency/key.ts";
import {
  assertSameContent,
  END_OF_TOMORROW_UTC_SQL,
  sendUnlessSent,
  takeKey,
} from "#lib/idempotency/keys.ts";
import { findIdempotencyKeyState } from "#lib/idempotency/queries.ts";
import type { OperationCall } from "#lib/operation/operation.ts";

/**
 * Runs `send`, unless the same content was sent from the mailbox under the key before (docs/decisions/024).
 * @param send calls `take` in its transaction
 * @throws AppError IDEMPOTENCY_KEY_REUSED for other content under the key
 */
export async function sendOncePerIdempotencyKey(
  { call, conversationId }: { conversationId: string; call: OperationCall },
  content: unknown,
  send: (take: (tx: SqlClient) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (call.idempotencyKey === null) return send(async () => {});
  assertIdempotencyKey(call.idempotencyKey);
  const owner = `${conversationId} ${call.idempotencyKey}`;
  const record = {
    keyHash: computeKeyedHash("mailbox key", owner),
    contentHash: computeKeyedHash("mailbox content", `${owner} ${JSON.stringify(content)}`),
  };
  const key = { ...record, conversationId, expiresAt: END_OF_TOMORROW_UTC_SQL };
  const findReplay = async () => {
    const sent = await findIdempotencyKeyState(record);
    if (sent) assertSameContent(sent);
    return sent ? {} : null;
  };
  await sendUnlessSent<unknown>(call, findReplay, () => send((tx) => takeKey(tx, key)));
}
