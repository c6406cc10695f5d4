import { randomUUID } from "node:crypto";
import { computeKeyedHash } from "#lib/crypto/keyed-hash.ts";
import { unsealText, sealText } from "#lib/crypto/sealed-text.ts";
import { runWithCheckInEachTransaction } from "#lib/database/transaction-guard.ts";
import {
  claimIdempotentRequest,
  markIdempotentRequestEffective,
  releaseIdempotentRequest,
  type IdempotentRequestAttempt,
  storeIdempotentResponse,
} from "#lib/idempotency/attempts.ts";
import { assertIdempotencyKey } from "#lib/idempotency/key.ts";
import {
  findIdempotentRequestState,
  type IdempotentRequestRecord,
  type IdempotentRequestState,
} from "#lib/idempotency/queries.ts";
import { log } from "#lib/observability/log.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { IdempotentRequest, OperationCall } from "#lib/operation/operation.ts";

/**
 * Requests that are sent again under their `Idempotency-Key` (docs/decisions/051). Reports have rows of their own,
 * which name nobody (docs/decisions/024).
 */

/** The header of a replayed response: the request was carried out earlier. */
export const IDEMPOTENT_REPLAYED_HEADER = "Idempotent-Replayed";

const PURPOSE = "idempotent response";

/** After how many seconds a client may ask again for the response to a request that is still running. */
const RETRY_AFTER_SECONDS = 1;

/** A record, and the key that seals its response; that key is stored nowhere. */
type SealedRecord = IdempotentRequestRecord & { sealKey: Uint8Array };

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
  const record = deriveRecord(request);
  const found = await findIdempotentRequestState(record);
  if (found && isSettled(found)) {
    await request.confirm();
    return replayResponse(found, record, request.call) as Result;
  }
  const attempt: IdempotentRequestAttempt = { ...record, claim: randomUUID() };
  if (!(await claimIdempotentRequest(attempt))) throw createKeyInUseError();
  const headersBefore = { ...request.call.responseHeaders };
  const result = await runAttempt(attempt, run);
  const headers = pickAdded(request.call.responseHeaders, headersBefore);
  await storeSealed(attempt, record, { body: result, headers });
  return result;
}

/**
 * Returns whether a response is stored, an attempt took effect, or one is running. An attempt that ended without an
 * effect doesn't count, so the request may be tried again.
 */
const isSettled = ({ response, tookEffect, running }: IdempotentRequestState): boolean =>
  response !== null || tookEffect || running;

function replayResponse(
  { sameContent, response, running }: IdempotentRequestState,
  { sealKey }: SealedRecord,
  call: OperationCall,
): unknown {
  if (!sameContent) throw new AppError("IDEMPOTENCY_KEY_REUSED", "idempotencyKeyTaken");
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
async function runAttempt<Result>(
  attempt: IdempotentRequestAttempt,
  run: () => Promise<Result>,
): Promise<Result> {
  const check = async (tx: Parameters<typeof markIdempotentRequestEffective>[0]) => {
    if (!(await markIdempotentRequestEffective(tx, attempt))) throw createKeyInUseError();
  };
  try {
    return await runWithCheckInEachTransaction(check, run);
  } catch (error) {
    const refused = error instanceof AppError && error.status < 500;
    await releaseIdempotentRequest(attempt, { refused }).catch(logUnrecorded);
    throw error;
  }
}

/**
 * Seals and stores a response. Ignores a failure, since the operation was carried out and its response can be returned.
 */
async function storeSealed(
  attempt: IdempotentRequestAttempt,
  { sealKey }: SealedRecord,
  response: StoredResponse,
): Promise<void> {
  await storeIdempotentResponse(attempt, sealText(PURPOSE, JSON.stringify(response), sealKey)).catch(
    logUnrecorded,
  );
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
function deriveRecord({ operation, actor, call, container, params, input }: IdempotentRequest): SealedRecord {
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
    userId: actor.id,
    keyHash: computeKeyedHash("idempotent request", owner),
    contentHash: computeKeyedHash("idempotent content", JSON.stringify([owner, input ?? null, files])),
    sealKey: computeKeyedHash(PURPOSE, owner),
  };
}
