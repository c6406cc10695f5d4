import { sql } from "#lib/database/client.ts";

/** Identifies a key and what was sent under it: two keyed hashes. */
export type IdempotencyRecord = {
  keyHash: Uint8Array<ArrayBuffer>;
  contentHash: Uint8Array<ArrayBuffer>;
};

export type IdempotencyKeyState = {
  sameContent: boolean;
  response: Uint8Array | null;
  tookEffect: boolean;
  /** Whether an attempt has begun, and has neither ended nor outlived its lease. */
  running: boolean;
};

/** Returns the stored state of a key; undefined when there is none, or it has expired. */
export async function findIdempotencyKeyState({
  keyHash,
  contentHash,
}: IdempotencyRecord): Promise<IdempotencyKeyState | undefined> {
  const [row] = await sql.$queryRaw<IdempotencyKeyState[]>`
    select content_hash = ${contentHash}::bytea as "sameContent", response, took_effect as "tookEffect",
      response is null and coalesce(attempt_until > now(), false) as running
    from idempotency_keys where key_hash = ${keyHash}::bytea and expires_at > now()`;
  return row;
}
