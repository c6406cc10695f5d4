import { Prisma } from "#lib/generated/prisma/client.ts";
import { isConflictCheckUnansweredSql, isDeadlineWithheldSql } from "#lib/access/conflict-sql.ts";
import { incidentNotHiddenSql, visibleIncidentCountsSql } from "#lib/access/hidden-sql.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";
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
  sortableIncidentsSql,
  sortColumnsSql,
  type IncidentListCriteria,
  type IncidentListPageStatements,
  type ActorIncidentListCriteria,
} from "#lib/incidents/list-sql.ts";
import { incidentsMaskedForReaderSql } from "#lib/incidents/readable-sql.ts";
import { INCIDENT_JOINS_SQL } from "#lib/incidents/json-sql.ts";
import { INCIDENT_STATES, type IncidentState } from "#lib/incidents/schema.ts";
import { buildNextPageCursorSortKeysSql } from "#lib/incidents/sort-keys-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** SQL of the pages of incident lists; e2e/support/statements/samples.ts checks it with every order and kind of page. */

/**
 * The statement for a page of incidents: their records as JSON text, the total, with `lookahead` the position of the
 * last one, and the search counts to cache.
 */
export const selectPageSql = (
  { actor, criteria }: Pick<ActorIncidentListCriteria, "actor" | "criteria">,
  { found, total, counts }: IncidentListPageStatements,
  projection: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
    with ${found} select (${total}) as total, ${aggregateRecordsSql(criteria, { actor, projection })} as records
      ${criteria.lookahead ? Prisma.sql`, ${buildNextPageCursorSortKeysSql(actor, criteria)} as "lastKeys"` : Prisma.empty}
      ${counts ? Prisma.sql`, (${counts}) as counts` : Prisma.empty}`;

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
        Prisma.sql`${sortableIncidentsSql(pageRequest, condition)} i where true ${andAfterCursorSql(criteria)}`,
      );
    return {
      found: Prisma.sql`found as materialized (${page})`,
      total: countedTotalSql(pageRequest),
    };
  }
  return {
    found: Prisma.sql`matching as materialized ${sortableIncidentsSql(pageRequest, condition)}, found as materialized (${incidentIdsOfPageSql(criteria, Prisma.sql`matching i where true ${andAfterCursorSql(criteria)}`)})`,
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

/**
 * By urgency: takes the first rows of each event and state from the index incidents_urgency and sorts only those.
 * Incidents whose deadline is withheld have another place in the order than in the index: they are read beside it.
 */
function mostUrgentPerEventSql(pageRequest: ActorIncidentListCriteria): Prisma.Sql | undefined {
  const { actor, visibility, criteria } = pageRequest;
  if (criteria.sort !== "urgency" || computeOffset(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const states = criteria.status ?? INCIDENT_STATES;
  return Prisma.sql`
    with withheld as materialized (
      select ${sortColumnsSql(criteria, Prisma.sql`null::timestamptz`)} from incidents i
      where ${incidentVisibilityConditionSql(visibility, actor)} and i.state = any(${[...states]}::incident_state[])
        and ${isDeadlineWithheldSql(actor.id)}
    ) ${incidentIdsOfPageSql(
      criteria,
      Prisma.sql`(
      (${mostUrgentWithReadableDeadlineSql(pageRequest, states)})
      union all select i.* from withheld i where true ${andAfterCursorSql(criteria)}) i`,
    )}`;
}

/** The first rows by urgency, up to the end of the page, without those of the CTE `withheld`. */
function mostUrgentWithReadableDeadlineSql(
  { visibility, criteria }: ActorIncidentListCriteria,
  states: readonly IncidentState[],
): Prisma.Sql {
  const events = visibility.everything
    ? Prisma.sql`(select e.id as event_id from events e)`
    : Prisma.sql`unnest(${visibility.all}::uuid[])`;
  const firstRowsSql = Prisma.sql`order by ${orderBySql(criteria)} limit ${computeRowLimitUpToPageEnd(criteria)}::bigint`;
  return Prisma.sql`
    select i.* from ${events} as v(event_id) cross join unnest(${[...states]}::incident_state[]) as s(state)
    cross join lateral (
      select ${sortColumnsSql(criteria, Prisma.sql`i.due_at`)} from incidents i
      where i.event_id = v.event_id and i.state = s.state and ${incidentNotHiddenSql(visibility.hidden)}
        and i.id not in (select w.id from withheld w) ${andAfterCursorSql(criteria)}
      ${firstRowsSql}
    ) i ${firstRowsSql}`;
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
