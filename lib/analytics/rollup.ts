import { db } from "#lib/database/client.ts";

/** Each fold is one statement; this many changes of reports of all days take it a second or so. */
const MAX_CHANGES_PER_STATEMENT = 10_000;

/**
 * Moves what changed into the tallies that analytics adds up (docs/decisions/022). Until then it counts one by one, so
 * numbers are right at each moment, and quick as long as this is run now and then. Several processes may.
 * @returns how many changes were moved
 */
export async function rollUpReportChanges(): Promise<number> {
  let moved = 0;
  for (let last = MAX_CHANGES_PER_STATEMENT; last === MAX_CHANGES_PER_STATEMENT; moved += last) {
    const [row] = await db.$queryRaw<{ moved: bigint }[]>`
      select fold_report_changes(${MAX_CHANGES_PER_STATEMENT}::int) as moved`;
    last = Number(row?.moved ?? 0);
  }
  return moved;
}
