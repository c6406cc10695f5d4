import { z } from "zod";
import { createFieldProblem, encodeFieldProblem } from "#lib/i18n/error-text.ts";
import { env } from "#lib/env.ts";
import { runPasswordHashingTask } from "#lib/accounts/hash-pool.ts";
import { type Lane } from "#lib/fair-queue.ts";
import { isCommonPassword, isGuessablePassword } from "#lib/accounts/password-guesses.ts";
import { InvalidInputError } from "#lib/operation/errors.ts";

/** bcrypt would truncate longer passwords, so they are rejected (contract 4.4). */
const MAX_PASSWORD_BYTES = 72;
export const MIN_PASSWORD_LENGTH = 8;

/** A new password: stored exactly as typed, without composition rules (contract 4.4). */
export const newPasswordInput = z
  .string(encodeFieldProblem("mustBeText"))
  .refine((value) => value.isWellFormed() && !value.includes("\0"), encodeFieldProblem("unusableCharacters"))
  .refine(
    (value) => [...value].length >= MIN_PASSWORD_LENGTH,
    encodeFieldProblem("mustHaveMinLength", { min: MIN_PASSWORD_LENGTH }),
  )
  .refine(
    (value) => Buffer.byteLength(value) <= MAX_PASSWORD_BYTES,
    encodeFieldProblem("passwordTooLong", { max: MAX_PASSWORD_BYTES }),
  )
  .refine((value) => !env().production || !isCommonPassword(value), encodeFieldProblem("commonPassword"))
  .refine(
    (value) => !env().production || !isGuessablePassword(value),
    encodeFieldProblem("guessablePassword"),
  )
  .meta({ type: "string", minLength: MIN_PASSWORD_LENGTH, format: "password" });

/** A password entered to sign in: without rules, since it only has to match. */
export const enteredPasswordInput = z
  .string(encodeFieldProblem("mustBeText"))
  .max(1000, encodeFieldProblem("mustHaveMaxLength", { max: 1000 }))
  .meta({ type: "string", format: "password" });

type PasswordOwner = { email: string; name: string };

/**
 * Refuses a new password that consists of the owner's address or name, or of this service's name (production mode,
 * contract 4.4).
 * @param field the field of the input that holds the password
 * @throws InvalidInputError
 */
export function refusePersonalPassword(password: string, owner: PasswordOwner, field: string): void {
  if (!env().production || !isGuessablePassword(password, listGuessablePasswordTerms(owner))) return;
  throw new InvalidInputError({ [field]: createFieldProblem("personalPassword") });
}

const PRODUCT_NAME = "heed";
/** Shorter parts of a name or an address occur by chance. */
const MIN_PERSONAL_TERM_LENGTH = 3;

/** Returns the terms that a guesser who knows the owner would try first, in lower case. */
export function listGuessablePasswordTerms({ email, name }: PasswordOwner): ReadonlySet<string> {
  const address = email.toLowerCase();
  const fullName = name.toLowerCase();
  const parts = `${address} ${fullName}`.split(/[^\p{L}\p{N}]+/u);
  const terms = [
    address,
    address.split("@", 1)[0] ?? "",
    fullName,
    fullName.replaceAll(/\s/gu, ""),
    ...parts,
  ];
  return new Set([PRODUCT_NAME, ...terms].filter((term) => term.length >= MIN_PERSONAL_TERM_LENGTH));
}

/**
 * Hashes with bcrypt in a worker thread, at `PASSWORD_COST`.
 * @throws AppError SERVICE_UNAVAILABLE when too many passwords wait to be hashed
 */
export async function hashPassword(password: string, lane: Lane): Promise<string> {
  const hash = await runPasswordHashingTask(lane, async () => ({
    kind: "hash",
    password,
    cost: env().PASSWORD_COST,
  }));
  if (typeof hash !== "string") throw new Error("a hash that is no text");
  return hash;
}

/**
 * Returns the record that the password belongs to, or null. Without a record (unknown account) it does the same work,
 * so that both take the same time (contract 4.2). A rejected attempt costs no lookup.
 * @throws AppError SERVICE_UNAVAILABLE where too many wait
 */
export async function findRecordIfPasswordMatches<Found extends { passwordHash: string }>(
  password: string,
  find: () => Promise<Found | null>,
  lane: Lane,
): Promise<Found | null> {
  const usable = canBePassword(password);
  let found: Found | null = null;
  const matches = await runPasswordHashingTask(lane, async () => {
    found = await find();
    return {
      kind: "compare",
      password: usable ? password : "",
      hash: found?.passwordHash ?? getDummyHash(),
      cost: env().PASSWORD_COST,
    };
  });
  return matches === true && usable ? found : null;
}

/** bcrypt would truncate a longer one, and the libraries differ in how they treat malformed text and NUL. */
const canBePassword = (password: string): boolean =>
  Buffer.byteLength(password) <= MAX_PASSWORD_BYTES && password.isWellFormed() && !password.includes("\0");

/** A hash that matches no password and takes as long to compare as a real one. */
const getDummyHash = (): string =>
  `$2b$${String(env().PASSWORD_COST).padStart(2, "0")}$lWetZDIdff9N1CPFEmNgGew2lOsgLRi0MUzMsFsa9eFIUFQTdn4T.`;
