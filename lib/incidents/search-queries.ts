import { LRUCache } from "lru-cache";
import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { incidentReadableConditionSql, eventConditionSql } from "#lib/access/visibility-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { incidentNotHiddenSql } from "#lib/access/hidden-sql.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";
import {
  incidentFilterConditionsSql,
  MAX_INDEXED_OFFSET,
  computeOffset,
  computeRowLimitWithLookahead,
  orderBySql,
  computeRowLimitUpToPageEnd,
  incidentIdsOfPageSql,
  recentIncidentRowsOrFallbackSql,
  type IncidentListCriteria,
  type IncidentListPageStatements,
  type ActorIncidentListCriteria,
} from "#lib/incidents/list-sql.ts";

/**
 * Searches for words (docs/decisions/025). Counting the matches of a word that occurs in a third of a hundred thousand
 * reports takes the database a second, so each process caches how many reports of each event match a search. A count is
 * valid until something in the event changes.
 */

/**
 * How many of an event's reports match a search: `matching` of `reports`. `version` grows with each change in the event
 * that affects searches, and makes older counts invalid.
 */
export type EventSearchCount = { eventId: string; version: number; reports: number; matching: number };

/** Counts by event for each search key, without anything about who searched. */
const searchCounts = new LRUCache<string, Map<string, EventSearchCount>>({ max: 200 });

/** Below this, looking up each match takes no longer than the cached path. */
const MIN_MATCHES_TO_CACHE = 500;
/** How many events may be counted in addition to the cached ones. */
const MAX_UNCACHED_EVENTS = 4;

/** A search whose counts may be cached under `searchKey`. */
type CacheableSearch = {
  actor: Actor;
  events: string[];
  criteria: IncidentListCriteria;
  searchKey: string;
};

/**
 * Returns the search if its counts may be cached: it filters by text and state only, is sorted by date, and covers only
 * events whose team the actor is on.
 */
export function toCacheableSearch({
  actor,
  visibility,
  criteria,
}: ActorIncidentListCriteria): CacheableSearch | undefined {
  const {
    page: _page,
    limit: _limit,
    order: _order,
    lookahead: _lookahead,
    sort,
    search,
    status,
    ...others
  } = criteria;
  if (!search || sort !== "createdAt" || visibility.everything || visibility.own.length > 0) return undefined;
  if (Object.values(others).some((filter) => filter !== undefined)) return undefined;
  const searchKey = JSON.stringify([search, [...(status ?? [])].sort()]);
  return { actor, events: visibility.all, criteria, searchKey };
}

/**
 * Fetches a page of a search, and caches what it counted.
 * @param fetchPage runs the statement; `counts` of its result is what the statement's own `counts` selected, if
 *   anything
 */
export const fetchSearchPageAndCacheCounts = <Page extends { counts?: EventSearchCount[] | null }>(
  search: CacheableSearch,
  fetchPage: (query: IncidentListPageStatements) => Promise<Page>,
): Promise<Page> =>
  runAfterIdenticalSearch(search.searchKey, async () => {
    const page = await fetchPage(buildSearchQuery(search));
    if (page.counts) cacheSearchCounts(search.searchKey, page.counts);
    return page;
  });

/** Searches that run now and count their matches, by search key, while nothing is cached for the key yet. */
const firstSearches = new Map<string, Promise<unknown>>();

/**
 * Runs a search; if nothing is cached yet and the same search runs already, it waits for that one first. Otherwise all
 * concurrent requests would count a common word.
 */
export async function runAfterIdenticalSearch<T>(searchKey: string, search: () => Promise<T>): Promise<T> {
  const first = firstSearches.get(searchKey);
  if (first) await first.catch(() => undefined);
  if (first || searchCounts.has(searchKey)) return search();
  const results = search();
  firstSearches.set(searchKey, results);
  try {
    return await results;
  } finally {
    firstSearches.delete(searchKey);
  }
}

export function cacheSearchCounts(searchKey: string, counts: readonly EventSearchCount[]): void {
  const byEvent = searchCounts.get(searchKey) ?? new Map<string, EventSearchCount>();
  for (const count of counts) byEvent.set(count.eventId, count);
  searchCounts.set(searchKey, byEvent);
}

/** Returns the cached counts of these events; undefined if too few are cached. */
export function findCachedSearchCounts(
  searchKey: string,
  events: readonly string[],
): EventSearchCount[] | undefined {
  const byEvent = searchCounts.get(searchKey);
  const counts = events.flatMap((eventId) => byEvent?.get(eventId) ?? []);
  return counts.length > 0 && events.length - counts.length <= MAX_UNCACHED_EVENTS ? counts : undefined;
}

function buildSearchQuery(search: CacheableSearch): IncidentListPageStatements {
  const { searchKey, events, criteria } = search;
  const cached = findCachedSearchCounts(searchKey, events);
  return cached &&
    computeOffset(criteria) <= MAX_INDEXED_OFFSET &&
    isNewestFirstScanFasterForSearch(cached, computeRowLimitUpToPageEnd(criteria))
    ? buildCachedQuery(search, cached)
    : buildFullQuery(search);
}

/**
 * Returns whether scanning the newest reports until `pageEnd` of them match is faster than looking up all matches. It
 * is for a common word, not for a rare one.
 */
export function isNewestFirstScanFasterForSearch(
  counts: readonly EventSearchCount[],
  pageEnd: number,
): boolean {
  const { reports, matching } = sumCounts(counts);
  return matching >= MIN_MATCHES_TO_CACHE && matching * matching >= 4 * pageEnd * reports;
}

/** Estimates how many of the newest reports contain `pageEnd` matches, with a wide margin. */
export function estimateReportsToScanForMatches(
  counts: readonly EventSearchCount[],
  pageEnd: number,
): number {
  const { reports, matching } = sumCounts(counts);
  return Math.ceil((20 * pageEnd * reports) / matching);
}

const sumCounts = (counts: readonly EventSearchCount[]) =>
  counts.reduce(
    (sum, one) => ({ reports: sum.reports + one.reports, matching: sum.matching + one.matching }),
    { reports: 0, matching: 0 },
  );

/**
 * Finds all matches. If there are many, it also returns the count for each event, to be cached for everybody: incidents
 * hidden from the actor, or closed to them, count there.
 */
const buildFullQuery = ({ actor, events, criteria }: CacheableSearch): IncidentListPageStatements => ({
  found: Prisma.sql`matching as materialized (
      select i.id, i.state, i.created_at, i.event_id, i.conflict_check, i.reporter_id from incidents i where ${eventConditionSql(events)} and ${incidentFilterConditionsSql(actor, criteria)}
    ), found as materialized (${incidentIdsOfPageSql(criteria, Prisma.sql`matching i where ${isSearchableSql(actor)}`)}), ${eventVersionsSql(events)}`,
  total: Prisma.sql`select count(*) from matching i where ${isSearchableSql(actor)}`,
  counts: Prisma.sql`
    select json_agg(json_build_object('eventId', v.event_id, 'version', v.version, 'reports', v.reports, 'matching', coalesce(m.n, 0)))
    from event_versions v left join (select event_id, count(*) as n from matching group by 1) m using (event_id)
    where (select count(*) from matching) >= ${MIN_MATCHES_TO_CACHE}::int`,
});

/** Scans the newest incidents until the page is full, and counts matches only in events that have changed. */
function buildCachedQuery(
  search: CacheableSearch,
  cached: readonly EventSearchCount[],
): IncidentListPageStatements {
  const { actor, events, criteria } = search;
  const condition = incidentFilterConditionsSql(actor, criteria);
  const column = (name: "eventId" | "version" | "matching") => cached.map((one) => one[name]);
  const pageEnd = computeRowLimitUpToPageEnd(criteria);
  const hidden = actor.hiddenIncidentIds;
  return {
    found: Prisma.sql`${eventVersionsSql(events)}, unchanged as materialized (
        select v.event_id, k.matching from event_versions v
        join unnest(${column("eventId")}::uuid[], ${column("version")}::bigint[], ${column("matching")}::int[]) as k(event_id, version, matching)
          using (event_id, version)
      ), recounted as materialized (
        select v.*, n.matching from event_versions v cross join lateral (
          select count(*) as matching from incidents i where i.event_id = v.event_id and ${condition}
        ) n where v.event_id not in (select event_id from unchanged)
      ), recent as materialized (
        select i.id, i.created_at from (
          select i.* from incidents i order by ${orderBySql(criteria)} limit ${estimateReportsToScanForMatches(cached, pageEnd)}::bigint
        ) i where ${eventConditionSql(events)} and ${condition} and ${isSearchableSql(actor)} order by ${orderBySql(criteria)} limit ${pageEnd}::bigint
      ), found as materialized (
        select i.id from (${recentIncidentRowsOrFallbackSql(firstMatchesPerEventSql(search), criteria)}) i order by ${orderBySql(criteria)}
        limit ${computeRowLimitWithLookahead(criteria)}::bigint offset ${computeOffset(criteria)}::bigint
      )`,
    total: Prisma.sql`
      select ((select coalesce(sum(matching), 0) from unchanged) + (select coalesce(sum(matching), 0) from recounted)
        - (select count(*) from incidents i where i.id = any(${hidden}::uuid[]) and ${eventConditionSql(events)} and ${condition})
        - (select count(*) from incidents i where ${isConflictCheckUnansweredSql(actor.id)} and ${incidentNotHiddenSql(hidden)} and ${eventConditionSql(events)} and ${condition}))::bigint`,
    counts: Prisma.sql`
      select json_agg(json_build_object('eventId', event_id, 'version', version, 'reports', reports, 'matching', matching))
      from recounted`,
  };
}

const isSearchableSql = (actor: Actor) => incidentReadableConditionSql(actor.hiddenIncidentIds, actor.id);

/** The first matches of each event, as many as the page may need. */
const firstMatchesPerEventSql = ({ actor, events, criteria }: CacheableSearch): Prisma.Sql => Prisma.sql`
  select f.id, f.created_at from unnest(${events}::uuid[]) as v(event_id) cross join lateral (
    select i.id, i.created_at from incidents i where i.event_id = v.event_id and ${incidentFilterConditionsSql(actor, criteria)}
      and ${isSearchableSql(actor)} order by ${orderBySql(criteria)} limit ${computeRowLimitUpToPageEnd(criteria)}::bigint
  ) f`;

/** The version of each event, which grows with every change, and its number of reports. */
const eventVersionsSql = (events: string[]): Prisma.Sql => Prisma.sql`event_versions as materialized (
    select n.event_id, sum(n.changes)::bigint as version,
      sum(${sumStateCountsSql("n", INCIDENT_STATES)})::bigint as reports
    from incident_counts n where n.event_id = any(${events}::uuid[]) group by n.event_id
  )`;

/**
 * Merges recently written words from each index's pending list into the index. A search scans that list from end to
 * end, and the writer who fills it (32 MB, gin_pending_list_limit) has to flush it; a flush every minute keeps it
 * short.
 */
export async function flushSearchIndexes(): Promise<void> {
  for (const index of ["incidents_title_trgm", "incidents_description_trgm"])
    await sql.$queryRaw`select gin_clean_pending_list(${index}::regclass)`;
}
