import type { Tx } from "#lib/database/client.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { createFieldProblem } from "#lib/i18n/error-text.ts";
import { createNotFoundError, InvalidInputError } from "#lib/operation/errors.ts";

/**
 * Locks the person's row until the commit, which serializes changes to their roles: grants, removals, and responses
 * to an invitation.
 * @throws AppError NOT_FOUND without such a user
 */
export async function lockPersonRow(tx: Tx, userId: string): Promise<void> {
  if (!(await lockRow(tx, { table: "users", id: userId }))) throw createNotFoundError("person");
}

/** Locks the row of whoever has an address, like `lockPersonRow`. @returns undefined if nobody has it, or no longer */
export async function findAndLockPersonByEmail(tx: Tx, email: string) {
  const found = await tx.user.findUnique({ where: { email }, select: { id: true } });
  const columns = ["id", "email", "name", "locale", "emailVerifiedAt", "disabledAt"] as const;
  const person = found ? await lockRow(tx, { table: "users", id: found.id }, columns) : undefined;
  return person?.email === email ? person : undefined;
}

/**
 * Locks the person's row like `lockPersonRow`, unless their account has been disabled or has got another password since
 * theirs was compared: that ends all sessions and tokens, so nobody gets one for the old password.
 * @param passwordHash the hash that the password matched
 * @returns the account's current email address, or null
 */
export async function lockPersonRowIfPasswordUnchanged(
  tx: Tx,
  userId: string,
  passwordHash: string,
): Promise<string | null> {
  const columns = ["email", "passwordHash", "disabledAt"] as const;
  const person = await lockRow(tx, { table: "users", id: userId }, columns);
  return person && person.passwordHash === passwordHash && !person.disabledAt ? person.email : null;
}

/** Does the same for the current password of somebody who is signed in. @throws InvalidInputError */
export async function assertPasswordUnchangedAndLockPersonRow(
  tx: Tx,
  userId: string,
  passwordHash: string,
): Promise<void> {
  if ((await lockPersonRowIfPasswordUnchanged(tx, userId, passwordHash)) === null)
    throw new InvalidInputError({ currentPassword: createFieldProblem("wrongPassword") });
}
