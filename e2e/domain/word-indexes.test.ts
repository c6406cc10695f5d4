import { expect, it } from "vitest";
import { sql } from "#lib/database/client.ts";
import { flushSearchIndexes, SEARCH_INDEXES } from "#lib/incidents/search-index-queries.ts";
import { createEvent, createIncident, createOrganization } from "#e2e/support/rows.ts";

/** Pages that were still beside an index; none are afterwards. */
async function waiting(index: string): Promise<number> {
  const [row] = await sql.$queryRaw<
    { pages: bigint }[]
  >`select gin_clean_pending_list(${index}::regclass) as pages`;
  return Number(row?.pages);
}

it.each(SEARCH_INDEXES.filter((index) => index.startsWith("incidents_")))(
  "words of what was written wait beside %s until they are moved into it",
  async (index) => {
    const { id: eventId } = await createEvent((await createOrganization()).id);
    await createIncident({ eventId });
    expect(await waiting(index)).toBeGreaterThan(0);
    await createIncident({ eventId });
    await flushSearchIndexes();
    expect(await waiting(index)).toBe(0);
  },
);
