import { Prisma } from "#lib/generated/prisma/client.ts";
import { db, withItsOwnPlan } from "#lib/database/client.ts";
import type { Sql } from "#lib/database/sql.ts";
import { likePattern } from "#lib/operation/fields.ts";
import { json, type Member, orNull, record, recordOf, text, time, word } from "#lib/incidents/json-sql.ts";
import {
  afterTheFirst,
  enoughFor,
  isCommon,
  keepMatches,
  knownMatches,
  LEAST_WORTH,
  type Found,
} from "#lib/incidents/search-counts.ts";
import {
  eventRolesOf,
  incidentsVisibleTo,
  isTeam,
  passesIn,
  type Actor,
  type Visibility,
} from "#lib/operation/policy.ts";
import {
  OPEN_STATES,
  STATES,
  type CONTACT_METHODS,
  type CrossEventQuery,
  type Assigned,
  type Awaiting,
  type Due,
  type ListQuery,
  type RelatedFile,
  type Severity,
  type State,
} from "#lib/incidents/schema.ts";

/** An incident with what belongs to it; times are text already, as the API writes them (contract 3.6). */
export type IncidentRow = {
  id: string;
  title: string;
  description: string;
  state: State;
  severity: Severity | null;
  incidentAt: string | null;
  location: string | null;
  parties: string | null;
  eventId: string;
  reporterId: string | null;
  assignedResponderId: string | null;
  resolution: string | null;
  /** It is a note of the team. */
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

/** One incident of one event; both ids must fit (contract 3.5). Null when there is none. */
export async function findIncident(
  client: Sql,
  eventId: string,
  incidentId: string,
): Promise<IncidentRow | null> {
  const [found] = await client.$queryRaw<{ record: string }[]>`
    ${recordFrom(Prisma.sql`incidents`)} where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;
  return found ? incidentIn(found.record) : null;
}

/** Selects each incident `i` of a table, or of what a statement has just written to it, as `record`, for `incidentIn`. */
export const recordFrom = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select ${WHOLE_RECORD} as record from ${source} i ${RELATED}`;

export const incidentIn = (record: string): IncidentRow => JSON.parse(record) as IncidentRow;

/**
 * What the actor may see of a row: below the team, other people's addresses, the team's own files and a resolution that
 * is one of its notes are left out (contract 7.1).
 */
export function shownTo(actor: Actor, row: IncidentRow): IncidentRow {
  if (isTeam(actor, row.eventId)) return row;
  const relatedFiles = row.relatedFiles
    .filter(({ visibleToReporter, uploadedBy }) => visibleToReporter || uploadedBy?.id === actor.id)
    .map((file) => ({ ...file, uploadedBy: undefined, visibleToReporter: undefined }));
  const hide = (person: Person | null) =>
    person && (person.id === actor.id ? person : { ...person, email: null });
  return {
    ...row,
    resolution: row.resolutionInternal ? null : row.resolution,
    reporter: hide(row.reporter),
    assignedResponder: hide(row.assignedResponder),
    relatedFiles,
  };
}

export type Page = { incidents: IncidentRow[]; total: number };

/** The incidents of one event that the actor may see. */
export const listEventIncidents = (actor: Actor, eventId: string, query: ListQuery): Promise<Page> =>
  list(actor, incidentsVisibleTo(actor, eventId), filtersOf(query));

/** The same as text, where nothing of it has to be hidden from the actor. */
export const listEventIncidentsText = (actor: Actor, eventId: string, query: ListQuery) =>
  listText(actor, incidentsVisibleTo(actor, eventId), filtersOf(query));

/** The incidents across all events that the actor may see (contract 7.13). `event` takes ids and slugs. */
export const listIncidentsAcrossEvents = async (
  actor: Actor,
  { event, ...query }: CrossEventQuery,
): Promise<Page> => list(actor, await visibleIn(actor, event), filtersOf(query));

/** The same as text, where nothing of it has to be hidden from the actor. */
export const listIncidentsAcrossEventsText = async (actor: Actor, { event, ...query }: CrossEventQuery) =>
  listText(actor, await visibleIn(actor, event), filtersOf(query));

const filtersOf = (query: ListQuery): Wanted => ({ ...query, severity: query.severity ?? query.priority });

/** What the actor may see of these events, by id or slug; of all of them when none is named. */
export async function visibleIn(actor: Actor, events: readonly string[] | undefined): Promise<Visibility> {
  if (events === undefined) return incidentsVisibleTo(actor);
  const ids = await eventIdsOf(actor, events);
  const each = ids.map((id) => incidentsVisibleTo(actor, id));
  const together = (name: "all" | "own") => each.flatMap((one) => (one.everything ? [] : one[name]));
  return { everything: false, all: together("all"), own: together("own") };
}

async function eventIdsOf(actor: Actor, events: readonly string[]): Promise<string[]> {
  const wanted = events.map((event) => event.toLowerCase());
  const named = ({ eventId, slug }: { eventId: string; slug: string }) =>
    wanted.includes(eventId) || events.includes(slug);
  if (!actor.systemAdmin && !actor.token?.system)
    return actor.events.filter(named).map(({ eventId }) => eventId);
  const found = await db.$queryRaw<{ id: string }[]>`
    select id from events where slug = any(${[...events]}::text[]) or id::text = any(${wanted}::text[])`;
  return found.map(({ id }) => id).filter((id) => passesIn(actor, id) || eventRolesOf(actor, id).length > 0);
}

type PersonQuery = ListQuery & { type: "submitted" | "assigned" | "all" };

/** What one person reported in an event, or is assigned to there; newest first. */
export function listIncidentsOfUser(
  actor: Actor,
  eventId: string,
  userId: string,
  query: PersonQuery,
): Promise<Page> {
  const submitted = Prisma.sql`i.reporter_id = ${userId}::uuid`;
  const assigned = Prisma.sql`i.assigned_responder_id = ${userId}::uuid`;
  const either = Prisma.sql`(${submitted} or ${assigned})`;
  const person = { submitted, assigned, all: either }[query.type];
  return list(actor, incidentsVisibleTo(actor, eventId), {
    ...query,
    severity: query.severity ?? query.priority,
    person,
  });
}

/** The ids that the actor has pinned and may still see, in one event or in all (contract 7.14). */
export async function listPins(actor: Actor, eventId?: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    select i.id from pins p join incidents i on i.id = p.incident_id
    where p.user_id = ${actor.id}::uuid and ${eventId ? Prisma.sql`p.event_id = ${eventId}::uuid` : Prisma.sql`true`}
      and ${visible(incidentsVisibleTo(actor, eventId), actor)}
    order by p.created_at desc, i.id`;
  return rows.map(({ id }) => id);
}

type FoundIncident = {
  id: string;
  title: string;
  state: State;
  createdAt: string;
  event: { id: string; name: string; slug: string };
};

/** So many matches are looked at for the newest among them: a word that stands in every title must not sort them all. */
const MOST_LOOKED_AT = 200;

/** The incidents whose title holds the words, or whose id it is, among those the actor may see; the newest first. */
export async function findByTitle(
  actor: Actor,
  wanted: { search: string; id: string | null },
  limit: number,
): Promise<FoundIncident[]> {
  const visibility = incidentsVisibleTo(actor);
  if (seesNothing(visibility)) return [];
  const title = Prisma.sql`i.title ilike ${likePattern(wanted.search)}`;
  const named = wanted.id ? Prisma.sql`(${idFrom(wanted.id)} or ${title})` : title;
  const rows = await withItsOwnPlan<{ row: FoundIncident }>(Prisma.sql`
    with found as materialized (
      select i.id, i.title, i.state, i.created_at, i.event_id from incidents i
      where ${visible(visibility, actor)} and ${named} limit ${MOST_LOOKED_AT}::int
    )
    select json_build_object('id', i.id, 'title', i.title, 'state', i.state, 'createdAt', i.created_at,
      'event', json_build_object('id', e.id, 'name', e.name, 'slug', e.slug)) as row
    from found i join events e on e.id = i.event_id order by i.created_at desc, i.id desc limit ${limit}::int`);
  return rows.map(({ row }) => ({ ...row, createdAt: iso(row.createdAt) }));
}

/** By a whole id, or by its first eight digits: ids are in order, so those that begin so stand side by side. */
function idFrom(start: string): Prisma.Sql {
  const [from, to] = ["0", "f"].map(
    (digit) => start + `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.slice(start.length).replaceAll("x", digit),
  );
  return Prisma.sql`i.id between ${from}::uuid and ${to}::uuid`;
}

type Wanted = Omit<ListQuery, "priority"> & { person?: Prisma.Sql };

/**
 * One statement for the page with its total, whatever the filters. The database hands the records over as JSON: some
 * thirty columns a row cost the driver more than the whole query costs the database (docs/performance.md).
 */
async function list(actor: Actor, visibility: Visibility, wanted: Wanted): Promise<Page> {
  const { records, total } = await recordsOf({ actor, visibility, wanted }, WHOLE_RECORD);
  const rows = JSON.parse(`[${records}]`) as IncidentRow[];
  return { incidents: rows.map((row) => shownTo(actor, row)), total };
}

/** A page as the members of a JSON array, in the shape of the contract. */
export type PageText = { records: string; total: number };

/**
 * A page for those who may see everything of every incident on it, as text that needs no reading: on the team of all
 * events that are asked about. Undefined for anybody else, whose rows `shownTo` has to go through.
 */
function listText(actor: Actor, visibility: Visibility, wanted: Wanted): Promise<PageText> | undefined {
  const whole = visibility.everything
    ? actor.systemAdmin
    : visibility.own.length === 0 && visibility.all.every((eventId) => isTeam(actor, eventId));
  return whole ? recordsOf({ actor, visibility, wanted }, RECORD) : undefined;
}

/**
 * A page of what the actor may see across events, in another shape.
 * @param written JSON as text, of an incident `i` with RELATED
 */
export const listAcrossEventsAs = async (
  actor: Actor,
  { event, ...query }: CrossEventQuery,
  written: Prisma.Sql,
): Promise<PageText> =>
  recordsOf({ actor, visibility: await visibleIn(actor, event), wanted: filtersOf(query) }, written);

/** The same of one event. */
export const listOfEventAs = (
  actor: Actor,
  { eventId, ...query }: ListQuery & { eventId: string },
  written: Prisma.Sql,
): Promise<PageText> =>
  recordsOf({ actor, visibility: incidentsVisibleTo(actor, eventId), wanted: filtersOf(query) }, written);

async function recordsOf(selecting: Selecting, written: Prisma.Sql): Promise<PageText> {
  const { visibility, wanted } = selecting;
  if (seesNothing(visibility)) return { records: "", total: 0 };
  const search = searchOf(selecting);
  if (search) return searchedRecords(search, written);
  const { found, total } = selected(selecting);
  const statement = Prisma.sql`
    with ${found} select (${total}) as total, ${recordsIn(wanted, written)} as records`;
  const [page] = wanted.search
    ? await withItsOwnPlan<FoundPage>(statement)
    : await db.$queryRaw<FoundPage[]>(statement);
  return pageText(page);
}

type FoundPage = { records: string | null; total: bigint };

const pageText = (page: FoundPage | undefined): PageText => ({
  records: page?.records ?? "",
  total: Number(page?.total ?? 0),
});

/** The records of the page whose ids are in `found`, in order. */
const recordsIn = (wanted: Wanted, written: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  select string_agg(r.record, ',') from (
    select ${written} as record from found join incidents i on i.id = found.id ${RELATED} order by ${ordering(wanted)}
  ) r)`;

/** `looked`: what is looked for, in these events. */
type Search = { actor: Actor; events: string[]; wanted: Wanted; looked: string };

/** A search of which what it found may be kept: by words and state, in events of the team. */
function searchOf({ actor, visibility, wanted }: Selecting): Search | undefined {
  const { page: _page, limit: _limit, order: _order, sort, search, status, ...others } = wanted;
  if (!search || sort !== "createdAt" || visibility.everything || visibility.own.length > 0) return undefined;
  if (Object.values(others).some((filter) => filter !== undefined)) return undefined;
  const looked = JSON.stringify([search, [...(status ?? [])].sort()]);
  return { actor, events: visibility.all, wanted, looked };
}

type SearchedPage = FoundPage & { events: Found[] | null };

/** A page of a search. How many match is counted anew only in events that have changed since it was counted last. */
const searchedRecords = (search: Search, written: Prisma.Sql): Promise<PageText> =>
  afterTheFirst(search.looked, async () => {
    const { looked, events, wanted } = search;
    const known = knownMatches(looked, events);
    const statement =
      known && offsetOf(wanted) <= MOST_SKIPPED && isCommon(known, lastOf(wanted))
        ? searchedAgainSql(search, known, written)
        : searchedSql(search, written);
    const [page] = await withItsOwnPlan<SearchedPage>(statement);
    keepMatches(looked, page?.events ?? []);
    return pageText(page);
  });

/** All that matches is looked up; where that is much, how much of it is of which event comes along. */
const searchedSql = ({ actor, events, wanted }: Search, written: Prisma.Sql): Prisma.Sql => Prisma.sql`
  with matching as materialized (
    select i.id, i.state, i.created_at, i.event_id from incidents i where ${eventIn(events)} and ${conditions(actor, wanted)}
  ), found as materialized (${pageOf(wanted, Prisma.sql`matching i`)}), ${standsSql(events)}
  select (select count(*) from matching) as total, ${recordsIn(wanted, written)} as records,
    case when (select count(*) from matching) >= ${LEAST_WORTH}::int then (
      select json_agg(json_build_object('eventId', s.event_id, 'version', s.version, 'reports', s.reports, 'matching', coalesce(m.n, 0)))
      from stands s left join (select event_id, count(*) as n from matching group by 1) m using (event_id)
    ) end as events`;

/** The newest are gone through until the page is full; only events that have changed are counted. */
function searchedAgainSql(
  { actor, events, wanted }: Search,
  known: readonly Found[],
  written: Prisma.Sql,
): Prisma.Sql {
  const fits = conditions(actor, wanted);
  const column = (name: "eventId" | "version" | "matching") => known.map((one) => one[name]);
  const each = Prisma.sql`
    select f.id, f.created_at from unnest(${events}::uuid[]) as v(event_id) cross join lateral (
      select i.id, i.created_at from incidents i where i.event_id = v.event_id and ${fits}
      order by ${ordering(wanted)} limit ${lastOf(wanted)}::bigint
    ) f`;
  return Prisma.sql`
    with ${standsSql(events)}, known as materialized (
      select s.event_id, k.matching from stands s
      join unnest(${column("eventId")}::uuid[], ${column("version")}::bigint[], ${column("matching")}::int[]) as k(event_id, version, matching)
        using (event_id, version)
    ), changed as materialized (
      select * from stands where event_id not in (select event_id from known)
    ), again as materialized (
      select c.*, n.matching from changed c cross join lateral (
        select count(*) as matching from incidents i where i.event_id = c.event_id and ${fits}
      ) n
    ), recent as materialized (
      select i.id, i.created_at from (
        select i.* from incidents i order by ${ordering(wanted)} limit ${enoughFor(known, lastOf(wanted))}::bigint
      ) i where ${eventIn(events)} and ${fits} order by ${ordering(wanted)} limit ${lastOf(wanted)}::bigint
    ), found as materialized (
      select i.id from (${recentOr(each, wanted)}) i order by ${ordering(wanted)}
      limit ${wanted.limit}::bigint offset ${offsetOf(wanted)}::bigint
    )
    select (select coalesce(sum(matching), 0) from known) + (select coalesce(sum(matching), 0) from again) as total,
      ${recordsIn(wanted, written)} as records,
      (select json_agg(json_build_object('eventId', event_id, 'version', version, 'reports', reports, 'matching', matching))
        from again) as events`;
}

/** How the events stand: what has changed in them, and how many reports they have. */
const standsSql = (events: string[]): Prisma.Sql => Prisma.sql`stands as materialized (
    select n.event_id, sum(n.changes)::bigint as version,
      sum(n.submitted + n.acknowledged + n.investigating + n.resolved + n.closed)::bigint as reports
    from incident_counts n where n.event_id = any(${events}::uuid[]) group by n.event_id
  )`;

const seesNothing = (visibility: Visibility) =>
  !visibility.everything && visibility.all.length === 0 && visibility.own.length === 0;

type Selecting = { actor: Actor; visibility: Visibility; wanted: Wanted };
/** `found`: common table expressions, the last of which holds the ids of the page; `total`: how many match. */
type Selected = { found: Prisma.Sql; total: Prisma.Sql };

/**
 * By state alone the counters know how many match, and an index has the page. Anything else must be counted,
 * so what matches is looked up once, and the page is a part of it: left to choose, the planner reads the
 * newest rows one by one until the page is full, which for a rare word is nearly all of them.
 */
function selected({ actor, visibility, wanted }: Selecting): Selected {
  const fits = matching(actor, visibility, wanted);
  if (!isCounted(wanted) && (visibility.everything || visibility.own.length === 0)) {
    const page =
      newestOfEach({ actor, visibility, wanted }) ?? pageOf(wanted, Prisma.sql`incidents i where ${fits}`);
    return { found: Prisma.sql`found as materialized (${page})`, total: totalOf(visibility, wanted) };
  }
  const sorted = { title: Prisma.sql`, i.title`, due: Prisma.sql`, i.due_at` };
  const key = sorted[wanted.sort as keyof typeof sorted] ?? Prisma.empty;
  return {
    found: Prisma.sql`matching as materialized (
      select i.id, i.state, i.created_at${key} from incidents i where ${fits}
    ), found as materialized (${pageOf(wanted, Prisma.sql`matching i`)})`,
    total: Prisma.sql`select count(*) from matching`,
  };
}

/** What the counters don't know must be counted: whatever narrows the list, but for the state. */
function isCounted(wanted: Wanted): boolean {
  const { page: _page, limit: _limit, sort: _sort, order: _order, status: _status, ...others } = wanted;
  return Object.values(others).some((filter) => filter !== undefined);
}

/** The ids of one page, in order. */
const pageOf = (wanted: Wanted, source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select i.id from ${source} order by ${ordering(wanted)}
    limit ${wanted.limit}::bigint offset ${offsetOf(wanted)}::bigint`;

const offsetOf = ({ page, limit }: Wanted): number => (page - 1) * limit;

/**
 * Many events or states, newest first: each event, and each state of it where some are wanted, gives its own first
 * rows from an index, and only those are sorted. Where many events are asked about, the newest of all events come
 * first: mostly enough of them belong to these, and no event has to be looked into by itself.
 */
function newestOfEach(selecting: Selecting): Prisma.Sql | undefined {
  const { visibility, wanted } = selecting;
  const states = wanted.status ?? [];
  if (visibility.everything || (visibility.all.length < 2 && states.length < 2)) return undefined;
  if (wanted.sort !== "createdAt" || offsetOf(wanted) > MOST_SKIPPED) return undefined;
  const each = firstOfEach(visibility.all, wanted);
  const { recent, rows } =
    visibility.all.length < MANY_EVENTS
      ? { recent: Prisma.empty, rows: each }
      : { recent: recentOf(visibility.all, wanted), rows: recentOr(each, wanted) };
  return Prisma.sql`
    ${recent} select c.id from (${rows}) c
    order by c.created_at ${direction(wanted)}, c.id ${direction(wanted)}
    limit ${wanted.limit}::bigint offset ${offsetOf(wanted)}::bigint`;
}

function firstOfEach(events: string[], wanted: Wanted): Prisma.Sql {
  const states = wanted.status ?? [];
  const eachState =
    states.length > 0 ? Prisma.sql`cross join unnest(${states}::incident_state[]) as s(state)` : Prisma.empty;
  const inState = states.length > 0 ? Prisma.sql`and i.state = s.state` : Prisma.empty;
  return Prisma.sql`
    select f.id, f.created_at from unnest(${events}::uuid[]) as v(event_id) ${eachState}
    cross join lateral (
      select i.id, i.created_at from incidents i where i.event_id = v.event_id ${inState}
      order by ${ordering(wanted)} limit ${lastOf(wanted)}::bigint
    ) f`;
}

/** Further back, all that belongs to the list is sorted. */
const MOST_SKIPPED = 2000;

/** From so many events on, looking at the newest of all costs less than looking into each. */
const MANY_EVENTS = 8;
/** So many times what is needed: enough where a fifth of the newest belong to the events. */
const LOOKED_AT = 5;

const lastOf = (wanted: Wanted): number => offsetOf(wanted) + wanted.limit;

/** Those of the newest incidents of all events that belong to these. */
function recentOf(events: string[], wanted: Wanted): Prisma.Sql {
  const states = wanted.status
    ? Prisma.sql`and n.state = any(${[...wanted.status]}::incident_state[])`
    : Prisma.empty;
  return Prisma.sql`with recent as materialized (
      select n.id, n.created_at from (
        select i.id, i.created_at, i.event_id, i.state from incidents i
        order by ${ordering(wanted)} limit ${LOOKED_AT * lastOf(wanted)}::bigint
      ) n where n.event_id = any(${events}::uuid[]) ${states}
    )`;
}

/** Enough of them are the page and what comes before it; otherwise nothing is taken from them. */
function recentOr(each: Prisma.Sql, wanted: Wanted): Prisma.Sql {
  const enough = Prisma.sql`(select count(*) from recent) >= ${lastOf(wanted)}::bigint`;
  return Prisma.sql`
    select r.id, r.created_at from recent r where ${enough}
    union all select e.id, e.created_at from (${each}) e where not ${enough}`;
}

/** How many there are, by state where that is wanted. */
function totalOf(visibility: Visibility, wanted: Wanted): Prisma.Sql {
  const states = wanted.status ?? STATES;
  const column = Prisma.raw(states.map((state) => `n.${state}`).join(" + "));
  const where = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`n.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`select coalesce(sum(${column}), 0)::bigint from incident_counts n where ${where}`;
}

export function visible(visibility: Visibility, actor: Actor): Prisma.Sql {
  if (visibility.everything) return Prisma.sql`true`;
  const all = eventIn(visibility.all);
  if (visibility.own.length === 0) return all;
  const own = Prisma.sql`(i.reporter_id = ${actor.id}::uuid and ${eventIn(visibility.own)})`;
  return visibility.all.length === 0 ? own : Prisma.sql`(${all} or ${own})`;
}

const eventIn = (ids: string[]) =>
  ids.length === 1 ? Prisma.sql`i.event_id = ${ids[0]}::uuid` : Prisma.sql`i.event_id = any(${ids}::uuid[])`;

type Filtering = Omit<Wanted, "page" | "limit" | "sort" | "order"> & Partial<Pick<ListQuery, "priority">>;

/** Of an incident `i`: the actor may see it, and it fits the filters. */
export const matching = (
  actor: Actor,
  visibility: Visibility,
  { priority, ...wanted }: Filtering,
): Prisma.Sql =>
  seesNothing(visibility)
    ? Prisma.sql`false`
    : Prisma.sql`${visible(visibility, actor)} and ${conditions(actor, { ...wanted, severity: wanted.severity ?? priority })}`;

function conditions(actor: Actor, wanted: Filtering): Prisma.Sql {
  const { from, to, anonymous, escalated, pinned, person, search } = wanted;
  const parts: Prisma.Sql[] = [Prisma.sql`true`];
  if (wanted.status) parts.push(inState(wanted.status));
  if (wanted.severity) parts.push(ofSeverity(wanted.severity));
  if (wanted.assigned) parts.push(assignedTo(actor, wanted.assigned));
  if (from) parts.push(Prisma.sql`i.created_at >= ${from}::timestamptz`);
  if (to) parts.push(Prisma.sql`i.created_at < ${to}::timestamptz`);
  if (anonymous !== undefined) parts.push(only(anonymous, Prisma.sql`i.reporter_id is null`));
  if (escalated !== undefined) parts.push(only(escalated, Prisma.sql`i.escalated_at is not null`));
  if (wanted.files !== undefined) parts.push(only(wanted.files, hasFiles(actor)));
  if (pinned !== undefined) parts.push(only(pinned, hasPin(actor)));
  if (wanted.due) parts.push(anyOf(wanted.due.map((when) => IS_DUE[when])));
  if (wanted.awaiting) parts.push(anyOf(wanted.awaiting.map((side) => IS_AWAITED[side])));
  if (person) parts.push(person);
  if (search) parts.push(matches(likePattern(search)));
  return Prisma.join(parts, " and ");
}

const only = (so: boolean, condition: Prisma.Sql) => (so ? condition : Prisma.sql`not (${condition})`);

/** The open ones are named as they stand in the partial indexes, or the planner would not think of these. */
function inState(states: readonly State[]): Prisma.Sql {
  if (states.length === OPEN_STATES.length && OPEN_STATES.every((state) => states.includes(state)))
    return IS_OPEN;
  const [first] = states;
  return states.length === 1
    ? Prisma.sql`i.state = ${first}::incident_state`
    : Prisma.sql`i.state = any(${[...states]}::incident_state[])`;
}

export const IS_OPEN = Prisma.sql`i.state in ('submitted', 'acknowledged', 'investigating')`;

/** Soon is within a day. */
export const IS_DUE: Record<Due, Prisma.Sql> = {
  overdue: Prisma.sql`i.due_at < now()`,
  soon: Prisma.sql`(i.due_at >= now() and i.due_at < now() + interval '1 day')`,
  later: Prisma.sql`i.due_at >= now() + interval '1 day'`,
};

const awaited = (lastWord: "team" | "reporter") =>
  Prisma.sql`(${IS_OPEN} and i.last_word = ${Prisma.raw(`'${lastWord}'`)} and i.reporter_id is not null)`;

/** The other side wrote last, and there is somebody who can answer. */
export const IS_AWAITED: Record<Awaiting, Prisma.Sql> = {
  reporter: awaited("team"),
  team: awaited("reporter"),
};

function ofSeverity(severities: readonly (Severity | "none")[]): Prisma.Sql {
  const named = severities.filter((severity) => severity !== "none");
  const parts = [
    ...(named.length > 0 ? [Prisma.sql`i.severity = any(${named}::severity[])`] : []),
    ...(named.length < severities.length ? [Prisma.sql`i.severity is null`] : []),
  ];
  return anyOf(parts);
}

function assignedTo(actor: Actor, assigned: readonly Assigned[]): Prisma.Sql {
  const ways: Record<Assigned, Prisma.Sql> = {
    me: Prisma.sql`i.assigned_responder_id = ${actor.id}::uuid`,
    unassigned: Prisma.sql`i.assigned_responder_id is null`,
    others: Prisma.sql`i.assigned_responder_id <> ${actor.id}::uuid`,
  };
  return anyOf(assigned.map((way) => ways[way]));
}

const anyOf = (parts: Prisma.Sql[]) => Prisma.sql`(${Prisma.join(parts, " or ")})`;

/** A reporter doesn't learn of the team's own files. */
function hasFiles(actor: Actor): Prisma.Sql {
  const visibility = incidentsVisibleTo(actor);
  const teams = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`f.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`exists (select 1 from related_files f where f.incident_id = i.id
    and (f.visible_to_reporter or f.uploaded_by_id = ${actor.id}::uuid or ${teams}))`;
}

const hasPin = (actor: Actor) =>
  Prisma.sql`i.id in (select p.incident_id from pins p where p.user_id = ${actor.id}::uuid)`;

/** Titles, descriptions and reporter names (contract 7.12), literally and in any letter case. */
const matches = (pattern: string) => Prisma.sql`(i.title ilike ${pattern} or i.description ilike ${pattern}
  or i.reporter_id = any(array(select u.id from users u where u.name ilike ${pattern})))`;

/** sort=status follows the workflow, since the state is an enum in that order (contract 7.12). */
function ordering(wanted: Pick<Wanted, "sort" | "order">): Prisma.Sql {
  const way = direction(wanted);
  if (wanted.sort === "title") return Prisma.sql`lower(i.title) ${way}, i.id ${way}`;
  if (wanted.sort === "status") return Prisma.sql`i.state ${way}, i.created_at desc, i.id desc`;
  if (wanted.sort === "due") return Prisma.sql`i.due_at ${way} nulls last, i.created_at desc, i.id desc`;
  return Prisma.sql`i.created_at ${way}, i.id ${way}`;
}

const direction = ({ order }: Pick<Wanted, "order">) =>
  order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;

/** @param shows a condition of SQL on the address being shown */
const person = (id: string, of: string, shows: string): Member =>
  recordOf(id, {
    id: word(id),
    name: text(`coalesce(${of}.name, '')`),
    email: orNull(text(`case when ${shows} then ${of}.email end`)),
  });

/** Of a person in the event of an incident `i`, by whether they accepted their role there. */
const roleOf = (id: string, accepted: boolean) =>
  `(select 1 from event_roles h where h.event_id = i.event_id and h.user_id = ${id} and ${accepted ? "not " : ""}h.pending)`;

const FILES = `(select json_agg(json_build_object('id', f.id, 'filename', f.filename, 'mimetype', f.mimetype,
    'size', f.size, 'createdAt', to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'sha256', f.sha256, 'description', f.description, 'reveals', f.reveals, 'clean', f.clean_state,
    'hasOriginal', f.original_key is not null, 'visibleToReporter', f.visible_to_reporter,
    'uploadedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end) order by f.created_at, f.id)
  from related_files f left join users p on p.id = f.uploaded_by_id where f.incident_id = i.id)`;

const MEMBERS = {
  id: word("i.id"),
  title: text("i.title"),
  description: text("i.description"),
  state: word("i.state"),
  severity: orNull(word("i.severity")),
  incidentAt: orNull(time("i.incident_at")),
  location: orNull(text("i.location")),
  parties: orNull(text("i.parties")),
  eventId: word("i.event_id"),
  reporterId: orNull(word("i.reporter_id")),
  assignedResponderId: orNull(word("i.assigned_responder_id")),
  resolution: orNull(text("i.resolution")),
  firstResponseAt: orNull(time("i.first_response_at")),
  resolvedAt: orNull(time("i.resolved_at")),
  escalatedAt: orNull(time("i.escalated_at")),
  reopenedAt: orNull(time("i.reopened_at")),
  createdAt: time("i.created_at"),
  updatedAt: time("i.updated_at"),
  type: orNull(text("i.type")),
  contactMethod: word("i.contact_method"),
  event: record({ id: word("e.id"), name: text("e.name"), slug: text("e.slug") }),
  // Who reported was there; who is assigned may never have agreed to it (contract 2.7).
  reporter: person("i.reporter_id", "r", `not exists ${roleOf("i.reporter_id", false)}`),
  assignedResponder: person(
    "i.assigned_responder_id",
    "a",
    `exists ${roleOf("i.assigned_responder_id", true)}`,
  ),
  relatedFiles: json(`coalesce(${FILES}::text, '[]')`),
} satisfies Record<Exclude<keyof IncidentRow, "resolutionInternal">, Member>;

/**
 * An incident as JSON in the shape of the contract, of an incident `i` with RELATED, put together from text. It takes
 * the database a little longer than a row to JSON, and spares the service reading, shaping and writing it.
 */
const RECORD = Prisma.raw(record(MEMBERS).value);
/** With what `shownTo` goes by. */
const WHOLE_RECORD = Prisma.raw(
  record({ ...MEMBERS, resolutionInternal: text("i.resolution_internal") }).value,
);

const RELATED = Prisma.sql`join events e on e.id = i.event_id
  left join users r on r.id = i.reporter_id left join users a on a.id = i.assigned_responder_id`;

/** A time in the database's JSON, which drops zeros and names the zone, as the API writes it (contract 3.6). */
const iso = (time: string): string => new Date(time).toISOString();
