/**
 * A cache of how many reports of each event match a search (docs/decisions/025). Counting a word that occurs in a
 * third of a hundred thousand reports takes the database a second, since it has to check each of them. A count stays
 * valid until something in the event changes.
 */

/** The count for one event. `version` grows with each change that affects searches. */
export type SearchCount = { eventId: string; version: number; reports: number; matching: number };

/** By search key and event; the most recently used search is last. It doesn't record for whom it was counted. */
const searchCache = new Map<string, Map<string, SearchCount>>();
const MAX_CACHED_SEARCHES = 200;

/** Below this, looking up each match takes no longer than the cached path. */
export const MIN_MATCHES_TO_CACHE = 500;

/** Returns the cached counts of these events; undefined if too few are cached. */
export function findCachedCounts(searchKey: string, events: readonly string[]): SearchCount[] | undefined {
  const cachedCounts = searchCache.get(searchKey);
  if (!cachedCounts) return undefined;
  searchCache.delete(searchKey);
  searchCache.set(searchKey, cachedCounts);
  const results = events.flatMap((eventId) => cachedCounts.get(eventId) ?? []);
  return results.length > 0 && events.length - results.length <= MAX_UNCACHED_EVENTS ? results : undefined;
}

/** How many events may be counted in addition to the cached ones. */
const MAX_UNCACHED_EVENTS = 4;

/** Searches now running for the first time. */
const pendingSearches = new Map<string, Promise<void>>();

/**
 * Runs a search. If the same search is running for the first time, it waits for that one, so that a common word, which
 * takes a second, is counted once and not by every concurrent request.
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

/** Caches counts until enough other searches displace them. */
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
 * Whether scanning the newest reports until `pageEnd` of them match is faster than looking up all matches. It is for a
 * common word, not for a rare one.
 */
export function isCommonSearch(results: readonly SearchCount[], pageEnd: number): boolean {
  const { reports, matching } = sumCounts(results);
  return matching >= MIN_MATCHES_TO_CACHE && matching * matching >= 4 * pageEnd * reports;
}

/** Estimates how many of the newest reports contain `pageEnd` matches, with a wide margin. */
export function estimateScanLimit(results: readonly SearchCount[], pageEnd: number): number {
  const { reports, matching } = sumCounts(results);
  return Math.ceil((20 * pageEnd * reports) / matching);
}

const sumCounts = (results: readonly SearchCount[]) =>
  results.reduce(
    (sum, one) => ({ reports: sum.reports + one.reports, matching: sum.matching + one.matching }),
    { reports: 0, matching: 0 },
  );
