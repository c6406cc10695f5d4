import type { SqlClient } from "#lib/database/sql.ts";
import { createForbiddenError } from "#lib/operation/errors.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Checks again, inside the transaction, that the actor is a SystemAdmin, and locks the row so that it stays true
 * until the commit.
 * @throws AppError FORBIDDEN
 */
export async function assertAndLockSystemAdmin(
  tx: Pick<SqlClient, "$queryRaw">,
  actor: Actor,
): Promise<void> {
  const held = await tx.$queryRaw<unknown[]>`
    select 1 from users where id = ${actor.id}::uuid and system_admin and disabled_at is null for share`;
  if (held.length === 0) throw createForbiddenError();
}
