import { sql } from "#lib/database/client.ts";

/** Each rollup is one statement, which takes about a second for this many changes. */
const MAX_CHANGES_PER_STATEMENT = 10_000;

/**
 * Rolls up changed reports into the aggregates that analytics reads (docs/decisions/022). Queries count changes that
 * aren't rolled up yet one by one: their numbers are always correct, and fast as long as this runs regularly. Several
 * processes may run it at once.
 * @returns how many changes were rolled up
 */
export async function rollUpReportChanges(): Promise<number> {
  let moved = 0;
  for (let last = MAX_CHANGES_PER_STATEMENT; last === MAX_CHANGES_PER_STATEMENT; moved += last) {
    const [row] = await sql.$queryRaw<{ moved: bigint }[]>`
      select roll_up_report_changes(${MAX_CHANGES_PER_STATEMENT}::int) as moved`;
    last = Number(row?.moved ?? 0);
  }
  return moved;
}
