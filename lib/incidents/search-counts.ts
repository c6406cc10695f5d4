/**
 * How many reports of each event a search has found, as the event stood then (docs/decisions/025). A word that stands in
 * a third of all reports takes the database a second for a hundred thousand of them, since each has to be looked at to
 * say how many there are; the number stays right until something changes in the event.
 */

/** What was found of an event. `version` grows with each change that a search goes by. */
export type SearchCount = { eventId: string; version: number; reports: number; matching: number };

/** By what was looked for, and by event; the last one used is the last. It says nothing of whom it was counted for. */
const searchCache = new Map<string, Map<string, SearchCount>>();
const MAX_CACHED_SEARCHES = 200;

/** With fewer than these, looking each of them up takes as long as this would. */
export const MIN_MATCHES_TO_CACHE = 500;

/** What is known of these events; undefined where too little is. */
export function findCachedCounts(searchKey: string, events: readonly string[]): SearchCount[] | undefined {
  const cachedCounts = searchCache.get(searchKey);
  if (!cachedCounts) return undefined;
  searchCache.delete(searchKey);
  searchCache.set(searchKey, cachedCounts);
  const results = events.flatMap((eventId) => cachedCounts.get(eventId) ?? []);
  return results.length > 0 && events.length - results.length <= MAX_UNCACHED_EVENTS ? results : undefined;
}

/** So many events are counted beside those that are known. */
const MAX_UNCACHED_EVENTS = 4;

/** What is being looked for that was never looked for before. */
const pendingSearches = new Map<string, Promise<void>>();

/**
 * Runs a search. Where the same is being looked for for the first time, it waits for that, so that what takes a second
 * for a common word is done once, not by everybody who looks for it in that second.
 */
export async function runAfterPendingSearch<T>(searchKey: string, search: () => Promise<T>): Promise<T> {
  const pendingSearch = searchCache.has(searchKey) ? undefined : pendingSearches.get(searchKey);
  if (pendingSearch) await pendingSearch;
  if (searchCache.has(searchKey) || pendingSearches.has(searchKey)) return search();
  const results = search();
  const completion = results.then(
    () => {},
    () => {},
  );
  pendingSearches.set(searchKey, completion);
  void completion.then(() => pendingSearches.delete(searchKey));
  return results;
}

/** Keeps what was found until something else has been looked for often enough. */
export function cacheSearchCounts(searchKey: string, results: readonly SearchCount[]): void {
  const cachedCounts = searchCache.get(searchKey) ?? new Map<string, SearchCount>();
  for (const one of results) cachedCounts.set(one.eventId, one);
  searchCache.set(searchKey, cachedCounts);
  for (const oldest of searchCache.keys()) {
    if (searchCache.size <= MAX_CACHED_SEARCHES) break;
    searchCache.delete(oldest);
  }
}

/**
 * Whether going through the newest reports until `last` of them match is quicker than looking up all that match: for a
 * common word, not for a rare one.
 */
export function isCommonSearch(results: readonly SearchCount[], pageEnd: number): boolean {
  const { reports, matching } = sumCounts(results);
  return matching >= MIN_MATCHES_TO_CACHE && matching * matching >= 4 * pageEnd * reports;
}

/** How many of the newest have `last` that match among them, by far. */
export function estimateScanLimit(results: readonly SearchCount[], pageEnd: number): number {
  const { reports, matching } = sumCounts(results);
  return Math.ceil((20 * pageEnd * reports) / matching);
}

const sumCounts = (results: readonly SearchCount[]) =>
  results.reduce(
    (sum, one) => ({ reports: sum.reports + one.reports, matching: sum.matching + one.matching }),
    { reports: 0, matching: 0 },
  );
