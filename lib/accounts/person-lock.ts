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
  const [found] = await tx.$queryRaw<{ email: string }[]>`
    select email from users
    where id = ${userId}::uuid and password_hash = ${passwordHash} and disabled_at is null for no key update`;
  return found?.email ?? null;
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
