import { sql } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";

/**
 * Finds the ids of one page of a list, in its order, and how many the whole list has, in one statement: for lists whose
 * condition or order Prisma can't say.
 * @param matching selects `id` and what the order names
 * @param order ends with `id`
 */
export async function findPageOfIds(
  matching: Prisma.Sql,
  order: Prisma.Sql,
  { page, limit }: { page: number; limit: number | undefined },
): Promise<{ ids: string[]; total: number }> {
  const offset = (page - 1) * (limit ?? 0);
  // The list stands twice, so that an index can serve the page.
  const rows = await sql.$queryRaw<{ id: string | null; total: number }[]>`
    select shown.id, counted.total from (select count(*)::int as total from (${matching}) matching) counted
    left join (
      select * from (${matching}) matching order by ${order} limit ${limit ?? null}::bigint offset ${offset}::bigint
    ) shown on true
    order by ${order}`;
  return { ids: rows.flatMap(({ id }) => id ?? []), total: rows[0]?.total ?? 0 };
}

/** Puts records into the order of their ids; ids without a record are left out. */
export function sortByIds<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
