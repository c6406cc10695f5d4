import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** How long a key is remembered. */
export const IDEMPOTENT_REQUEST_TTL_HOURS = 24;
export const IDEMPOTENT_REQUEST_TTL_SQL = Prisma.raw(`interval '${IDEMPOTENT_REQUEST_TTL_HOURS} hours'`);

/** Identifies a request: two keyed hashes, and the account whose deletion deletes the row. */
export type IdempotentRequestRecord = {
  keyHash: Uint8Array<ArrayBuffer>;
  contentHash: Uint8Array;
  userId: string;
};

export type IdempotentRequestState = {
  sameContent: boolean;
  response: Uint8Array | null;
  tookEffect: boolean;
  /** Whether an attempt has begun, and has neither ended nor outlived its lease. */
  running: boolean;
};

/** Returns the stored state of a request; undefined when there is none, or it has expired. */
export async function findIdempotentRequestState({
  keyHash,
  contentHash,
}: IdempotentRequestRecord): Promise<IdempotentRequestState | undefined> {
  const [row] = await sql.$queryRaw<IdempotentRequestState[]>`
    select content_hash = ${contentHash}::bytea as "sameContent", response, took_effect as "tookEffect",
      response is null and claimed_until > now() as running
    from idempotent_requests where key_hash = ${keyHash}::bytea and created_at > now() - ${IDEMPOTENT_REQUEST_TTL_SQL}`;
  return row;
}
