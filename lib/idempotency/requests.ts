import { randomUUID } from "node:crypto";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { unsealText, sealText } from "#lib/crypto/sealed-text.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { runWithCheckInEachTransaction } from "#lib/database/transaction-guard.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { assertIdempotencyKey } from "#lib/idempotency/key.ts";
import {
  assertSameContent,
  IDEMPOTENCY_KEY_TTL_SQL,
  IDEMPOTENT_REPLAYED_HEADER,
  KeyTakenError,
  type KeyToTake,
  takeKey,
} from "#lib/idempotency/keys.ts";
import { findIdempotencyKeyState, type IdempotencyKeyState } from "#lib/idempotency/queries.ts";
import { log } from "#lib/observability/log.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationCall, PathParams } from "#lib/operation/operation.ts";
import type { Actor, PermissionSubject } from "#lib/operation/policy.ts";

/**
 * Requests whose first response is stored, for when they are sent again under their `Idempotency-Key`
 * (docs/decisions/024). An attempt takes the key before it begins, and each change of its row is one statement.
 */

const PURPOSE = "idempotent response";

/** After how many seconds a client may ask again for the response to a request that is still running. */
const RETRY_AFTER_SECONDS = 1;

/** The parts of a request that identify it among others with an idempotency key; `run` is only called for the first. */
export type IdempotentRequest = {
  operation: string;
  actor: Actor;
  call: OperationCall;
  container: PermissionSubject;
  params: PathParams;
  input: unknown;
  /** Runs the operation's `confirm` check; called before a stored response is returned. */
  confirm: () => Promise<unknown>;
};

/** An attempt at a request, and the key that seals its response; that key is stored nowhere. */
type Attempt = KeyToTake & { attemptId: string; sealKey: Uint8Array };

type StoredResponse = { body: unknown; headers: Record<string, string> };

/**
 * Runs the operation, unless the same request has been carried out in the last 24 hours: then returns its response and
 * says so in the header `Idempotent-Replayed`. A request that fails leaves its key unused.
 * @throws AppError IDEMPOTENCY_KEY_REUSED for other content under the key, IDEMPOTENCY_KEY_IN_USE while the first one
 *   runs, IDEMPOTENCY_RESPONSE_LOST when it took effect and its process ended before the response was stored
 */
export async function runOncePerIdempotencyKey<Result>(
  request: IdempotentRequest,
  run: () => Promise<Result>,
): Promise<Result> {
  const attempt = deriveAttempt(request);
  const found = await findIdempotencyKeyState(attempt);
  if (found && isSettled(found)) {
    await request.confirm();
    return replayResponse(found, attempt, request.call) as Result;
  }
  await takeKey(sql, attempt).catch((error: unknown) => {
    throw error instanceof KeyTakenError ? createKeyInUseError() : error;
  });
  const headersBefore = { ...request.call.responseHeaders };
  const result = await runAttempt(attempt, run);
  const headers = pickAdded(request.call.responseHeaders, headersBefore);
  await storeSealed(attempt, { body: result, headers });
  return result;
}

/**
 * Returns whether a response is stored, an attempt took effect, or one is running. An attempt that ended without an
 * effect doesn't count, so the request may be tried again.
 */
const isSettled = ({ response, tookEffect, running }: IdempotencyKeyState): boolean =>
  response !== null || tookEffect || running;

function replayResponse(found: IdempotencyKeyState, { sealKey }: Attempt, call: OperationCall): unknown {
  assertSameContent(found);
  const { response, running } = found;
  if (response === null)
    throw running
      ? createKeyInUseError()
      : new AppError("IDEMPOTENCY_RESPONSE_LOST", "idempotencyResponseLost");
  const { body, headers } = JSON.parse(unsealText(PURPOSE, response, sealKey)) as StoredResponse;
  Object.assign(call.responseHeaders, headers, { [IDEMPOTENT_REPLAYED_HEADER]: "true" });
  return body;
}

const createKeyInUseError = (): AppError =>
  new AppError(
    "IDEMPOTENCY_KEY_IN_USE",
    "idempotencyKeyInUse",
    {},
    { headers: { "Retry-After": `${RETRY_AFTER_SECONDS}` } },
  );

/**
 * Runs the operation. Each of its transactions also marks the attempt as effective, in the same commit, and fails if
 * another attempt has replaced this one. So an attempt that was given up as dead can't take effect later.
 */
async function runAttempt<Result>(attempt: Attempt, run: () => Promise<Result>): Promise<Result> {
  try {
    return await runWithCheckInEachTransaction((tx) => markEffective(tx, attempt), run);
  } catch (error) {
    const refused = error instanceof AppError && error.status < 500;
    await release(attempt, { refused }).catch(logUnrecorded);
    throw error;
  }
}

/** Written as raw SQL, so that it also works in transactions without a Prisma client. */
async function markEffective(tx: SqlClient, { keyHash, attemptId }: Attempt): Promise<void> {
  const marked = await tx.$executeRaw`
    update idempotency_keys set took_effect = true where key_hash = ${keyHash}::bytea and attempt_id = ${attemptId}::uuid`;
  if (marked === 0) throw createKeyInUseError();
}

/**
 * Deletes the row of a failed attempt, so that its key can be used again.
 * @param refused whether the operation refused before it did anything; otherwise the row stays if a transaction of the
 *   attempt was committed
 */
const release = ({ keyHash, attemptId }: Attempt, { refused }: { refused: boolean }): Promise<unknown> =>
  prisma.idempotencyKey.deleteMany({
    where: { keyHash, attemptId, ...(refused ? {} : { tookEffect: false }) },
  });

/**
 * Seals and stores a response, unless another attempt has taken this one's place. Ignores a failure, since the operation
 * was carried out and its response can be returned.
 */
async function storeSealed({ keyHash, attemptId, sealKey }: Attempt, sent: StoredResponse): Promise<void> {
  const response = sealText(PURPOSE, JSON.stringify(sent), sealKey);
  await prisma.idempotencyKey
    .updateMany({ where: { keyHash, attemptId }, data: { response } })
    .catch(logUnrecorded);
}

const logUnrecorded = (error: unknown) =>
  log.warn({ code: (error as { code?: string }).code }, "the end of an idempotent request wasn't recorded");

const pickAdded = (headers: Record<string, string>, before: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => before[name] !== value));

/** Names of path parameters that lead to the container, by id or by slug: both are the same path. */
const CONTAINER_PARAMS = new Set(["eventId", "slug", "organizationId", "orgSlug"]);

/**
 * Derives the hashes and the sealing key of a request from the idempotency key that was sent and the data key. Without
 * both, nobody can test guesses against the rows or open the stored responses.
 */
function deriveAttempt({ operation, actor, call, container, params, input }: IdempotentRequest): Attempt {
  const idempotencyKey = call.idempotencyKey ?? "";
  assertIdempotencyKey(idempotencyKey);
  const path = [
    container.organizationId ?? null,
    container.eventId ?? null,
    ...Object.entries(params).flatMap(([name, value]) =>
      CONTAINER_PARAMS.has(name) ? [] : [name, value.toLowerCase()],
    ),
  ];
  const owner = JSON.stringify([actor.id, operation, path, idempotencyKey]);
  const files = call.files.map(({ filename, size, sha256 }) => [filename, size, sha256]);
  return {
    attemptId: randomUUID(),
    userId: actor.id,
    expiresAt: Prisma.sql`now() + ${IDEMPOTENCY_KEY_TTL_SQL}`,
    keyHash: computeKeyedHash("idempotent request", owner),
    contentHash: computeKeyedHash("idempotent content", JSON.stringify([owner, input ?? null, files])),
    sealKey: computeKeyedHash(PURPOSE, owner),
  };
}
