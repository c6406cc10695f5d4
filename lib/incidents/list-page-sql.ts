import { Prisma } from "#lib/generated/prisma/client.ts";
import { readableIncidentCountsSql } from "#lib/access/hidden-sql.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";
import { incidentReadableConditionSql } from "#lib/access/visibility-sql.ts";
import {
  andAfterCursorSql,
  sortDirectionSql,
  visibleMatchingIncidentConditionSql,
  MAX_INDEXED_OFFSET,
  computeOffset,
  computeRowLimitWithLookahead,
  orderBySql,
  computeRowLimitUpToPageEnd,
  incidentIdsOfPageSql,
  recentIncidentRowsOrFallbackSql,
  sortableIncidentsSql,
  sortColumnsSql,
  type IncidentListCriteria,
  type IncidentListPageStatements,
  type ActorIncidentListCriteria,
} from "#lib/incidents/list-sql.ts";
import { incidentJoinsSql, incidentsWithAnswerSql } from "#lib/incidents/json-sql.ts";
import { INCIDENT_STATES } from "#lib/incidents/schema.ts";
import { buildNextPageCursorSortKeysSql } from "#lib/incidents/sort-keys-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** SQL of the pages of incident lists; e2e/support/statements/samples.ts checks it with every order and kind of page. */

/**
 * The statement for a page of incidents: their records as JSON text, their ids and events, the total, with `lookahead`
 * the position of the last one, and the search counts to cache.
 */
export const selectPageSql = (
  { actor, criteria }: Pick<ActorIncidentListCriteria, "actor" | "criteria">,
  { found, total, counts }: IncidentListPageStatements,
  projection: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
    with ${found} select (${total}) as total, shown.records, shown.refs
      ${criteria.lookahead ? Prisma.sql`, ${buildNextPageCursorSortKeysSql(criteria)} as "lastKeys"` : Prisma.empty}
      ${counts ? Prisma.sql`, (${counts}) as counts` : Prisma.empty}
    from (${aggregateRecordsSql(criteria, { actor, projection })}) shown`;

/** The records of the page whose ids are in `found`, in order. */
const aggregateRecordsSql = (
  criteria: IncidentListCriteria,
  { actor, projection }: { actor: Actor; projection: Prisma.Sql },
): Prisma.Sql => Prisma.sql`
  select string_agg(r.record, ',') as records, json_agg(json_build_object('id', r.id, 'eventId', r.event_id)) as refs from (
    select ${projection} as record, i.id, i.event_id from found join ${incidentsWithAnswerSql(actor.id)} i on i.id = found.id ${incidentJoinsSql()} order by ${orderBySql(criteria)} limit ${criteria.limit}::bigint
  ) r`;

/**
 * If only states are filtered, the counters know the total and an index serves the page. Any other filter needs a
 * count, so matches are materialized once and the page is taken from them. Left to itself, the planner scans the
 * newest rows until the page is full, which for a rare word is nearly all of them.
 */
export function buildIncidentPageStatements(
  pageRequest: ActorIncidentListCriteria,
): IncidentListPageStatements {
  const { actor, visibility, criteria } = pageRequest;
  const condition = visibleMatchingIncidentConditionSql(actor, visibility, criteria);
  if (!hasUncountedFilter(criteria) && (visibility.everything || visibility.own.length === 0)) {
    const page =
      newestPerEventSql(pageRequest) ??
      mostUrgentPerEventSql(pageRequest) ??
      incidentIdsOfPageSql(
        criteria,
        Prisma.sql`${sortableIncidentsSql(criteria, condition)} i where true ${andAfterCursorSql(criteria)}`,
      );
    return {
      found: Prisma.sql`found as materialized (${page})`,
      total: countedTotalSql(pageRequest),
    };
  }
  return {
    found: Prisma.sql`matching as materialized ${sortableIncidentsSql(criteria, condition)}, found as materialized (${incidentIdsOfPageSql(criteria, Prisma.sql`matching i where true ${andAfterCursorSql(criteria)}`)})`,
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
  const { actor, visibility, criteria } = pageRequest;
  const states = criteria.status ?? [];
  if (visibility.everything || (visibility.all.length < 2 && states.length < 2)) return undefined;
  if (criteria.sort !== "createdAt" || computeOffset(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const { all, hidden } = visibility;
  const readable = incidentReadableConditionSql(hidden, actor.id);
  const each = firstRowsPerEventSql(all, readable, criteria);
  const { recent, rows } =
    all.length < MIN_EVENTS_FOR_RECENT_SCAN
      ? { recent: Prisma.empty, rows: each }
      : {
          recent: recentRowsSql(all, readable, criteria),
          rows: recentIncidentRowsOrFallbackSql(each, criteria),
        };
  return Prisma.sql`
    ${recent} select c.id from (${rows}) c
    order by c.created_at ${sortDirectionSql(criteria)}, c.id ${sortDirectionSql(criteria)}
    limit ${computeRowLimitWithLookahead(criteria)}::bigint offset ${computeOffset(criteria)}::bigint`;
}

/** By urgency: takes the first rows of each event and state from the index incidents_urgency and sorts only those. */
function mostUrgentPerEventSql(pageRequest: ActorIncidentListCriteria): Prisma.Sql | undefined {
  const { actor, visibility, criteria } = pageRequest;
  if (criteria.sort !== "urgency" || computeOffset(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const events = visibility.everything
    ? Prisma.sql`(select e.id as event_id from events e)`
    : Prisma.sql`unnest(${visibility.all}::uuid[])`;
  return incidentIdsOfPageSql(
    criteria,
    Prisma.sql`(
      select i.* from ${events} as v(event_id) cross join unnest(${[...(criteria.status ?? INCIDENT_STATES)]}::incident_state[]) as s(state)
      cross join lateral (
        select ${sortColumnsSql(criteria)} from incidents i
        where i.event_id = v.event_id and i.state = s.state and ${incidentReadableConditionSql(visibility.hidden, actor.id)} ${andAfterCursorSql(criteria)}
        order by ${orderBySql(criteria)} limit ${computeRowLimitUpToPageEnd(criteria)}::bigint
      ) i) i`,
  );
}

function firstRowsPerEventSql(
  events: string[],
  readable: Prisma.Sql,
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
      where i.event_id = v.event_id and ${readable} ${stateCondition} ${andAfterCursorSql(criteria)}
      order by ${orderBySql(criteria)} limit ${computeRowLimitUpToPageEnd(criteria)}::bigint
    ) f`;
}

/** From this many events on, scanning the newest incidents of all events costs less than a lookup in each. */
const MIN_EVENTS_FOR_RECENT_SCAN = 8;
/** How many rows to scan for each one needed: enough if a fifth of the newest belong to the events. */
const RECENT_SCAN_FACTOR = 5;

/** The newest incidents of the given events, found among the newest of all: fast if these include enough of them. */
function recentRowsSql(events: string[], readable: Prisma.Sql, criteria: IncidentListCriteria): Prisma.Sql {
  const states = criteria.status
    ? Prisma.sql`and n.state = any(${[...criteria.status]}::incident_state[])`
    : Prisma.empty;
  return Prisma.sql`with recent as materialized (
      select n.id, n.created_at from (
        select i.id, i.created_at, i.event_id, i.state from incidents i where ${readable} ${andAfterCursorSql(criteria)}
        order by ${orderBySql(criteria)} limit ${RECENT_SCAN_FACTOR * computeRowLimitUpToPageEnd(criteria)}::bigint
      ) n where n.event_id = any(${events}::uuid[]) ${states}
    )`;
}

/** The total of the requested states from the counters. */
function countedTotalSql({ actor, visibility, criteria }: ActorIncidentListCriteria): Prisma.Sql {
  const states = criteria.status ?? INCIDENT_STATES;
  const where = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`n.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`select coalesce(sum(${sumStateCountsSql("n", states)}), 0)::bigint
    from ${readableIncidentCountsSql(visibility.hidden, actor.id)} n where ${where}`;
}
