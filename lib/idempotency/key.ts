import { createFieldProblem } from "#lib/i18n/error-text.ts";
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
      "Idempotency-Key": createFieldProblem("invalidIdempotencyKey", { max: MAX_IDEMPOTENCY_KEY_LENGTH }),
    });
}

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/**
 * A form ticket (lib/http/form-drafts.ts), which has at least 100 characters. If it has been used as the key of other
 * content, the form appends a dot, which makes another key (components/incident/report-problems.ts).
 */
const FORM_TICKET = /^[\w-]{100,}\.{0,50}$/;
const MIN_TICKET_CHARACTERS = 32;

/** Returns whether a key is random by its form: a random UUID, or a form ticket. Any other one may be guessed. */
export const isRandomIdempotencyKey = (key: string): boolean =>
  UUID_V4.test(key) || (FORM_TICKET.test(key) && new Set(key).size >= MIN_TICKET_CHARACTERS);

/** In characters. */
const MIN_LONG_KEY_LENGTH = 22;
/** Different characters. A random key of that length has more, except once in a hundred thousand times. */
const MIN_DIFFERENT_CHARACTERS = 6;

/**
 * Checks that a key from which a receipt is derived isn't easily guessed: at least 22 characters, of which six differ.
 * @throws InvalidInputError for any other key
 */
export function assertUnguessableIdempotencyKey(key: string | null): void {
  if (key === null) return;
  const limits = { min: MIN_LONG_KEY_LENGTH, max: MAX_IDEMPOTENCY_KEY_LENGTH };
  if (key.length < MIN_LONG_KEY_LENGTH || new Set(key).size < MIN_DIFFERENT_CHARACTERS)
    throw new InvalidInputError({ "Idempotency-Key": createFieldProblem("mustBeRandomKey", limits) });
}
