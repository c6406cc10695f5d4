import { queryWithCustomPlan } from "#lib/database/client.ts";
import type { SearchPlace } from "#lib/incidents/list-schema.ts";
import { searchPlacesSql } from "#lib/incidents/search-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";

/**
 * Returns where these incidents, which the actor may read, have words of a search: a function from an id to the places, in
 * no order.
 */
export async function findSearchPlaces(
  actor: Actor,
  ids: readonly string[],
  search: string,
): Promise<(id: string) => SearchPlace[]> {
  if (search.trim() === "" || ids.length === 0) return () => [];
  const rows = await queryWithCustomPlan<{ id: string; place: SearchPlace }>(
    searchPlacesSql(search, actor, ids),
  );
  const placesOf = Map.groupBy(rows, ({ id }) => id);
  return (id) => placesOf.get(id)?.map(({ place }) => place) ?? [];
}
