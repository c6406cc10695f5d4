import { lockRow, lockRows } from "#lib/database/row-lock.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type { Tx } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";
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
  const columns = ["systemAdmin", "disabledAt"] as const;
  const person = await lockRow(tx, { table: "users", id: actor.id, strength: "share" }, columns);
  if (!person?.systemAdmin || person.disabledAt) throw createForbiddenError();
}

/** Locks SystemAdmins until the commit. @returns those who still are, and aren't disabled */
export async function lockSystemAdminIds(tx: Tx, where: Prisma.UserWhereInput): Promise<string[]> {
  const isSystemAdmin = { systemAdmin: true, disabledAt: null };
  const found = await tx.user.findMany({ where: { AND: [where, isSystemAdmin] }, select: { id: true } });
  const ids = found.map(({ id }) => id);
  const columns = ["id", "systemAdmin", "disabledAt"] as const;
  const people = await lockRows(tx, { table: "users", where: { id: ids } }, columns);
  return people.flatMap(({ id, systemAdmin, disabledAt }) => (systemAdmin && !disabledAt ? id : []));
}
