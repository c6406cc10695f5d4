import { Prisma } from "#lib/generated/prisma/client.ts";
import { db, withCustomPlan } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { toLikePattern } from "#lib/operation/fields.ts";
import {
  rawJson,
  type JsonMember,
  nullableJson,
  jsonObject,
  nullableJsonObject,
  jsonString,
  jsonTime,
  jsonUnescapedString,
} from "#lib/incidents/json-sql.ts";
import {
  runAfterPendingSearch,
  estimateScanLimit,
  isCommonSearch,
  cacheSearchCounts,
  findCachedCounts,
  MIN_MATCHES_TO_CACHE,
  type SearchCount,
} from "#lib/incidents/search-counts.ts";
import {
  eventRolesOf,
  findIncidentVisibility,
  isTeamMember,
  hasSystemAccessTo,
  type Actor,
  type IncidentVisibility,
} from "#lib/operation/policy.ts";
import {
  OPEN_STATES,
  INCIDENT_STATES,
  type CONTACT_METHODS,
  type CrossEventIncidentQuery,
  type AssigneeFilter,
  type AwaitingSide,
  type DueFilter,
  type IncidentListQuery,
  type RelatedFile,
  type Severity,
  type IncidentState,
} from "#lib/incidents/schema.ts";

/** An incident with its related records. Times are already text, as the API writes them (contract 3.6). */
export type IncidentRow = {
  id: string;
  title: string;
  description: string;
  state: IncidentState;
  severity: Severity | null;
  incidentAt: string | null;
  location: string | null;
  parties: string | null;
  eventId: string;
  reporterId: string | null;
  assignedResponderId: string | null;
  resolution: string | null;
  /** The resolution is internal to the team. */
  resolutionInternal: boolean;
  firstResponseAt: string | null;
  resolvedAt: string | null;
  escalatedAt: string | null;
  reopenedAt: string | null;
  createdAt: string;
  updatedAt: string;
  type: string | null;
  contactMethod: (typeof CONTACT_METHODS)[number];
  event: { id: string; name: string; slug: string };
  reporter: Person | null;
  assignedResponder: Person | null;
  relatedFiles: RelatedFile[];
};

type Person = { id: string; name: string; email: string | null };

/** Finds one incident of one event; both ids must match (contract 3.5). Null without a match. */
export async function findIncident(
  client: SqlClient,
  eventId: string,
  incidentId: string,
): Promise<IncidentRow | null> {
  const [found] = await client.$queryRaw<{ record: string }[]>`
    ${selectRecordSql(Prisma.sql`incidents`)} where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;
  return found ? parseIncidentRecord(found.record) : null;
}

/** Selects each incident `i` of a table, or of rows just written to it, as `record`, for `parseIncidentRecord`. */
export const selectRecordSql = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select ${UNREDACTED_RECORD_JSON} as record from ${source} i ${RELATED_JOINS}`;

export const parseIncidentRecord = (record: string): IncidentRow => JSON.parse(record) as IncidentRow;

/**
 * Returns what the actor may see of a row. Below the team it omits other people's addresses, the team's own files and
 * an internal resolution (contract 7.1).
 */
export function redactIncident(actor: Actor, row: IncidentRow): IncidentRow {
  if (isTeamMember(actor, row.eventId)) return row;
  const relatedFiles = row.relatedFiles
    .filter(({ visibleToReporter, uploadedBy }) => visibleToReporter || uploadedBy?.id === actor.id)
    .map((file) => ({ ...file, uploadedBy: undefined, visibleToReporter: undefined }));
  const hideEmail = (person: Person | null) =>
    person && (person.id === actor.id ? person : { ...person, email: null });
  return {
    ...row,
    resolution: row.resolutionInternal ? null : row.resolution,
    reporter: hideEmail(row.reporter),
    assignedResponder: hideEmail(row.assignedResponder),
    relatedFiles,
  };
}

export type IncidentPage = { incidents: IncidentRow[]; total: number };

/** Lists the incidents of one event that the actor may see. */
export const listEventIncidents = (
  actor: Actor,
  eventId: string,
  query: IncidentListQuery,
): Promise<IncidentPage> =>
  listIncidents(actor, findIncidentVisibility(actor, eventId), toListCriteria(query));

/** The same as JSON text; undefined if anything must be redacted for the actor. */
export const listEventIncidentsText = (actor: Actor, eventId: string, query: IncidentListQuery) =>
  listIncidentsText(actor, findIncidentVisibility(actor, eventId), toListCriteria(query));

/** Lists the incidents across all events that the actor may see (contract 7.13). `event` takes ids and slugs. */
export const listIncidentsAcrossEvents = async (
  actor: Actor,
  { event, ...query }: CrossEventIncidentQuery,
): Promise<IncidentPage> =>
  listIncidents(actor, await resolveVisibility(actor, event), toListCriteria(query));

/** The same as JSON text; undefined if anything must be redacted for the actor. */
export const listIncidentsAcrossEventsText = async (
  actor: Actor,
  { event, ...query }: CrossEventIncidentQuery,
) => listIncidentsText(actor, await resolveVisibility(actor, event), toListCriteria(query));

const toListCriteria = (query: IncidentListQuery): ListCriteria => ({
  ...query,
  severity: query.severity ?? query.priority,
});

/** Returns what the actor may see of these events, given by id or slug, or of all events if none is given. */
export async function resolveVisibility(
  actor: Actor,
  events: readonly string[] | undefined,
): Promise<IncidentVisibility> {
  if (events === undefined) return findIncidentVisibility(actor);
  const ids = await resolveEventIds(actor, events);
  const each = ids.map((id) => findIncidentVisibility(actor, id));
  const mergeEventIds = (name: "all" | "own") => each.flatMap((one) => (one.everything ? [] : one[name]));
  return { everything: false, all: mergeEventIds("all"), own: mergeEventIds("own") };
}

async function resolveEventIds(actor: Actor, events: readonly string[]): Promise<string[]> {
  const criteria = events.map((event) => event.toLowerCase());
  const named = ({ eventId, slug }: { eventId: string; slug: string }) =>
    criteria.includes(eventId) || events.includes(slug);
  if (!actor.systemAdmin && !actor.token?.system)
    return actor.events.filter(named).map(({ eventId }) => eventId);
  const found = await db.$queryRaw<{ id: string }[]>`
    select id from events where slug = any(${[...events]}::text[]) or id::text = any(${criteria}::text[])`;
  return found
    .map(({ id }) => id)
    .filter((id) => hasSystemAccessTo(actor, id) || eventRolesOf(actor, id).length > 0);
}

type UserIncidentsQuery = IncidentListQuery & { type: "submitted" | "assigned" | "all" };

/** Lists what one person reported in an event or is assigned to there, newest first. */
export function listIncidentsOfUser(
  actor: Actor,
  eventId: string,
  userId: string,
  query: UserIncidentsQuery,
): Promise<IncidentPage> {
  const submitted = Prisma.sql`i.reporter_id = ${userId}::uuid`;
  const assigned = Prisma.sql`i.assigned_responder_id = ${userId}::uuid`;
  const submittedOrAssigned = Prisma.sql`(${submitted} or ${assigned})`;
  const person = { submitted, assigned, all: submittedOrAssigned }[query.type];
  return listIncidents(actor, findIncidentVisibility(actor, eventId), {
    ...query,
    severity: query.severity ?? query.priority,
    person,
  });
}

/** Lists the ids of incidents that the actor pinned and may still see, in one event or in all (contract 7.14). */
export async function listPinnedIncidentIds(actor: Actor, eventId?: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    select i.id from pins p join incidents i on i.id = p.incident_id
    where p.user_id = ${actor.id}::uuid and ${eventId ? Prisma.sql`p.event_id = ${eventId}::uuid` : Prisma.sql`true`}
      and ${visibilityCondition(findIncidentVisibility(actor, eventId), actor)}
    order by p.created_at desc, i.id`;
  return rows.map(({ id }) => id);
}

type IncidentTitleMatch = {
  id: string;
  title: string;
  state: IncidentState;
  createdAt: string;
  event: { id: string; name: string; slug: string };
};

/**
 * How many matches are considered to find the newest ones, so that a word found in every title doesn't sort them all.
 */
const MAX_TITLE_CANDIDATES = 200;

/** Finds incidents that the actor may see by words in the title or by id, newest first. */
export async function findIncidentsByTitleOrId(
  actor: Actor,
  criteria: { search: string; id: string | null },
  limit: number,
): Promise<IncidentTitleMatch[]> {
  const visibility = findIncidentVisibility(actor);
  if (isEmptyVisibility(visibility)) return [];
  const title = Prisma.sql`i.title ilike ${toLikePattern(criteria.search)}`;
  const named = criteria.id ? Prisma.sql`(${idPrefixCondition(criteria.id)} or ${title})` : title;
  const rows = await withCustomPlan<{ row: IncidentTitleMatch }>(Prisma.sql`
    with found as materialized (
      select i.id, i.title, i.state, i.created_at, i.event_id from incidents i
      where ${visibilityCondition(visibility, actor)} and ${named} limit ${MAX_TITLE_CANDIDATES}::int
    )
    select json_build_object('id', i.id, 'title', i.title, 'state', i.state, 'createdAt', i.created_at,
      'event', json_build_object('id', e.id, 'name', e.name, 'slug', e.slug)) as row
    from found i join events e on e.id = i.event_id order by i.created_at desc, i.id desc limit ${limit}::int`);
  return rows.map(({ row }) => ({ ...row, createdAt: toIsoTime(row.createdAt) }));
}

/**
 * Matches a whole id or its first eight digits. Ids are ordered, so ids with the same prefix are adjacent in the
 * index.
 */
function idPrefixCondition(start: string): Prisma.Sql {
  const [from, to] = ["0", "f"].map(
    (digit) => start + `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.slice(start.length).replaceAll("x", digit),
  );
  return Prisma.sql`i.id between ${from}::uuid and ${to}::uuid`;
}

type ListCriteria = Omit<IncidentListQuery, "priority"> & { person?: Prisma.Sql };

/**
 * Runs one statement for the page and its total, whatever the filters. The database returns the records as JSON:
 * decoding some thirty columns a row costs the driver more than the whole query costs the database
 * (docs/performance.md).
 */
async function listIncidents(
  actor: Actor,
  visibility: IncidentVisibility,
  criteria: ListCriteria,
): Promise<IncidentPage> {
  const { records, total } = await fetchPageText(
    { actor, visibility, wanted: criteria },
    UNREDACTED_RECORD_JSON,
  );
  const rows = JSON.parse(`[${records}]`) as IncidentRow[];
  return { incidents: rows.map((row) => redactIncident(actor, row)), total };
}

/** A page as the members of a JSON array, in the shape of the contract. */
export type IncidentPageText = { records: string; total: number };

/**
 * Returns a page as JSON text that needs no parsing, for an actor on the team of all requested events, who may see
 * everything. Undefined for anybody else, whose rows `redactIncident` has to process.
 */
function listIncidentsText(
  actor: Actor,
  visibility: IncidentVisibility,
  criteria: ListCriteria,
): Promise<IncidentPageText> | undefined {
  const seesEverything = visibility.everything
    ? actor.systemAdmin
    : visibility.own.length === 0 && visibility.all.every((eventId) => isTeamMember(actor, eventId));
  return seesEverything ? fetchPageText({ actor, visibility, wanted: criteria }, RECORD_JSON) : undefined;
}

/**
 * Lists a page of what the actor may see across events, in another shape.
 * @param projection SQL of JSON text for an incident `i` with RELATED_JOINS
 */
export const listIncidentProjectionsAcrossEvents = async (
  actor: Actor,
  { event, ...query }: CrossEventIncidentQuery,
  projection: Prisma.Sql,
): Promise<IncidentPageText> =>
  fetchPageText(
    { actor, visibility: await resolveVisibility(actor, event), wanted: toListCriteria(query) },
    projection,
  );

/** The same for one event. */
export const listEventIncidentProjections = (
  actor: Actor,
  { eventId, ...query }: IncidentListQuery & { eventId: string },
  projection: Prisma.Sql,
): Promise<IncidentPageText> =>
  fetchPageText(
    { actor, visibility: findIncidentVisibility(actor, eventId), wanted: toListCriteria(query) },
    projection,
  );

async function fetchPageText(pageRequest: PageRequest, projection: Prisma.Sql): Promise<IncidentPageText> {
  const { visibility, wanted: criteria } = pageRequest;
  if (isEmptyVisibility(visibility)) return { records: "", total: 0 };
  const search = toCacheableSearch(pageRequest);
  if (search) return fetchSearchPageText(search, projection);
  const { found, total } = buildPageQuery(pageRequest);
  const statement = Prisma.sql`
    with ${found} select (${total}) as total, ${aggregateRecordsSql(criteria, projection)} as records`;
  const [page] = criteria.search
    ? await withCustomPlan<PageRow>(statement)
    : await db.$queryRaw<PageRow[]>(statement);
  return toPageText(page);
}

type PageRow = { records: string | null; total: bigint };

const toPageText = (page: PageRow | undefined): IncidentPageText => ({
  records: page?.records ?? "",
  total: Number(page?.total ?? 0),
});

/** The records of the page whose ids are in `found`, in order. */
const aggregateRecordsSql = (criteria: ListCriteria, projection: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  select string_agg(r.record, ',') from (
    select ${projection} as record from found join incidents i on i.id = found.id ${RELATED_JOINS} order by ${orderBySql(criteria)}
  ) r)`;

/** `looked`: the cache key of the search. */
type CacheableSearch = { actor: Actor; events: string[]; wanted: ListCriteria; looked: string };

/** Returns the search if its counts may be cached: only text and states, in events whose team the actor is on. */
function toCacheableSearch({
  actor,
  visibility,
  wanted: criteria,
}: PageRequest): CacheableSearch | undefined {
  const { page: _page, limit: _limit, order: _order, sort, search, status, ...others } = criteria;
  if (!search || sort !== "createdAt" || visibility.everything || visibility.own.length > 0) return undefined;
  if (Object.values(others).some((filter) => filter !== undefined)) return undefined;
  const searchKey = JSON.stringify([search, [...(status ?? [])].sort()]);
  return { actor, events: visibility.all, wanted: criteria, looked: searchKey };
}

type SearchPageRow = PageRow & { events: SearchCount[] | null };

/** Fetches a page of a search. It recounts matches only in events that changed since their last count. */
const fetchSearchPageText = (search: CacheableSearch, projection: Prisma.Sql): Promise<IncidentPageText> =>
  runAfterPendingSearch(search.looked, async () => {
    const { looked: searchKey, events, wanted: criteria } = search;
    const known = findCachedCounts(searchKey, events);
    const statement =
      known && offsetOf(criteria) <= MAX_INDEXED_OFFSET && isCommonSearch(known, pageEndOf(criteria))
        ? cachedSearchSql(search, known, projection)
        : fullSearchSql(search, projection);
    const [page] = await withCustomPlan<SearchPageRow>(statement);
    cacheSearchCounts(searchKey, page?.events ?? []);
    return toPageText(page);
  });

/** Finds all matches. If there are many, it also returns the count for each event, to be cached. */
const fullSearchSql = (
  { actor, events, wanted: criteria }: CacheableSearch,
  projection: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
  with matching as materialized (
    select i.id, i.state, i.created_at, i.event_id from incidents i where ${eventCondition(events)} and ${filterConditions(actor, criteria)}
  ), found as materialized (${pageIdsSql(criteria, Prisma.sql`matching i`)}), ${eventVersionsSql(events)}
  select (select count(*) from matching) as total, ${aggregateRecordsSql(criteria, projection)} as records,
    case when (select count(*) from matching) >= ${MIN_MATCHES_TO_CACHE}::int then (
      select json_agg(json_build_object('eventId', s.event_id, 'version', s.version, 'reports', s.reports, 'matching', coalesce(m.n, 0)))
      from stands s left join (select event_id, count(*) as n from matching group by 1) m using (event_id)
    ) end as events`;

/** Scans the newest incidents until the page is full, and counts matches only in events that have changed. */
function cachedSearchSql(
  { actor, events, wanted: criteria }: CacheableSearch,
  known: readonly SearchCount[],
  projection: Prisma.Sql,
): Prisma.Sql {
  const condition = filterConditions(actor, criteria);
  const column = (name: "eventId" | "version" | "matching") => known.map((one) => one[name]);
  const each = Prisma.sql`
    select f.id, f.created_at from unnest(${events}::uuid[]) as v(event_id) cross join lateral (
      select i.id, i.created_at from incidents i where i.event_id = v.event_id and ${condition}
      order by ${orderBySql(criteria)} limit ${pageEndOf(criteria)}::bigint
    ) f`;
  return Prisma.sql`
    with ${eventVersionsSql(events)}, known as materialized (
      select s.event_id, k.matching from stands s
      join unnest(${column("eventId")}::uuid[], ${column("version")}::bigint[], ${column("matching")}::int[]) as k(event_id, version, matching)
        using (event_id, version)
    ), changed as materialized (
      select * from stands where event_id not in (select event_id from known)
    ), again as materialized (
      select c.*, n.matching from changed c cross join lateral (
        select count(*) as matching from incidents i where i.event_id = c.event_id and ${condition}
      ) n
    ), recent as materialized (
      select i.id, i.created_at from (
        select i.* from incidents i order by ${orderBySql(criteria)} limit ${estimateScanLimit(known, pageEndOf(criteria))}::bigint
      ) i where ${eventCondition(events)} and ${condition} order by ${orderBySql(criteria)} limit ${pageEndOf(criteria)}::bigint
    ), found as materialized (
      select i.id from (${recentOrPerEventSql(each, criteria)}) i order by ${orderBySql(criteria)}
      limit ${criteria.limit}::bigint offset ${offsetOf(criteria)}::bigint
    )
    select (select coalesce(sum(matching), 0) from known) + (select coalesce(sum(matching), 0) from again) as total,
      ${aggregateRecordsSql(criteria, projection)} as records,
      (select json_agg(json_build_object('eventId', event_id, 'version', version, 'reports', reports, 'matching', matching))
        from again) as events`;
}

/** The version of each event, which grows with every change, and its number of reports. */
const eventVersionsSql = (events: string[]): Prisma.Sql => Prisma.sql`stands as materialized (
    select n.event_id, sum(n.changes)::bigint as version,
      sum(n.submitted + n.acknowledged + n.investigating + n.resolved + n.closed)::bigint as reports
    from incident_counts n where n.event_id = any(${events}::uuid[]) group by n.event_id
  )`;

const isEmptyVisibility = (visibility: IncidentVisibility) =>
  !visibility.everything && visibility.all.length === 0 && visibility.own.length === 0;

type PageRequest = { actor: Actor; visibility: IncidentVisibility; wanted: ListCriteria };
/** `found`: common table expressions, the last of which holds the page's ids; `total`: the number of matches. */
type PageQuery = { found: Prisma.Sql; total: Prisma.Sql };

/**
 * If only states are filtered, the counters know the total and an index serves the page. Any other filter needs a
 * count, so matches are materialized once and the page is taken from them. Left to itself, the planner scans the
 * newest rows until the page is full, which for a rare word is nearly all of them.
 */
function buildPageQuery({ actor, visibility, wanted: criteria }: PageRequest): PageQuery {
  const condition = incidentListCondition(actor, visibility, criteria);
  if (!hasUncountedFilter(criteria) && (visibility.everything || visibility.own.length === 0)) {
    const page =
      newestPerEventSql({ actor, visibility, wanted: criteria }) ??
      pageIdsSql(criteria, Prisma.sql`incidents i where ${condition}`);
    return {
      found: Prisma.sql`found as materialized (${page})`,
      total: countedTotalSql(visibility, criteria),
    };
  }
  const sorted = { title: Prisma.sql`, i.title`, due: Prisma.sql`, i.due_at` };
  const key = sorted[criteria.sort as keyof typeof sorted] ?? Prisma.empty;
  return {
    found: Prisma.sql`matching as materialized (
      select i.id, i.state, i.created_at${key} from incidents i where ${condition}
    ), found as materialized (${pageIdsSql(criteria, Prisma.sql`matching i`)})`,
    total: Prisma.sql`select count(*) from matching`,
  };
}

/** Whether a filter other than the state is set; the counters can't give a total then. */
function hasUncountedFilter(criteria: ListCriteria): boolean {
  const { page: _page, limit: _limit, sort: _sort, order: _order, status: _status, ...others } = criteria;
  return Object.values(others).some((filter) => filter !== undefined);
}

/** Selects the ids of one page, in order. */
const pageIdsSql = (criteria: ListCriteria, source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select i.id from ${source} order by ${orderBySql(criteria)}
    limit ${criteria.limit}::bigint offset ${offsetOf(criteria)}::bigint`;

const offsetOf = ({ page, limit }: ListCriteria): number => (page - 1) * limit;

/**
 * For many events or states, newest first: takes the first rows of each event, and of each requested state, from an
 * index and sorts only those. With many events it first tries the newest incidents of all events: usually enough of
 * them belong to these events, and no event needs a lookup of its own.
 */
function newestPerEventSql(pageRequest: PageRequest): Prisma.Sql | undefined {
  const { visibility, wanted: criteria } = pageRequest;
  const states = criteria.status ?? [];
  if (visibility.everything || (visibility.all.length < 2 && states.length < 2)) return undefined;
  if (criteria.sort !== "createdAt" || offsetOf(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const each = firstRowsPerEventSql(visibility.all, criteria);
  const { recent, rows } =
    visibility.all.length < MIN_EVENTS_FOR_RECENT_SCAN
      ? { recent: Prisma.empty, rows: each }
      : { recent: recentRowsSql(visibility.all, criteria), rows: recentOrPerEventSql(each, criteria) };
  return Prisma.sql`
    ${recent} select c.id from (${rows}) c
    order by c.created_at ${directionSql(criteria)}, c.id ${directionSql(criteria)}
    limit ${criteria.limit}::bigint offset ${offsetOf(criteria)}::bigint`;
}

function firstRowsPerEventSql(events: string[], criteria: ListCriteria): Prisma.Sql {
  const states = criteria.status ?? [];
  const eachState =
    states.length > 0 ? Prisma.sql`cross join unnest(${states}::incident_state[]) as s(state)` : Prisma.empty;
  const stateCondition = states.length > 0 ? Prisma.sql`and i.state = s.state` : Prisma.empty;
  return Prisma.sql`
    select f.id, f.created_at from unnest(${events}::uuid[]) as v(event_id) ${eachState}
    cross join lateral (
      select i.id, i.created_at from incidents i where i.event_id = v.event_id ${stateCondition}
      order by ${orderBySql(criteria)} limit ${pageEndOf(criteria)}::bigint
    ) f`;
}

/** Beyond this offset, all matches are sorted. */
const MAX_INDEXED_OFFSET = 2000;

/** From this many events on, scanning the newest incidents of all events costs less than a lookup in each. */
const MIN_EVENTS_FOR_RECENT_SCAN = 8;
/** How many rows to scan for each one needed: enough if a fifth of the newest belong to the events. */
const RECENT_SCAN_FACTOR = 5;

const pageEndOf = (criteria: ListCriteria): number => offsetOf(criteria) + criteria.limit;

/** The newest incidents of all events, filtered to these events. */
function recentRowsSql(events: string[], criteria: ListCriteria): Prisma.Sql {
  const states = criteria.status
    ? Prisma.sql`and n.state = any(${[...criteria.status]}::incident_state[])`
    : Prisma.empty;
  return Prisma.sql`with recent as materialized (
      select n.id, n.created_at from (
        select i.id, i.created_at, i.event_id, i.state from incidents i
        order by ${orderBySql(criteria)} limit ${RECENT_SCAN_FACTOR * pageEndOf(criteria)}::bigint
      ) n where n.event_id = any(${events}::uuid[]) ${states}
    )`;
}

/** Uses the recent rows if they fill everything up to the page's end; otherwise takes none of them. */
function recentOrPerEventSql(each: Prisma.Sql, criteria: ListCriteria): Prisma.Sql {
  const hasEnoughRecent = Prisma.sql`(select count(*) from recent) >= ${pageEndOf(criteria)}::bigint`;
  return Prisma.sql`
    select r.id, r.created_at from recent r where ${hasEnoughRecent}
    union all select e.id, e.created_at from (${each}) e where not ${hasEnoughRecent}`;
}

/** The total from the counters, for the requested states. */
function countedTotalSql(visibility: IncidentVisibility, criteria: ListCriteria): Prisma.Sql {
  const states = criteria.status ?? INCIDENT_STATES;
  const column = Prisma.raw(states.map((state) => `n.${state}`).join(" + "));
  const where = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`n.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`select coalesce(sum(${column}), 0)::bigint from incident_counts n where ${where}`;
}

export function visibilityCondition(visibility: IncidentVisibility, actor: Actor): Prisma.Sql {
  if (visibility.everything) return Prisma.sql`true`;
  const all = eventCondition(visibility.all);
  if (visibility.own.length === 0) return all;
  const own = Prisma.sql`(i.reporter_id = ${actor.id}::uuid and ${eventCondition(visibility.own)})`;
  return visibility.all.length === 0 ? own : Prisma.sql`(${all} or ${own})`;
}

const eventCondition = (ids: string[]) =>
  ids.length === 1 ? Prisma.sql`i.event_id = ${ids[0]}::uuid` : Prisma.sql`i.event_id = any(${ids}::uuid[])`;

type FilterCriteria = Omit<ListCriteria, "page" | "limit" | "sort" | "order"> &
  Partial<Pick<IncidentListQuery, "priority">>;

/** The condition on an incident `i` that the actor may see it and that it matches the filters. */
export const incidentListCondition = (
  actor: Actor,
  visibility: IncidentVisibility,
  { priority, ...criteria }: FilterCriteria,
): Prisma.Sql =>
  isEmptyVisibility(visibility)
    ? Prisma.sql`false`
    : Prisma.sql`${visibilityCondition(visibility, actor)} and ${filterConditions(actor, { ...criteria, severity: criteria.severity ?? priority })}`;

function filterConditions(actor: Actor, criteria: FilterCriteria): Prisma.Sql {
  const { from, to, anonymous, escalated, pinned, person, search } = criteria;
  const parts: Prisma.Sql[] = [Prisma.sql`true`];
  if (criteria.status) parts.push(stateCondition(criteria.status));
  if (criteria.severity) parts.push(severityCondition(criteria.severity));
  if (criteria.assigned) parts.push(assigneeCondition(actor, criteria.assigned));
  if (from) parts.push(Prisma.sql`i.created_at >= ${from}::timestamptz`);
  if (to) parts.push(Prisma.sql`i.created_at < ${to}::timestamptz`);
  if (anonymous !== undefined) parts.push(negateUnless(anonymous, Prisma.sql`i.reporter_id is null`));
  if (escalated !== undefined) parts.push(negateUnless(escalated, Prisma.sql`i.escalated_at is not null`));
  if (criteria.files !== undefined) parts.push(negateUnless(criteria.files, hasFilesCondition(actor)));
  if (pinned !== undefined) parts.push(negateUnless(pinned, hasPinCondition(actor)));
  if (criteria.due) parts.push(anyOf(criteria.due.map((when) => IS_DUE[when])));
  if (criteria.awaiting) parts.push(anyOf(criteria.awaiting.map((side) => IS_AWAITED[side])));
  if (person) parts.push(person);
  if (search) parts.push(searchCondition(toLikePattern(search)));
  return Prisma.join(parts, " and ");
}

const negateUnless = (isWanted: boolean, condition: Prisma.Sql) =>
  isWanted ? condition : Prisma.sql`not (${condition})`;

/** Open states are written as in the partial indexes' condition; otherwise the planner wouldn't use them. */
function stateCondition(states: readonly IncidentState[]): Prisma.Sql {
  if (states.length === OPEN_STATES.length && OPEN_STATES.every((state) => states.includes(state)))
    return IS_OPEN;
  const [first] = states;
  return states.length === 1
    ? Prisma.sql`i.state = ${first}::incident_state`
    : Prisma.sql`i.state = any(${[...states]}::incident_state[])`;
}

export const IS_OPEN = Prisma.sql`i.state in ('submitted', 'acknowledged', 'investigating')`;

/** `soon` is within a day. */
export const IS_DUE: Record<DueFilter, Prisma.Sql> = {
  overdue: Prisma.sql`i.due_at < now()`,
  soon: Prisma.sql`(i.due_at >= now() and i.due_at < now() + interval '1 day')`,
  later: Prisma.sql`i.due_at >= now() + interval '1 day'`,
};

const awaitedCondition = (lastAuthor: "team" | "reporter") =>
  Prisma.sql`(${IS_OPEN} and i.last_word = ${Prisma.raw(`'${lastAuthor}'`)} and i.reporter_id is not null)`;

/** The other side wrote last, and there is a reporter who can reply. */
export const IS_AWAITED: Record<AwaitingSide, Prisma.Sql> = {
  reporter: awaitedCondition("team"),
  team: awaitedCondition("reporter"),
};

function severityCondition(severities: readonly (Severity | "none")[]): Prisma.Sql {
  const named = severities.filter((severity) => severity !== "none");
  const parts = [
    ...(named.length > 0 ? [Prisma.sql`i.severity = any(${named}::severity[])`] : []),
    ...(named.length < severities.length ? [Prisma.sql`i.severity is null`] : []),
  ];
  return anyOf(parts);
}

function assigneeCondition(actor: Actor, assigned: readonly AssigneeFilter[]): Prisma.Sql {
  const conditionByFilter: Record<AssigneeFilter, Prisma.Sql> = {
    me: Prisma.sql`i.assigned_responder_id = ${actor.id}::uuid`,
    unassigned: Prisma.sql`i.assigned_responder_id is null`,
    others: Prisma.sql`i.assigned_responder_id <> ${actor.id}::uuid`,
  };
  return anyOf(assigned.map((way) => conditionByFilter[way]));
}

const anyOf = (parts: Prisma.Sql[]) => Prisma.sql`(${Prisma.join(parts, " or ")})`;

/** A reporter must not learn of the team's own files. */
function hasFilesCondition(actor: Actor): Prisma.Sql {
  const visibility = findIncidentVisibility(actor);
  const teams = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`f.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`exists (select 1 from related_files f where f.incident_id = i.id
    and (f.visible_to_reporter or f.uploaded_by_id = ${actor.id}::uuid or ${teams}))`;
}

const hasPinCondition = (actor: Actor) =>
  Prisma.sql`i.id in (select p.incident_id from pins p where p.user_id = ${actor.id}::uuid)`;

/** Matches titles, descriptions and reporter names (contract 7.12), literally and case-insensitively. */
const searchCondition = (
  pattern: string,
) => Prisma.sql`(i.title ilike ${pattern} or i.description ilike ${pattern}
  or i.reporter_id = any(array(select u.id from users u where u.name ilike ${pattern})))`;

/** sort=status follows the workflow, since the state's enum is in that order (contract 7.12). */
function orderBySql(criteria: Pick<ListCriteria, "sort" | "order">): Prisma.Sql {
  const way = directionSql(criteria);
  if (criteria.sort === "title") return Prisma.sql`lower(i.title) ${way}, i.id ${way}`;
  if (criteria.sort === "status") return Prisma.sql`i.state ${way}, i.created_at desc, i.id desc`;
  if (criteria.sort === "due") return Prisma.sql`i.due_at ${way} nulls last, i.created_at desc, i.id desc`;
  return Prisma.sql`i.created_at ${way}, i.id ${way}`;
}

const directionSql = ({ order }: Pick<ListCriteria, "order">) =>
  order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;

/** @param showsEmail SQL condition for showing the address */
const person = (id: string, of: string, showsEmail: string): JsonMember =>
  nullableJsonObject(id, {
    id: jsonUnescapedString(id),
    name: jsonString(`coalesce(${of}.name, '')`),
    email: nullableJson(jsonString(`case when ${showsEmail} then ${of}.email end`)),
  });

/** Selects the role of a person in the event of an incident `i`, either accepted or pending. */
const eventRoleSql = (id: string, accepted: boolean) =>
  `(select 1 from event_roles h where h.event_id = i.event_id and h.user_id = ${id} and ${accepted ? "not " : ""}h.pending)`;

const RELATED_FILES_JSON = `(select json_agg(json_build_object('id', f.id, 'filename', f.filename, 'mimetype', f.mimetype,
    'size', f.size, 'createdAt', to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'sha256', f.sha256, 'description', f.description, 'reveals', f.reveals, 'clean', f.clean_state,
    'hasOriginal', f.original_key is not null, 'visibleToReporter', f.visible_to_reporter,
    'uploadedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end) order by f.created_at, f.id)
  from related_files f left join users p on p.id = f.uploaded_by_id where f.incident_id = i.id)`;

const RECORD_MEMBERS = {
  id: jsonUnescapedString("i.id"),
  title: jsonString("i.title"),
  description: jsonString("i.description"),
  state: jsonUnescapedString("i.state"),
  severity: nullableJson(jsonUnescapedString("i.severity")),
  incidentAt: nullableJson(jsonTime("i.incident_at")),
  location: nullableJson(jsonString("i.location")),
  parties: nullableJson(jsonString("i.parties")),
  eventId: jsonUnescapedString("i.event_id"),
  reporterId: nullableJson(jsonUnescapedString("i.reporter_id")),
  assignedResponderId: nullableJson(jsonUnescapedString("i.assigned_responder_id")),
  resolution: nullableJson(jsonString("i.resolution")),
  firstResponseAt: nullableJson(jsonTime("i.first_response_at")),
  resolvedAt: nullableJson(jsonTime("i.resolved_at")),
  escalatedAt: nullableJson(jsonTime("i.escalated_at")),
  reopenedAt: nullableJson(jsonTime("i.reopened_at")),
  createdAt: jsonTime("i.created_at"),
  updatedAt: jsonTime("i.updated_at"),
  type: nullableJson(jsonString("i.type")),
  contactMethod: jsonUnescapedString("i.contact_method"),
  event: jsonObject({
    id: jsonUnescapedString("e.id"),
    name: jsonString("e.name"),
    slug: jsonString("e.slug"),
  }),
  // A reporter was there; an assignee may never have accepted their role (contract 2.7).
  reporter: person("i.reporter_id", "r", `not exists ${eventRoleSql("i.reporter_id", false)}`),
  assignedResponder: person(
    "i.assigned_responder_id",
    "a",
    `exists ${eventRoleSql("i.assigned_responder_id", true)}`,
  ),
  relatedFiles: rawJson(`coalesce(${RELATED_FILES_JSON}::text, '[]')`),
} satisfies Record<Exclude<keyof IncidentRow, "resolutionInternal">, JsonMember>;

/**
 * An incident `i` with RELATED_JOINS as JSON text in the shape of the contract. This costs the database slightly more
 * than `row_to_json`, and saves the service parsing, shaping and serializing it.
 */
const RECORD_JSON = Prisma.raw(jsonObject(RECORD_MEMBERS).value);
/** The same with the member that `redactIncident` needs. */
const UNREDACTED_RECORD_JSON = Prisma.raw(
  jsonObject({ ...RECORD_MEMBERS, resolutionInternal: jsonString("i.resolution_internal") }).value,
);

const RELATED_JOINS = Prisma.sql`join events e on e.id = i.event_id
  left join users r on r.id = i.reporter_id left join users a on a.id = i.assigned_responder_id`;

/** Converts a time in the database's JSON, which drops zeros and names the zone, to the API's format (contract 3.6). */
const toIsoTime = (time: string): string => new Date(time).toISOString();
