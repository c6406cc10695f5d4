import { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * SQL for the time of a change: now, and later than the change before, so that no two versions of a record have one time.
 * @param alias that of the table in the statement, where another table has the column, too
 */
export const nextUpdatedAtSql = (alias?: string): Prisma.Sql => {
  const before = alias === undefined ? "updated_at" : `${alias}.updated_at`;
  return Prisma.raw(
    `greatest(date_trunc('milliseconds', clock_timestamp()), ${before} + interval '1 millisecond')`,
  );
};

/** The same time for a row that is locked. */
export const computeNextUpdatedAt = (before: Date): Date =>
  new Date(Math.max(Date.now(), before.getTime() + 1));
