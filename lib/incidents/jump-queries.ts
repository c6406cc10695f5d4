import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import { containsSearchTextSql, matchesSearchTextSql } from "#lib/database/search-sql.ts";
import { sql, queryWithCustomPlan } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { IncidentState } from "#lib/incidents/schema.ts";
import { listMatchingJumpPages } from "#lib/incidents/jump-pages.ts";
import {
  MAX_JUMP_RESULTS_PER_KIND,
  type JumpQuery,
  type JumpResultsRecord,
} from "#lib/incidents/jump-schema.ts";
import {
  hasTeamAccessToEvent,
  listEventIdsOpenToLimitedSystemAdmin,
  hasSystemAdminAccessEverywhere,
  type Actor,
} from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter, isNoIncidentVisible } from "#lib/access/visibility.ts";

/**
 * Lists the incidents, events, people and pages that match a search and that the actor may open. Runs at most four
 * statements in parallel. Incidents and people of an event whose role the actor hasn't accepted are left out: pages
 * search while somebody types, which must accept nothing.
 */
export async function listJumpResults(
  actor: Actor,
  { search, language }: JumpQuery,
): Promise<JumpResultsRecord> {
  const withAcceptedRoles = { ...actor, events: actor.events.filter(({ invited }) => !invited) };
  const [incidents, events, people, pages] = await Promise.all([
    listIncidentsByTitleOrId(
      withAcceptedRoles,
      { search, id: ID_OR_ID_PREFIX.test(search) ? search.toLowerCase() : null },
      MAX_JUMP_RESULTS_PER_KIND,
    ),
    listMatchingEvents(actor, search),
    listMatchingPeople(withAcceptedRoles, search),
    listMatchingJumpPages(actor, search, language),
  ]);
  return { incidents, events, people, pages };
}

/** A whole id, or its first eight digits, by which people refer to a report. */
const ID_OR_ID_PREFIX = /^[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/i;

type JumpEvent = JumpResultsRecord["events"][number];

/** Lists matching events in which the actor has a role, and events of their organizations. */
async function listMatchingEvents(actor: Actor, search: string): Promise<JumpEvent[]> {
  const events = [
    ...actor.events.map(({ eventId }) => eventId),
    ...listEventIdsOpenToLimitedSystemAdmin(actor),
  ];
  const organizations = actor.organizations.map(({ organizationId }) => organizationId);
  const reachCondition = hasSystemAdminAccessEverywhere(actor)
    ? Prisma.sql`true`
    : Prisma.sql`(e.id = any(${events}::uuid[]) or e.organization_id = any(${organizations}::uuid[]))`;
  return sql.$queryRaw<JumpEvent[]>`
    select e.id, e.name, e.slug from events e
    where ${reachCondition} and ${containsSearchTextSql([Prisma.sql`e.name`, Prisma.sql`e.slug`], search)}
    order by e.is_active desc, e.name collate title_order, e.id limit ${MAX_JUMP_RESULTS_PER_KIND}::int`;
}

/** Lists matching people, each once, with one of the events that they share with the actor. */
async function listMatchingPeople(actor: Actor, search: string): Promise<JumpResultsRecord["people"]> {
  const teamEventIds = actor.events
    .map(({ eventId }) => eventId)
    .filter((eventId) => hasTeamAccessToEvent(actor, eventId));
  const reachableEventIds = [...teamEventIds, ...listEventIdsOpenToLimitedSystemAdmin(actor)];
  const canReachAll = hasSystemAdminAccessEverywhere(actor);
  if (!canReachAll && reachableEventIds.length === 0) return [];
  const reachCondition = canReachAll
    ? Prisma.sql`true`
    : Prisma.sql`r.event_id = any(${reachableEventIds}::uuid[])`;
  return sql.$queryRaw<JumpResultsRecord["people"]>`
    select p.id, p.name, json_build_object('id', e.id, 'name', e.name, 'slug', e.slug) as event
    from (
      select u.id, u.name, (select r.event_id from event_roles r where r.user_id = u.id and ${reachCondition} limit 1) as event_id
      from users u
      where ${containsSearchTextSql([Prisma.sql`u.name`], search)} and u.disabled_at is null
        and exists (select 1 from event_roles r where r.user_id = u.id and ${reachCondition})
      order by u.name collate title_order, u.id limit ${MAX_JUMP_RESULTS_PER_KIND}::int
    ) p join events e on e.id = p.event_id order by p.name collate title_order, p.id`;
}

type IncidentTitleMatch = {
  id: string;
  number: number;
  codeName: string;
  title: string;
  state: IncidentState;
  createdAt: string;
  event: { id: string; name: string; slug: string };
};

/**
 * Maximum number of matches that are sorted to find the newest; if there are more, some of the newest may be missing.
 * Without this limit, a word that is in every title would make the database sort all incidents that the actor may see.
 */
const MAX_TITLE_CANDIDATES = 200;

/**
 * Lists the incidents that the actor may see by words in the title or by id, newest first; of more matches than
 * `MAX_TITLE_CANDIDATES`, the newest of those that the database found first.
 */
async function listIncidentsByTitleOrId(
  actor: Actor,
  criteria: { search: string; id: string | null },
  limit: number,
): Promise<IncidentTitleMatch[]> {
  const visibility = getVisibleIncidentFilter(actor);
  if (isNoIncidentVisible(visibility)) return [];
  const title = matchesSearchTextSql([Prisma.sql`i.title_keys`], criteria.search);
  const named = criteria.id ? Prisma.sql`(${idPrefixCondition(criteria.id)} or ${title})` : title;
  const rows = await queryWithCustomPlan<{ row: IncidentTitleMatch }>(Prisma.sql`
    with found as materialized (
      select i.id, i.number, i.code_name, i.title, i.state, i.created_at, i.event_id from incidents i
      where ${incidentVisibilityConditionSql(visibility, actor)} and ${named} limit ${MAX_TITLE_CANDIDATES}::int
    )
    select json_build_object('id', i.id, 'number', i.number, 'codeName', i.code_name, 'title', i.title, 'state', i.state, 'createdAt', i.created_at,
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

/** Converts a time in the database's JSON, which drops zeros and names the zone, to the API's format (contract 3.6). */
const toIsoTime = (time: string): string => new Date(time).toISOString();
