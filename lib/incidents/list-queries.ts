import { SerializedJsonOutput } from "#lib/operation/json-text.ts";
import type { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { prisma, sql, queryWithCustomPlan } from "#lib/database/client.ts";
import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import { hasUsualPage } from "#lib/incidents/list-sql.ts";
import { buildIncidentPageStatements, selectPageSql } from "#lib/incidents/list-page-sql.ts";
import type {
  IncidentListCriteria,
  ActorIncidentListCriteria,
  IncidentListPageCursorSql,
} from "#lib/incidents/list-sql.ts";
import { INCIDENT_API_JSON_SQL, INCIDENT_ROW_JSON_SQL } from "#lib/incidents/json-sql.ts";
import type { ListedIncidentRef } from "#lib/incidents/access.ts";
import type { IncidentRow } from "#lib/incidents/record-queries.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import {
  isSystemAdmin,
  getEventRolesOfActor,
  hasTeamAccessToEvent,
  hasSystemAdminAccessToEvent,
  type Actor,
} from "#lib/operation/policy.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { filterEventsByIdOrSlug } from "#lib/operation/named-events.ts";
import {
  getVisibleIncidentFilter,
  type VisibleIncidentFilter,
  isNoIncidentVisible,
} from "#lib/access/visibility.ts";
import type { ParsedIncidentsAcrossEventsQuery, IncidentListQuery } from "#lib/incidents/list-schema.ts";

type IncidentPageQuery = IncidentListQuery & IncidentListPageCursorSql;

/**
 * `refs`: the incidents of the page. `lastKeys`: the position of the last one, if there are more and the query asks for
 * it.
 */
type IncidentListPage = { total: number; refs: ListedIncidentRef[]; lastKeys?: string[] | null };
export type IncidentListResult = IncidentListPage & { incidents: IncidentRow[] };

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
  };
}

async function resolveEventIds(actor: Actor, events: readonly string[]): Promise<string[]> {
  if (!isSystemAdmin(actor) && !actor.token?.system)
    return filterEventsByIdOrSlug(actor.events, events).map(({ eventId }) => eventId);
  const ids = events.map((event) => event.toLowerCase()).filter((one) => UUID_PATTERN.test(one));
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
  const submitted = Prisma.sql`i.reporter_id = ${userId}::uuid`;
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

/** `records`: the members of a JSON array, as text, each with what the projection selects. */
export type IncidentListPageJson = IncidentListPage & { records: string };

/** Writes an `IncidentList` as text. */
export const toIncidentListJson = (
  { records }: IncidentListPageJson,
  pagination: ReturnType<typeof buildPaginationFromTotal>,
): SerializedJsonOutput =>
  new SerializedJsonOutput(
    `{"incidents":[${records}],"pagination":${JSON.stringify(pagination)}}`,
    pagination,
  );

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
 * @param projection SQL of JSON text for an incident `i` with incidentJoinsSql
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
  if (isNoIncidentVisible(visibility)) return { records: "", refs: [], total: 0 };
  const { records, refs, total, lastKeys } = await fetchPage(pageRequest, projection);
  return {
    records: records ?? "",
    refs: refs ?? [],
    total: Number(total),
    ...(lastKeys !== undefined && { lastKeys }),
  };
}

/** `records` and `refs` are null for a page without incidents, and `lastKeys` for the last page. */
type PageRow = {
  records: string | null;
  refs: ListedIncidentRef[] | null;
  total: bigint;
  lastKeys?: string[] | null;
};

/** A plan for any word would be a bad one for most, and so would one for any page. */
async function fetchPage(pageRequest: ActorIncidentListCriteria, projection: Prisma.Sql): Promise<PageRow> {
  const statement = selectPageSql(pageRequest, buildIncidentPageStatements(pageRequest), projection);
  const { criteria } = pageRequest;
  const [page] =
    criteria.search || !hasUsualPage(criteria)
      ? await queryWithCustomPlan<PageRow>(statement)
      : await sql.$queryRaw<PageRow[]>(statement);
  return page as PageRow;
}
