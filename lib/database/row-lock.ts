import type { SqlClient } from "#lib/database/sql.ts";
import {
  Prisma,
  type Event,
  type Incident,
  type Organization,
  type User,
  type Webhook,
} from "#lib/generated/prisma/client.ts";

type LockableRows = {
  events: Event;
  incidents: Incident;
  organizations: Organization;
  users: User;
  webhooks: Webhook;
};

/**
 * Locks a row until the end of the transaction, so that others who lock or change it wait. What refers to the row can
 * still be added, unless the row is to be deleted.
 * @param columns what to read of it in the same statement
 * @returns these columns; undefined if there is no such row
 */
export async function lockRow<
  Table extends keyof LockableRows,
  Column extends keyof LockableRows[Table] & string = never,
>(
  tx: SqlClient,
  { table, id, toDelete = false }: { table: Table; id: string; toDelete?: boolean },
  columns: readonly Column[] = [],
): Promise<Pick<LockableRows[Table], Column> | undefined> {
  const selected = columns.map((name) => `, ${toColumnName(name)} as "${name}"`).join("");
  const strength = toDelete ? "update" : "no key update";
  const [row] = await tx.$queryRaw<Pick<LockableRows[Table], Column>[]>`
    select id${Prisma.raw(selected)} from ${Prisma.raw(table)} where id = ${id}::uuid for ${Prisma.raw(strength)}`;
  return row;
}

const toColumnName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
