import { Prisma } from "#lib/generated/prisma/client.ts";
import { db } from "#lib/db.ts";
import type { Sql } from "#lib/sql.ts";
import { likePattern } from "#lib/api/text.ts";
import { incidentsVisibleTo, isTeam, type Actor, type Visibility } from "#lib/policy.ts";
import type {
  CONTACT_METHODS,
  CrossEventQuery,
  ListQuery,
  RelatedFile,
  Severity,
  State,
} from "#lib/incidents/schema.ts";

/** An incident with what belongs to it; times are text already, as the API writes them (rulings R4). */
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

/** One incident of one event; both ids must fit (rulings R1). Null when there is none. */
export async function findIncident(
  client: Sql,
  eventId: string,
  incidentId: string,
): Promise<IncidentRow | null> {
  const [found] = await client.$queryRaw<{ row: FlatRow }[]>`
    select to_json(r) as row from (
      select ${COLUMNS} from incidents i ${RELATED} where i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid
    ) r`;
  return found ? unfold(found.row) : null;
}

/**
 * What the actor may see of a row: below the team, other people's addresses, the team's own files and a resolution that
 * is one of its notes are left out (rulings R4).
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
  list(actor, incidentsVisibleTo(actor, eventId), { ...query, severity: query.severity ?? query.priority });

/** The incidents across all events that the actor may see (interface 4.6). `event` takes an id or a slug. */
export async function listIncidentsAcrossEvents(actor: Actor, query: CrossEventQuery): Promise<Page> {
  const wanted = query.event === undefined ? undefined : await eventIdOf(actor, query.event);
  if (wanted === null) return { incidents: [], total: 0 };
  return list(actor, incidentsVisibleTo(actor, wanted), {
    ...query,
    severity: query.severity ?? query.priority,
  });
}

async function eventIdOf(actor: Actor, event: string): Promise<string | null> {
  const held = actor.events.find(({ eventId, slug }) => eventId === event.toLowerCase() || slug === event);
  if (held || !actor.systemAdmin) return held?.eventId ?? null;
  const [found] = await db.$queryRaw<{ id: string }[]>`
    select id from events where slug = ${event} or id::text = ${event.toLowerCase()} limit 1`;
  return found?.id ?? null;
}

export type PersonQuery = ListQuery & { type: "submitted" | "assigned" | "all" };

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

/** The ids that the actor has pinned and may still see, in one event or in all (interface 4.7). */
export async function listPins(actor: Actor, eventId?: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    select i.id from pins p join incidents i on i.id = p.incident_id
    where p.user_id = ${actor.id}::uuid and ${eventId ? Prisma.sql`p.event_id = ${eventId}::uuid` : Prisma.sql`true`}
      and ${visible(incidentsVisibleTo(actor, eventId), actor)}
    order by p.created_at desc, i.id`;
  return rows.map(({ id }) => id);
}

type Wanted = {
  page: number;
  limit: number;
  search?: string | undefined;
  status?: State | undefined;
  severity?: Severity | undefined;
  assigned?: "me" | "unassigned" | "others" | undefined;
  sort: "title" | "createdAt" | "status";
  order: "asc" | "desc";
  person?: Prisma.Sql;
};

/**
 * One statement for the page with its total, whatever the filters. The database hands the rows over as one JSON value:
 * some thirty columns a row cost the driver more than the whole query costs the database (docs/performance.md).
 */
async function list(actor: Actor, visibility: Visibility, wanted: Wanted): Promise<Page> {
  if (seesNothing(visibility)) return { incidents: [], total: 0 };
  const { found, total } = selected({ actor, visibility, wanted });
  const [page] = await db.$queryRaw<{ rows: FlatRow[] | null; total: bigint }[]>`
    with ${found}
    select (${total}) as total, (
      select json_agg(r) from (
        select ${COLUMNS} from found join incidents i on i.id = found.id ${RELATED} order by ${ordering(wanted)}
      ) r
    ) as rows`;
  return {
    incidents: (page?.rows ?? []).map((row) => shownTo(actor, unfold(row))),
    total: Number(page?.total ?? 0),
  };
}

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
  const matching = Prisma.sql`${visible(visibility, actor)} and ${conditions(actor, wanted)}`;
  const { search, severity, assigned, person } = wanted;
  const filtered = (search ?? severity ?? assigned ?? person) !== undefined;
  if (!filtered && (visibility.everything || visibility.own.length === 0)) {
    const page =
      newestOfEach({ actor, visibility, wanted }) ??
      pageOf(wanted, Prisma.sql`incidents i where ${matching}`);
    return { found: Prisma.sql`found as materialized (${page})`, total: totalOf(visibility, wanted) };
  }
  const title = wanted.sort === "title" ? Prisma.sql`, i.title` : Prisma.empty;
  return {
    found: Prisma.sql`matching as materialized (
      select i.id, i.state, i.created_at${title} from incidents i where ${matching}
    ), found as materialized (${pageOf(wanted, Prisma.sql`matching i`)})`,
    total: Prisma.sql`select count(*) from matching`,
  };
}

/** The ids of one page, in order. */
const pageOf = (wanted: Wanted, source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select i.id from ${source} order by ${ordering(wanted)}
    limit ${wanted.limit}::bigint offset ${offsetOf(wanted)}::bigint`;

const offsetOf = ({ page, limit }: Wanted): number => (page - 1) * limit;

/** Many events, newest first: each event gives its own first rows from its index, and only those are sorted. */
function newestOfEach({ actor, visibility, wanted }: Selecting): Prisma.Sql | undefined {
  const offset = offsetOf(wanted);
  if (visibility.everything || visibility.all.length < 2) return undefined;
  if (wanted.sort !== "createdAt" || offset > 2000) return undefined;
  return Prisma.sql`
    select c.id from unnest(${visibility.all}::uuid[]) as v(event_id)
    cross join lateral (
      select i.id, i.created_at from incidents i where i.event_id = v.event_id and ${conditions(actor, wanted)}
      order by ${ordering(wanted)} limit ${offset + wanted.limit}::bigint
    ) c
    order by c.created_at ${direction(wanted)}, c.id ${direction(wanted)} limit ${wanted.limit}::bigint offset ${offset}::bigint`;
}

/** How many there are, by state where that is wanted. */
function totalOf(visibility: Visibility, wanted: Wanted): Prisma.Sql {
  const column = wanted.status
    ? Prisma.raw(`n.${wanted.status}`)
    : Prisma.sql`n.submitted + n.acknowledged + n.investigating + n.resolved + n.closed`;
  const where = visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`n.event_id = any(${visibility.all}::uuid[])`;
  return Prisma.sql`select coalesce(sum(${column}), 0)::bigint from incident_counts n where ${where}`;
}

function visible(visibility: Visibility, actor: Actor): Prisma.Sql {
  if (visibility.everything) return Prisma.sql`true`;
  const all = eventIn(visibility.all);
  if (visibility.own.length === 0) return all;
  const own = Prisma.sql`(i.reporter_id = ${actor.id}::uuid and ${eventIn(visibility.own)})`;
  return visibility.all.length === 0 ? own : Prisma.sql`(${all} or ${own})`;
}

const eventIn = (ids: string[]) =>
  ids.length === 1 ? Prisma.sql`i.event_id = ${ids[0]}::uuid` : Prisma.sql`i.event_id = any(${ids}::uuid[])`;

function conditions(actor: Actor, wanted: Wanted): Prisma.Sql {
  const parts: Prisma.Sql[] = [Prisma.sql`true`];
  if (wanted.status) parts.push(Prisma.sql`i.state = ${wanted.status}::incident_state`);
  if (wanted.severity) parts.push(Prisma.sql`i.severity = ${wanted.severity}::severity`);
  if (wanted.assigned === "me") parts.push(Prisma.sql`i.assigned_responder_id = ${actor.id}::uuid`);
  if (wanted.assigned === "unassigned") parts.push(Prisma.sql`i.assigned_responder_id is null`);
  if (wanted.assigned === "others") parts.push(Prisma.sql`i.assigned_responder_id <> ${actor.id}::uuid`);
  if (wanted.person) parts.push(wanted.person);
  if (wanted.search) parts.push(matches(likePattern(wanted.search)));
  return Prisma.join(parts, " and ");
}

/** Titles, descriptions and reporter names (interface 4.6), literally and in any letter case. */
const matches = (pattern: string) => Prisma.sql`(i.title ilike ${pattern} or i.description ilike ${pattern}
  or i.reporter_id = any(array(select u.id from users u where u.name ilike ${pattern})))`;

/** sort=status follows the workflow, since the state is an enum in that order (rulings R4). */
function ordering(wanted: Pick<Wanted, "sort" | "order">): Prisma.Sql {
  const way = direction(wanted);
  if (wanted.sort === "title") return Prisma.sql`lower(i.title) ${way}, i.id ${way}`;
  if (wanted.sort === "status") return Prisma.sql`i.state ${way}, i.created_at desc, i.id desc`;
  return Prisma.sql`i.created_at ${way}, i.id ${way}`;
}

const direction = ({ order }: Pick<Wanted, "order">) =>
  order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;

type FlatRow = Omit<IncidentRow, "event" | "reporter" | "assignedResponder" | "relatedFiles"> & {
  eventName: string;
  eventSlug: string;
  reporterName: string | null;
  reporterEmail: string | null;
  assigneeName: string | null;
  assigneeEmail: string | null;
  files: IncidentRow["relatedFiles"] | null;
};

const COLUMNS = Prisma.sql`i.id, i.title, i.description, i.state::text as state, i.severity::text as severity,
  i.incident_at as "incidentAt", i.location, i.parties, i.event_id as "eventId", i.reporter_id as "reporterId",
  i.assigned_responder_id as "assignedResponderId", i.resolution,
  i.resolution_internal as "resolutionInternal", i.first_response_at as "firstResponseAt",
  i.resolved_at as "resolvedAt", i.escalated_at as "escalatedAt", i.reopened_at as "reopenedAt",
  i.created_at as "createdAt", i.updated_at as "updatedAt", i.type, i.contact_method::text as "contactMethod",
  e.name as "eventName", e.slug as "eventSlug", r.name as "reporterName", r.email as "reporterEmail",
  a.name as "assigneeName", a.email as "assigneeEmail",
  (select json_agg(json_build_object('id', f.id, 'filename', f.filename, 'mimetype', f.mimetype, 'size', f.size,
      'createdAt', f.created_at, 'sha256', f.sha256, 'description', f.description, 'reveals', f.reveals,
      'clean', f.clean_state, 'hasOriginal', f.original_key is not null, 'visibleToReporter', f.visible_to_reporter,
      'uploadedBy', case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end)
      order by f.created_at, f.id)
    from related_files f left join users p on p.id = f.uploaded_by_id where f.incident_id = i.id) as files`;

const RELATED = Prisma.sql`join events e on e.id = i.event_id
  left join users r on r.id = i.reporter_id left join users a on a.id = i.assigned_responder_id`;

const TIMES = [
  "incidentAt",
  "firstResponseAt",
  "resolvedAt",
  "escalatedAt",
  "reopenedAt",
  "createdAt",
  "updatedAt",
] as const satisfies (keyof FlatRow)[];

function unfold(row: FlatRow): IncidentRow {
  const {
    eventName,
    eventSlug,
    reporterName,
    reporterEmail,
    assigneeName,
    assigneeEmail,
    files,
    ...incident
  } = row;
  for (const time of TIMES) if (incident[time]) incident[time] = iso(incident[time]);
  return {
    ...incident,
    event: { id: row.eventId, name: eventName, slug: eventSlug },
    reporter: row.reporterId ? { id: row.reporterId, name: reporterName ?? "", email: reporterEmail } : null,
    assignedResponder: row.assignedResponderId
      ? { id: row.assignedResponderId, name: assigneeName ?? "", email: assigneeEmail }
      : null,
    relatedFiles: (files ?? []).map((file) => ({ ...file, createdAt: iso(file.createdAt) })),
  };
}

/** A time in the database's JSON, which drops zeros and names the zone, as the API writes it (rulings R4). */
const iso = (time: string): string => new Date(time).toISOString();
