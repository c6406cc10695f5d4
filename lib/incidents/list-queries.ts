import { Prisma } from "#lib/generated/prisma/client.ts";
import { prisma, sql, queryWithCustomPlan } from "#lib/database/client.ts";
import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import {
  andAfterCursorSql,
  doesQueryDependOnWithheldContent,
  sortDirectionSql,
  visibleMatchingIncidentConditionSql,
  MAX_INDEXED_OFFSET,
  computeOffset,
  computeRowLimitWithLookahead,
  orderBySql,
  computeRowLimitUpToPageEnd,
  incidentIdsOfPageSql,
  recentIncidentRowsOrFallbackSql,
  additionalSortColumnsSql,
  type IncidentListCriteria,
  type IncidentListPageStatements,
  type ActorIncidentListCriteria,
  type IncidentListPageCursorSql,
} from "#lib/incidents/list-sql.ts";
import {
  INCIDENT_API_JSON_SQL,
  INCIDENT_JOINS_SQL,
  INCIDENT_ROW_JSON_SQL,
  type IncidentRow,
} from "#lib/incidents/record-queries.ts";
import { incidentsMaskedForReaderSql } from "#lib/incidents/readable-sql.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import { buildNextPageCursorSortKeysSql } from "#lib/incidents/sort-keys-sql.ts";
import {
  fetchSearchPageAndCacheCounts,
  toCacheableSearch,
  type EventSearchCount,
} from "#lib/incidents/search-queries.ts";
import {
  isSystemAdmin,
  getEventRolesOfActor,
  hasTeamAccessToEvent,
  hasSystemAdminAccessToEvent,
  type Actor,
} from "#lib/operation/policy.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { incidentNotHiddenSql, visibleIncidentCountsSql } from "#lib/access/hidden-sql.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";
import {
  getVisibleIncidentFilter,
  type VisibleIncidentFilter,
  isNoIncidentVisible,
} from "#lib/access/visibility.ts";
import {
  INCIDENT_STATES,
  type ParsedIncidentsAcrossEventsQuery,
  type IncidentListQuery,
} from "#lib/incidents/schema.ts";

type IncidentPageQuery = IncidentListQuery & IncidentListPageCursorSql;

/** `lastKeys`: the position of the page's last incident, if there are more and the query asks for it. */
export type IncidentListResult = { incidents: IncidentRow[]; total: number; lastKeys?: string[] | null };

/** Lists the incidents of one event that the actor may see. */
export const listEventIncidents = (
  actor: Actor,
  eventId: string,
  query: IncidentPageQuery,
): Promise<IncidentListResult> =>
  listIncidents(actor, getVisibleIncidentFilter(actor, eventId), toListCriteria(query));

/** Like `listEventIncidents`, as JSON text; undefined if anything must be redacted for the actor. */
export const listEventIncidentsAsJsonUnlessAnyRedacted = (
  actor: Actor,
  eventId: string,
  query: IncidentPageQuery,
) => listIncidentsText(actor, getVisibleIncidentFilter(actor, eventId), toListCriteria(query));

/** Lists the incidents across all events that the actor may see (contract 7.13). `event` takes ids and slugs. */
export const listIncidentsAcrossEvents = async (
  actor: Actor,
  { event, ...query }: ParsedIncidentsAcrossEventsQuery & IncidentListPageCursorSql,
): Promise<IncidentListResult> =>
  listIncidents(actor, await resolveVisibleIncidentFilter(actor, event), toListCriteria(query));

/** Like `listIncidentsAcrossEvents`, as JSON text; undefined if anything must be redacted for the actor. */
export const listIncidentsAcrossEventsAsJsonUnlessAnyRedacted = async (
  actor: Actor,
  { event, ...query }: ParsedIncidentsAcrossEventsQuery & IncidentListPageCursorSql,
) => listIncidentsText(actor, await resolveVisibleIncidentFilter(actor, event), toListCriteria(query));

const toListCriteria = (query: IncidentPageQuery): IncidentListCriteria => ({
  ...query,
  severity: query.severity ?? query.priority,
});

/** Returns which incidents of these events, given by id or slug, the actor may see; of all events if none is given. */
export async function resolveVisibleIncidentFilter(
  actor: Actor,
  events: readonly string[] | undefined,
): Promise<VisibleIncidentFilter> {
  if (events === undefined) return getVisibleIncidentFilter(actor);
  const ids = await resolveEventIds(actor, events);
  const each = ids.map((id) => getVisibleIncidentFilter(actor, id));
  const mergeEventIds = (name: "all" | "own") => each.flatMap((one) => (one.everything ? [] : one[name]));
  return {
    everything: false,
    all: mergeEventIds("all"),
    own: mergeEventIds("own"),
    hidden: actor.hiddenIncidentIds,
  };
}

async function resolveEventIds(actor: Actor, events: readonly string[]): Promise<string[]> {
  const criteria = events.map((event) => event.toLowerCase());
  const named = ({ eventId, slug }: { eventId: string; slug: string }) =>
    criteria.includes(eventId) || events.includes(slug);
  if (!isSystemAdmin(actor) && !actor.token?.system)
    return actor.events.filter(named).map(({ eventId }) => eventId);
  const ids = criteria.filter((one) => UUID_PATTERN.test(one));
  const where = { OR: [{ slug: { in: [...events] } }, { id: { in: ids } }] };
  const found = await prisma.event.findMany({ where, select: { id: true } });
  return found
    .map(({ id }) => id)
    .filter((id) => hasSystemAdminAccessToEvent(actor, id) || getEventRolesOfActor(actor, id).length > 0);
}

type UserIncidentsQuery = IncidentListQuery &
  IncidentListPageCursorSql & { type: "submitted" | "assigned" | "all" };

/** Lists what one person reported in an event or is assigned to there, newest first. */
export function listIncidentsReportedByOrAssignedTo(
  actor: Actor,
  eventId: string,
  userId: string,
  query: UserIncidentsQuery,
): Promise<IncidentListResult> {
  const submitted = Prisma.sql`(i.reporter_id = ${userId}::uuid and not ${isConflictCheckUnansweredSql(actor.id)})`;
  const assigned = Prisma.sql`i.assigned_responder_id = ${userId}::uuid`;
  const submittedOrAssigned = Prisma.sql`(${submitted} or ${assigned})`;
  const person = { submitted, assigned, all: submittedOrAssigned }[query.type];
  return listIncidents(actor, getVisibleIncidentFilter(actor, eventId), {
    ...toListCriteria(query),
    person,
  });
}

/** Lists the ids of incidents that the actor pinned and may still see, in one event or in all (contract 7.14). */
export async function listPinnedIncidentIds(actor: Actor, eventId?: string): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`
    select i.id from pins p join incidents i on i.id = p.incident_id
    where p.user_id = ${actor.id}::uuid and ${eventId ? Prisma.sql`p.event_id = ${eventId}::uuid` : Prisma.sql`true`}
      and ${incidentVisibilityConditionSql(getVisibleIncidentFilter(actor, eventId), actor)}
    order by p.created_at desc, i.id`;
  return rows.map(({ id }) => id);
}

/**
 * Runs one statement for the page and its total, whatever the filters. The database returns the records as JSON:
 * decoding some thirty columns a row costs the driver more than the whole query costs the database
 * (docs/performance.md).
 */
async function listIncidents(
  actor: Actor,
  visibility: VisibleIncidentFilter,
  criteria: IncidentListCriteria,
): Promise<IncidentListResult> {
  const { records, ...page } = await fetchPageText({ actor, visibility, criteria }, INCIDENT_ROW_JSON_SQL);
  const rows = JSON.parse(`[${records}]`) as IncidentRow[];
  return { incidents: rows.map((row) => redactIncidentForActor(actor, row)), ...page };
}

/** A page of incidents. `records`: the members of a JSON array, as text, each with what the projection selects. */
export type IncidentListPageJson = { records: string; total: number; lastKeys?: string[] | null };

/**
 * Returns a page as JSON text that needs no parsing, for an actor on the team of all requested events, who may see
 * everything. Undefined for anybody else, whose rows `redactIncidentForActor` has to process.
 */
function listIncidentsText(
  actor: Actor,
  visibility: VisibleIncidentFilter,
  criteria: IncidentListCriteria,
): Promise<IncidentListPageJson> | undefined {
  const seesEverything = visibility.everything
    ? isSystemAdmin(actor)
    : visibility.own.length === 0 && visibility.all.every((eventId) => hasTeamAccessToEvent(actor, eventId));
  return seesEverything ? fetchPageText({ actor, visibility, criteria }, INCIDENT_API_JSON_SQL) : undefined;
}

/**
 * Lists a page of the incidents across events that the actor may see, each with only the fields of the projection.
 * @param projection SQL of JSON text for an incident `i` with INCIDENT_JOINS_SQL
 */
export const listIncidentFieldsAcrossEventsAsJson = async (
  actor: Actor,
  { event, ...query }: ParsedIncidentsAcrossEventsQuery,
  projection: Prisma.Sql,
): Promise<IncidentListPageJson> =>
  fetchPageText(
    {
      actor,
      visibility: await resolveVisibleIncidentFilter(actor, event),
      criteria: toListCriteria(query),
    },
    projection,
  );

/** Like `listIncidentFieldsAcrossEventsAsJson`, for one event. */
export const listEventIncidentFieldsAsJson = (
  actor: Actor,
  { eventId, ...query }: IncidentListQuery & { eventId: string },
  projection: Prisma.Sql,
): Promise<IncidentListPageJson> =>
  fetchPageText(
    { actor, visibility: getVisibleIncidentFilter(actor, eventId), criteria: toListCriteria(query) },
    projection,
  );

async function fetchPageText(
  pageRequest: ActorIncidentListCriteria,
  projection: Prisma.Sql,
): Promise<IncidentListPageJson> {
  const { visibility } = pageRequest;
  if (isNoIncidentVisible(visibility)) return { records: "", total: 0 };
  const search = toCacheableSearch(pageRequest);
  const { records, total, lastKeys } = search
    ? await fetchSearchPageAndCacheCounts(search, (query) => fetchPage(pageRequest, query, projection))
    : await fetchPage(pageRequest, buildPageQuery(pageRequest), projection);
  return { records: records ?? "", total: Number(total), ...(lastKeys !== undefined && { lastKeys }) };
}

/** `records` is null for a page without incidents, and `lastKeys` for the last page. */
type PageRow = {
  records: string | null;
  total: bigint;
  lastKeys?: string[] | null;
  counts?: EventSearchCount[] | null;
};

async function fetchPage(
  { actor, criteria }: Pick<ActorIncidentListCriteria, "actor" | "criteria">,
  { found, total, counts }: IncidentListPageStatements,
  projection: Prisma.Sql,
): Promise<PageRow> {
  const statement = Prisma.sql`
    with ${found} select (${total}) as total, ${aggregateRecordsSql(criteria, { actor, projection })} as records
      ${criteria.lookahead ? Prisma.sql`, ${buildNextPageCursorSortKeysSql(criteria)} as "lastKeys"` : Prisma.empty}
      ${counts ? Prisma.sql`, (${counts}) as counts` : Prisma.empty}`;
  const [page] = criteria.search
    ? await queryWithCustomPlan<PageRow>(statement)
    : await sql.$queryRaw<PageRow[]>(statement);
  return page as PageRow;
}

/** The records of the page whose ids are in `found`, in order, as the actor may read them. */
const aggregateRecordsSql = (
  criteria: IncidentListCriteria,
  { actor, projection }: { actor: Actor; projection: Prisma.Sql },
): Prisma.Sql => Prisma.sql`(
  select string_agg(r.record, ',') from (
    select ${projection} as record from found join ${incidentsMaskedForReaderSql(actor.id)} i on i.id = found.id ${INCIDENT_JOINS_SQL} order by ${orderBySql(criteria)} limit ${criteria.limit}::bigint
  ) r)`;

/**
 * If only states are filtered, the counters know the total and an index serves the page. Any other filter needs a
 * count, so matches are materialized once and the page is taken from them. Left to itself, the planner scans the
 * newest rows until the page is full, which for a rare word is nearly all of them.
 */
function buildPageQuery({
  actor,
  visibility,
  criteria,
}: ActorIncidentListCriteria): IncidentListPageStatements {
  const condition = visibleMatchingIncidentConditionSql(actor, visibility, criteria);
  if (!hasUncountedFilter(criteria) && (visibility.everything || visibility.own.length === 0)) {
    const page =
      newestPerEventSql({ actor, visibility, criteria }) ??
      mostUrgentPerEventSql(visibility, criteria) ??
      incidentIdsOfPageSql(
        criteria,
        Prisma.sql`incidents i where ${condition} ${andAfterCursorSql(criteria)}`,
      );
    return {
      found: Prisma.sql`found as materialized (${page})`,
      total: countedTotalSql({ actor, visibility, criteria }),
    };
  }
  return {
    found: Prisma.sql`matching as materialized (
      select i.id, i.state, i.created_at${additionalSortColumnsSql(criteria)} from incidents i where ${condition}
    ), found as materialized (${incidentIdsOfPageSql(criteria, Prisma.sql`matching i where true ${andAfterCursorSql(criteria)}`)})`,
    total: Prisma.sql`select count(*) from matching`,
  };
}

/** Returns whether a filter other than the state is set. If so, the counters can't give a total. */
function hasUncountedFilter(criteria: IncidentListCriteria): boolean {
  const unfiltering = new Set(["page", "limit", "sort", "order", "status", "after", "lookahead"]);
  return Object.entries(criteria).some(([name, filter]) => filter !== undefined && !unfiltering.has(name));
}

/**
 * For many events or states, newest first: takes the first rows of each event, and of each requested state, from an
 * index and sorts only those. With many events it first tries the newest incidents of all events: usually enough of
 * them belong to these events, and no event needs a lookup of its own.
 */
function newestPerEventSql(pageRequest: ActorIncidentListCriteria): Prisma.Sql | undefined {
  const { visibility, criteria } = pageRequest;
  const states = criteria.status ?? [];
  if (visibility.everything || (visibility.all.length < 2 && states.length < 2)) return undefined;
  if (criteria.sort !== "createdAt" || computeOffset(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const { all, hidden } = visibility;
  const each = firstRowsPerEventSql(all, hidden, criteria);
  const { recent, rows } =
    all.length < MIN_EVENTS_FOR_RECENT_SCAN
      ? { recent: Prisma.empty, rows: each }
      : {
          recent: recentRowsSql(all, hidden, criteria),
          rows: recentIncidentRowsOrFallbackSql(each, criteria),
        };
  return Prisma.sql`
    ${recent} select c.id from (${rows}) c
    order by c.created_at ${sortDirectionSql(criteria)}, c.id ${sortDirectionSql(criteria)}
    limit ${computeRowLimitWithLookahead(criteria)}::bigint offset ${computeOffset(criteria)}::bigint`;
}

/** By urgency: takes the first rows of each event and state from the index incidents_urgency and sorts only those. */
function mostUrgentPerEventSql(
  visibility: VisibleIncidentFilter,
  criteria: IncidentListCriteria,
): Prisma.Sql | undefined {
  if (criteria.sort !== "urgency" || computeOffset(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const events = visibility.everything
    ? Prisma.sql`(select e.id as event_id from events e)`
    : Prisma.sql`unnest(${visibility.all}::uuid[])`;
  const states = criteria.status ?? INCIDENT_STATES;
  return incidentIdsOfPageSql(
    criteria,
    Prisma.sql`(
      select f.* from ${events} as v(event_id) cross join unnest(${[...states]}::incident_state[]) as s(state)
      cross join lateral (
        select i.id, i.state, i.created_at${additionalSortColumnsSql(criteria)} from incidents i
        where i.event_id = v.event_id and i.state = s.state and ${incidentNotHiddenSql(visibility.hidden)} ${andAfterCursorSql(criteria)}
        order by ${orderBySql(criteria)} limit ${computeRowLimitUpToPageEnd(criteria)}::bigint
      ) f) i`,
  );
}

function firstRowsPerEventSql(
  events: string[],
  hidden: readonly string[],
  criteria: IncidentListCriteria,
): Prisma.Sql {
  const states = criteria.status ?? [];
  const eachState =
    states.length > 0 ? Prisma.sql`cross join unnest(${states}::incident_state[]) as s(state)` : Prisma.empty;
  const stateCondition = states.length > 0 ? Prisma.sql`and i.state = s.state` : Prisma.empty;
  return Prisma.sql`
    select f.id, f.created_at from unnest(${events}::uuid[]) as v(event_id) ${eachState}
    cross join lateral (
      select i.id, i.created_at from incidents i
      where i.event_id = v.event_id and ${incidentNotHiddenSql(hidden)} ${stateCondition} ${andAfterCursorSql(criteria)}
      order by ${orderBySql(criteria)} limit ${computeRowLimitUpToPageEnd(criteria)}::bigint
    ) f`;
}

/** From this many events on, scanning the newest incidents of all events costs less than a lookup in each. */
const MIN_EVENTS_FOR_RECENT_SCAN = 8;
/** How many rows to scan for each one needed: enough if a fifth of the newest belong to the events. */
const RECENT_SCAN_FACTOR = 5;

/** The newest incidents of the given events, found among the newest of all: fast if these include enough of them. */
function recentRowsSql(
  events: string[],
  hidden: readonly string[],
  criteria: IncidentListCriteria,
): Prisma.Sql {
  const states = criteria.status
    ? Prisma.sql`and n.state = any(${[...criteria.status]}::incident_state[])`
    : Prisma.empty;
  return Prisma.sql`with recent as materialized (
      select n.id, n.created_at from (
        select i.id, i.created_at, i.event_id, i.state from incidents i where ${incidentNotHiddenSql(hidden)} ${andAfterCursorSql(criteria)}
        order by ${orderBySql(criteria)} limit ${RECENT_SCAN_FACTOR * computeRowLimitUpToPageEnd(criteria)}::bigint
      ) n where n.event_id = any(${events}::uuid[]) ${states}
    )`;
}

/** The total of the requested states from the counters, minus the incidents that an order by withheld content omits. */
function countedTotalSql({ actor, visibility, criteria }: ActorIncidentListCriteria): Prisma.Sql {
  const states = criteria.status ?? INCIDENT_STATES;
  const where = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`n.event_id = any(${visibility.all}::uuid[])`;
  const counted = Prisma.sql`select coalesce(sum(${sumStateCountsSql("n", states)}), 0)::bigint
    from ${visibleIncidentCountsSql(visibility.hidden)} n where ${where}`;
  if (!doesQueryDependOnWithheldContent(criteria)) return counted;
  return Prisma.sql`select (${counted}) - (select count(*) from incidents i where ${isConflictCheckUnansweredSql(actor.id)}
    and ${incidentVisibilityConditionSql(visibility, actor)} and i.state = any(${[...states]}::incident_state[]))`;
}
