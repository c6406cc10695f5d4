import { Prisma } from "#lib/generated/prisma/client.ts";
import { isReadableSql, readableIncidentCountsSql } from "#lib/access/readers-sql.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";
import {
  andAfterCursorSql,
  visibleMatchingIncidentConditionSql,
  MAX_INDEXED_OFFSET,
  computeOffset,
  orderBySql,
  computeRowLimitUpToPageEnd,
  incidentIdsOfPageSql,
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

/** SQL of the pages of incident lists. */

/**
 * The statement for a page of incidents: their records as JSON text, their ids and events, the total, and with `lookahead`
 * the position of the last one.
 */
export const selectPageSql = (
  { actor, criteria }: Pick<ActorIncidentListCriteria, "actor" | "criteria">,
  { found, total }: IncidentListPageStatements,
  projection: Prisma.Sql,
): Prisma.Sql => Prisma.sql`
    with ${found} select (${total}) as total, shown.records, shown.refs
      ${criteria.lookahead ? Prisma.sql`, ${buildNextPageCursorSortKeysSql(criteria)} as "lastKeys"` : Prisma.empty}
    from (${aggregateRecordsSql(criteria, { actor, projection })}) shown`;

/** The records of the page whose ids are in `found`, in order. */
const aggregateRecordsSql = (
  criteria: IncidentListCriteria,
  { actor, projection }: { actor: Actor; projection: Prisma.Sql },
): Prisma.Sql => Prisma.sql`
  select string_agg(r.record, ',') as records, json_agg(json_build_object('id', r.id, 'eventId', r.event_id)) as refs from (
    select ${projection} as record, i.id, i.event_id from found join ${incidentsWithAnswerSql(actor)} i on i.id = found.id ${incidentJoinsSql()} order by ${orderBySql(criteria)} limit ${criteria.limit}::bigint
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
 * By urgency: takes the first rows of lists that the index incidents_urgency has in order, one for each event and state,
 * and sorts only those. Only the lists whose first row comes early enough can have a row on the page, so the others are
 * left after that row.
 */
function mostUrgentPerEventSql(pageRequest: ActorIncidentListCriteria): Prisma.Sql | undefined {
  const { actor, visibility, criteria } = pageRequest;
  if (criteria.sort !== "urgency" || computeOffset(criteria) > MAX_INDEXED_OFFSET) return undefined;
  const events = visibility.everything
    ? Prisma.sql`(select e.id as event_id from events e)`
    : Prisma.sql`unnest(${visibility.all}::uuid[])`;
  const rowLimit = computeRowLimitUpToPageEnd(criteria);
  const withFirstRowsSql = (lists: Prisma.Sql, limit: number) => Prisma.sql`${lists} l cross join lateral (
      select ${sortColumnsSql(criteria)} from incidents i
      where i.event_id = l.event_id and i.state = l.state and ${isReadableSql(actor)} ${andAfterCursorSql(criteria)}
      order by ${orderBySql(criteria)} limit ${limit}::bigint) i`;
  const lists = Prisma.sql`(select v.event_id, s.state from ${events} as v(event_id)
    cross join unnest(${[...(criteria.status ?? INCIDENT_STATES)]}::incident_state[]) as s(state))`;
  const earlyLists = Prisma.sql`(select l.event_id, l.state from ${withFirstRowsSql(lists, 1)}
    order by ${orderBySql(criteria)} limit ${rowLimit}::bigint)`;
  return incidentIdsOfPageSql(
    criteria,
    Prisma.sql`(select i.* from ${withFirstRowsSql(earlyLists, rowLimit)}) i`,
  );
}

/** The total of the requested states from the counters. */
function countedTotalSql({ actor, visibility, criteria }: ActorIncidentListCriteria): Prisma.Sql {
  const states = criteria.status ?? INCIDENT_STATES;
  const where = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`n.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`select coalesce(sum(${sumStateCountsSql("n", states)}), 0)::bigint
    from ${readableIncidentCountsSql(actor)} n where ${where}`;
}
