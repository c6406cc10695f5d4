import type { SqlClient } from "#lib/database/sql.ts";

const HOUR_MS = 3600_000;
/**
 * The time for which a key is remembered: 24 hours, and the quarter of an hour or day to which its time is rounded
 * down.
 */
export const MAILBOX_IDEMPOTENCY_KEY_TTL_MS = 24.25 * HOUR_MS;
export const LETTERBOX_IDEMPOTENCY_KEY_TTL_MS = 48 * HOUR_MS;

export type MailboxIdempotencyKeyRecord = { keyHash: Uint8Array; contentHash: Uint8Array };

/** Finds whether the same content was sent under a key; undefined for a key that isn't known, or not anymore. */
export async function findMailboxIdempotencyKeyMatch(
  client: SqlClient,
  { keyHash, contentHash }: MailboxIdempotencyKeyRecord,
): Promise<{ same: boolean } | undefined> {
  const [sent] = await client.$queryRaw<{ same: boolean }[]>`
    select content_hash = ${contentHash}::bytea as same from mailbox_keys
    where key_hash = ${keyHash}::bytea and created_at > now() - make_interval(secs =>
      case when letterbox_id is null then ${MAILBOX_IDEMPOTENCY_KEY_TTL_MS / 1000}::int else ${LETTERBOX_IDEMPOTENCY_KEY_TTL_MS / 1000}::int end)`;
  return sent;
}
