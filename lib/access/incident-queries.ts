import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Evaluates conditions on incident `i` in one statement, such as who may read it at the moment.
 * @returns by the names of the conditions whether each holds; undefined where there is no such incident
 */
export async function evaluateIncidentConditions<Name extends string>(
  client: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  conditions: Record<Name, Prisma.Sql>,
): Promise<Record<Name, boolean> | undefined> {
  const columns = Object.entries<Prisma.Sql>(conditions).map(
    ([name, condition]) => Prisma.sql`coalesce(${condition}, false) as ${Prisma.raw(`"${name}"`)}`,
  );
  const [row] = await client.$queryRaw<Record<Name, boolean>[]>`
    select ${Prisma.join(columns)} from incidents i where i.id = ${incidentId}::uuid`;
  return row;
}
