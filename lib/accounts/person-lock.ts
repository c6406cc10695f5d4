import type { Tx } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";

/**
 * Has changes to the roles of a person follow one another until the commit: grants, removals, and what they do with an
 * invitation. @throws AppError NOT_FOUND without such a user
 */
export async function lockPerson(tx: Tx, userId: string): Promise<void> {
  const found = await tx.$queryRaw<unknown[]>`
    select 1 from users where id = ${userId}::uuid for no key update`;
  if (found.length === 0) throw notFound("This person");
}
