import { sql, queryWithCustomPlan } from "#lib/database/client.ts";
import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { sortableIncidentsSql, visibleMatchingIncidentConditionSql } from "#lib/incidents/list-sql.ts";
import { resolveVisibleIncidentFilter } from "#lib/incidents/list-queries.ts";
import {
  keysetConditionSql,
  orderBySortKeysSql,
  buildIncidentSortKeysSql,
  type IncidentSortKeySql,
} from "#lib/incidents/sort-keys-sql.ts";
import type { IncidentState } from "#lib/incidents/schema.ts";
import type { ParsedIncidentsAcrossEventsQuery } from "#lib/incidents/list-schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";

/** Stepping through a list: to the adjacent incident in its order, and through all matches in batches. */

export type AdjacentIncident = { id: string; title: string; slug: string };
export type IncidentFiltersAndOrder = Omit<ParsedIncidentsAcrossEventsQuery, "page" | "limit">;

/**
 * Loads the incidents before and after an incident in a list, even if it no longer matches the filters itself.
 * @throws AppError NOT_FOUND when there is no such incident that the actor may see
 */
export async function loadAdjacentIncidents(
  actor: Actor,
  incidentId: string,
  query: IncidentFiltersAndOrder,
): Promise<{ previous: AdjacentIncident | null; next: AdjacentIncident | null }> {
  const visibility = await resolveVisibleIncidentFilter(actor, query.event);
  const listCondition = visibleMatchingIncidentConditionSql(actor, visibility, query);
  const keys = buildIncidentSortKeysSql(query);
  const selectAdjacentSql = (side: "after" | "before") => Prisma.sql`(
    select json_build_object('id', i.id, 'title', i.title, 'slug', e.slug)
    from (
      select i.id from ${sortableIncidentsSql(query, listCondition)} i
      where ${keysetConditionSql(keys, { side, currentSql: currentValueSql })} order by ${orderBySortKeysSql(keys, side)} limit 1
    ) f join incidents i on i.id = f.id join events e on e.id = i.event_id)`;
  const [row] = await sql.$queryRaw<{ previous: AdjacentIncident | null; next: AdjacentIncident | null }[]>`
    with current as materialized (
      select ${Prisma.join(keys.map(({ name, value }) => Prisma.sql`${value} as ${Prisma.raw(name)}`))}
      from incidents i where i.id = ${incidentId}::uuid and ${incidentVisibilityConditionSql(getVisibleIncidentFilter(actor), actor)}
    )
    select ${selectAdjacentSql("before")} as previous, ${selectAdjacentSql("after")} as next from current`;
  if (!row) throw createNotFoundError("incident");
  return row;
}

const currentValueSql = ({ name }: IncidentSortKeySql) => Prisma.raw(`(select c.${name} from current c)`);

type MatchingIncidentRef = {
  id: string;
  eventId: string;
  slug: string;
  title: string;
  state: IncidentState;
  createdAt: Date;
  updatedAt: Date;
};
/** The last incident of a batch, after which the next batch continues with older ones. */
export type MatchingIncidentsBatchCursor = { createdAt: string; id: string };

/**
 * Lists a batch of all matching incidents in events where the actor is on the team, by creation and newest first,
 * whatever order the page has: no change moves an incident in this order, so batches skip and repeat none. The query
 * runs with a custom plan, so that each batch starts in the index where the previous one ended.
 */
export async function listFilteredTeamIncidentsBatch(
  actor: Actor,
  query: Omit<IncidentFiltersAndOrder, "sort" | "order"> & { limit: number },
  after: MatchingIncidentsBatchCursor | undefined,
): Promise<{ refs: MatchingIncidentRef[]; complete: boolean }> {
  const visibility = await resolveVisibleIncidentFilter(actor, query.event);
  const teamVisibility = visibility.everything ? visibility : { ...visibility, own: [] };
  const cursorCondition = after
    ? Prisma.sql`(i.created_at, i.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : Prisma.sql`true`;
  const rows = await queryWithCustomPlan<MatchingIncidentRef>(Prisma.sql`
    select i.id, i.event_id as "eventId", e.slug, i.title, i.state::text as state, i.created_at as "createdAt",
      i.updated_at as "updatedAt"
    from incidents i join events e on e.id = i.event_id where ${visibleMatchingIncidentConditionSql(actor, teamVisibility, query)} and ${cursorCondition}
    order by i.created_at desc, i.id desc limit ${query.limit + 1}::int`);
  return { refs: rows.slice(0, query.limit), complete: rows.length <= query.limit };
}
