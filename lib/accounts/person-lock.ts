import type { Tx } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";

/**
 * Locks the person's row until the commit, which serializes changes to their roles: grants, removals, and responses
 * to an invitation.
 * @throws AppError NOT_FOUND without such a user
 */
export async function lockPersonRow(tx: Tx, userId: string): Promise<void> {
  const found = await tx.$queryRaw<unknown[]>`
    select 1 from users where id = ${userId}::uuid for no key update`;
  if (found.length === 0) throw createNotFoundError("person");
}
