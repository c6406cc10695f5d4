import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type * as rows from "#lib/generated/prisma/client.ts";

type LockableRows = {
  conversations: rows.Conversation;
  event_roles: rows.EventRole;
  events: rows.Event;
  incidents: rows.Incident;
  organization_members: rows.OrganizationMember;
  organizations: rows.Organization;
  related_files: rows.RelatedFile;
  second_factors: rows.SecondFactor;
  users: rows.User;
  webhooks: rows.Webhook;
};

/** Everybody locks several rows of a table in this order, so that no two transactions wait for each other. */
const LOCKING_ORDERS: { [Table in keyof LockableRows]?: string } = {
  event_roles: "event_id, user_id, id",
  organization_members: "organization_id, user_id",
  second_factors: "user_id",
};

/**
 * How others wait. `no key update`: those who lock or change the row; what refers to it can still be added. `update`: these,
 * too, for a row that is to be deleted. `share`: those who change or delete it. `key share`: those who delete it.
 */
type LockStrength = "no key update" | "update" | "share" | "key share";

type IdColumn<Row> = keyof Row & ("id" | `${string}Id`);
type RowsToLock<Table extends keyof LockableRows> = {
  table: Table;
  /** Ids that the rows have; of several in a list, one. */
  where: { [Column in IdColumn<LockableRows[Table]>]?: string | string[] };
  strength?: LockStrength;
};

/**
 * Locks rows until the end of the transaction.
 * @param columns what to read of them in the same statement, as it is once they are locked
 */
export function lockRows<
  Table extends keyof LockableRows,
  Column extends keyof LockableRows[Table] & string = never,
>(
  tx: Pick<SqlClient, "$queryRaw">,
  { table, where, strength = "no key update" }: RowsToLock<Table>,
  columns: readonly Column[] = [],
): Promise<Pick<LockableRows[Table], Column>[]> {
  const selected = columns.map((name) => `${toColumnName(name)} as "${name}"`).join(", ") || "1";
  const conditions = Object.entries(where).map(
    ([name, ids]) => Prisma.sql`${Prisma.raw(toColumnName(name))} = any(${[ids].flat()}::uuid[])`,
  );
  return tx.$queryRaw<Pick<LockableRows[Table], Column>[]>`
    select ${Prisma.raw(selected)} from ${Prisma.raw(table)} where ${Prisma.join(conditions, " and ")}
    order by ${Prisma.raw(LOCKING_ORDERS[table] ?? "id")} for ${Prisma.raw(strength)}`;
}

/** Locks one row by its id, like `lockRows`. @returns the columns; undefined if there is no such row */
export async function lockRow<
  Table extends keyof LockableRows,
  Column extends keyof LockableRows[Table] & string = never,
>(
  tx: Pick<SqlClient, "$queryRaw">,
  { table, id, strength }: Omit<RowsToLock<Table>, "where"> & { id: string },
  columns: readonly Column[] = [],
): Promise<Pick<LockableRows[Table], Column> | undefined> {
  const [row] = await lockRows(
    tx,
    { table, where: { id } as RowsToLock<Table>["where"], ...(strength && { strength }) },
    columns,
  );
  return row;
}

const toColumnName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
