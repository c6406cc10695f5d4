import { fieldProblem } from "#lib/i18n/error-text.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";

/** The value of the header `Idempotency-Key` (contract 3.15). */

export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export const isValidIdempotencyKey = (idempotencyKey: string): boolean =>
  idempotencyKey.length >= 1 &&
  idempotencyKey.length <= MAX_IDEMPOTENCY_KEY_LENGTH &&
  /^[\x20-\x7e]+$/.test(idempotencyKey);

/** Checks the form of an idempotency key. @throws InvalidInputError for a malformed key */
export function assertIdempotencyKey(idempotencyKey: string): void {
  if (!isValidIdempotencyKey(idempotencyKey))
    throw new InvalidInputError({
      "Idempotency-Key": fieldProblem("invalidIdempotencyKey", { max: MAX_IDEMPOTENCY_KEY_LENGTH }),
    });
}

/** In characters. */
const MIN_RANDOM_KEY_LENGTH = 22;

/**
 * Checks that a key from which a receipt is derived is as hard to guess as the receipt: at least 22 characters.
 * @throws InvalidInputError for a shorter key
 */
export function assertRandomKey(key: string | null): void {
  const limits = { min: MIN_RANDOM_KEY_LENGTH, max: MAX_IDEMPOTENCY_KEY_LENGTH };
  if (key !== null && key.length < MIN_RANDOM_KEY_LENGTH)
    throw new InvalidInputError({ "Idempotency-Key": fieldProblem("mustBeRandomKey", limits) });
}
