import { avatarUrl, userOf } from "#lib/accounts/schema.ts";
import { likePattern } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { sentenceFor, TOLD_BY_HISTORY } from "#lib/events/activity.ts";
import { EVENT_COLUMNS, eventOf } from "#lib/events/schema.ts";
import type {
  ActivityQuery,
  ActivityRecord,
  EventRecord,
  EventRow,
  EventUserProfileRecord,
  EventUserRecord,
  EventUsersQuery,
  EveryEventUserQuery,
  OrganizationEventsQuery,
} from "#lib/events/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { EventRole } from "#lib/operation/policy.ts";

/** One event. @throws AppError NOT_FOUND when it went away since its path was resolved. */
export const findEvent = (eventId: string): Promise<EventRecord> =>
  findEventWhere(Prisma.sql`id = ${eventId}::uuid`);

/** The event that a condition on its columns names. @throws AppError NOT_FOUND when there is none */
export async function findEventWhere(named: Prisma.Sql): Promise<EventRecord> {
  const [row] = await db.$queryRaw<EventRow[]>`
    select id, organization_id as "organizationId", name, slug, description, start_date as "startDate",
      end_date as "endDate", website, contact_email as "contactEmail", code_of_conduct as "codeOfConduct",
      logo_url as "logoUrl", logo_key as "logoKey", is_active as "isActive", created_at as "createdAt",
      updated_at as "updatedAt" from events where ${named}`;
  if (!row) throw notFound("This event");
  return eventOf(row);
}

/** A page of an organization's events, newest first unless asked otherwise; `search` looks into name and description. */
export async function listOrganizationEvents(
  organizationId: string,
  query: OrganizationEventsQuery,
): Promise<{ events: EventRecord[]; total: number }> {
  const direction =
    query.order === "asc" ? Prisma.sql`place nulls last, id` : Prisma.sql`place desc nulls last, id desc`;
  const ids = await db.$queryRaw<{ id: string | null; total: number }[]>`
    with wanted as (
      select e.id, ${EVENT_PLACES[query.sort]} as place from events e
      where e.organization_id = ${organizationId}::uuid and ${activeFilter(query)} and ${searchFilter(query)}
    ), shown as (
      select id, row_number() over (order by ${direction}) as at from wanted order by ${direction}
      limit ${query.limit} offset ${(query.page - 1) * query.limit}::bigint
    )
    select s.id, t.total from (select count(*)::int as total from wanted) t left join shown s on true order by s.at`;
  const shown = ids.flatMap(({ id }) => id ?? []);
  const rows = await db.event.findMany({ where: { id: { in: shown } }, select: EVENT_COLUMNS });
  const events = rows.toSorted((a, b) => shown.indexOf(a.id) - shown.indexOf(b.id)).map(eventOf);
  return { events, total: ids[0]?.total ?? 0 };
}

const EVENT_PLACES: Record<OrganizationEventsQuery["sort"], Prisma.Sql> = {
  createdAt: Prisma.sql`e.created_at`,
  name: Prisma.sql`lower(e.name)`,
  startDate: Prisma.sql`e.start_date`,
  reports: Prisma.sql`(
    select coalesce(sum(submitted + acknowledged + investigating + resolved + closed), 0)
    from incident_counts c where c.event_id = e.id)`,
};

const activeFilter = ({ isActive }: OrganizationEventsQuery) =>
  isActive === undefined ? Prisma.sql`true` : Prisma.sql`e.is_active = ${isActive}`;

const searchFilter = ({ search }: OrganizationEventsQuery) =>
  search
    ? Prisma.sql`(e.name ilike ${likePattern(search)} or e.description ilike ${likePattern(search)})`
    : Prisma.sql`true`;

/**
 * Who views the people of an event. Below the response team (contract 6.3), addresses, dates and activity are hidden, and
 * so is everybody but the team and the viewer: to be in an event as a Reporter is next to having something to report.
 */
export type View = { eventId: string; team: boolean; viewerId: string };

/** A page of the people of an event, one element a person; `total` counts persons. */
export async function listEventUsers(
  view: View,
  query: EventUsersQuery,
): Promise<{ users: EventUserRecord[]; total: number }> {
  const matching = Prisma.sql`${visibleTo(view)} and ${roleFilter(query)} and ${personFilter(query, view)}`;
  return people(view, {
    matching,
    ordering: personOrder(query, view),
    limit: query.limit,
    offset: (query.page - 1) * query.limit,
  });
}

/** All people of an event by name, or a page of them when a limit is given. */
export async function listEveryEventUser(
  view: View,
  { page, limit }: EveryEventUserQuery,
): Promise<{ users: EventUserRecord[]; total: number }> {
  const offset = limit === undefined ? 0 : (page - 1) * limit;
  const ordering = Prisma.sql`lower(u.name), u.id`;
  return people(view, { matching: visibleTo(view), ordering, limit: limit ?? null, offset });
}

type PersonRow = {
  id: string;
  email: string;
  name: string;
  avatarKey: string | null;
  roles: EventRole[];
  /** Has not accepted yet, and keeps their address to themself until then (contract 2.7). */
  invited: boolean;
  joinDate: Date;
  lastActivity: Date | null;
};

type Asked = { matching: Prisma.Sql; ordering: Prisma.Sql; limit: number | null; offset: number };

async function people(view: View, asked: Asked): Promise<{ users: EventUserRecord[]; total: number }> {
  const [rows, counted] = await Promise.all([
    db.$queryRaw<PersonRow[]>`
      select ${PERSON}, ${lastActivityIn(view.eventId)} as "lastActivity"
      from (${holders(view.eventId)}) p join users u on u.id = p.user_id
      where ${asked.matching} order by ${asked.ordering}
      limit ${asked.limit}::bigint offset ${asked.offset}::bigint`,
    db.$queryRaw<{ total: number }[]>`
      select count(*)::int as total from (${holders(view.eventId)}) p join users u on u.id = p.user_id
      where ${asked.matching}`,
  ]);
  return { users: rows.map((row) => personOf(row, view)), total: counted[0]?.total ?? 0 };
}

const personOf = (row: PersonRow, { team }: View): EventUserRecord => ({
  id: row.id,
  name: row.name,
  email: team && !row.invited ? row.email : null,
  avatarUrl: avatarUrl(row.id, row.avatarKey),
  roles: row.roles,
  invited: row.invited,
  joinDate: team ? row.joinDate : null,
  lastActivity: team ? row.lastActivity : null,
});

const visibleTo = ({ team, viewerId }: View) =>
  team ? Prisma.sql`true` : Prisma.sql`(p.strongest > 'Reporter' or p.user_id = ${viewerId}::uuid)`;

const roleFilter = ({ role }: EventUsersQuery) =>
  role ? Prisma.sql`${role} = any(p.roles)` : Prisma.sql`true`;

/** What a viewer can't see can't be searched for either. */
function personFilter({ search }: EventUsersQuery, { team }: View): Prisma.Sql {
  if (!search) return Prisma.sql`true`;
  const pattern = likePattern(search);
  return team
    ? Prisma.sql`(u.name ilike ${pattern} or (not p.invited and u.email ilike ${pattern}))`
    : Prisma.sql`u.name ilike ${pattern}`;
}

/** By strongest role for `role`; an order by hidden addresses would tell of them, so it is by name. */
function personOrder({ sort, order }: EventUsersQuery, { team }: View): Prisma.Sql {
  const way = order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;
  if (sort === "email" && team)
    return Prisma.sql`case when p.invited then null else u.email end ${way} nulls last, lower(u.name), u.id`;
  if (sort === "role") return Prisma.sql`p.strongest ${way}, lower(u.name), u.id`;
  return Prisma.sql`lower(u.name) ${way}, u.id`;
}

const PERSON = Prisma.sql`u.id, u.email, u.name, u.avatar_key as "avatarKey", p.roles, p.invited,
  p.joined as "joinDate"`;

const holders = (eventId: string) => Prisma.sql`
  select user_id, array_agg(role_name::text order by role_name) as roles, max(role_name) as strongest,
    bool_or(pending) as invited, min(created_at) as joined
  from event_roles where event_id = ${eventId}::uuid group by user_id`;

/** The newest thing that the person did to an incident of the event. */
const lastActivityIn = (eventId: string) => Prisma.sql`
  (select max(h.created_at) from incident_history h where h.event_id = ${eventId}::uuid and h.actor_id = u.id)`;

type InEvent = { eventId: string; userId: string };

/** A person of an event. @throws AppError NOT_FOUND without a role in it */
export async function findEventUser({ eventId, userId }: InEvent): Promise<EventUserProfileRecord> {
  const [row] = await db.$queryRaw<PersonRow[]>`
    select ${PERSON}, ${lastActivityIn(eventId)} as "lastActivity"
    from (${holders(eventId)}) p join users u on u.id = p.user_id where u.id = ${userId}::uuid`;
  if (!row) throw notFound("This person");
  const { roles, invited, joinDate, lastActivity } = row;
  const user = { ...userOf(row), email: invited ? null : row.email };
  return { user, roles, invited, joinDate, lastActivity };
}

/** @throws AppError NOT_FOUND unless the user holds a role in the event */
export async function mustHoldRole({ eventId, userId }: InEvent): Promise<void> {
  const held = await db.eventRole.findFirst({ where: { eventId, userId }, select: { id: true } });
  if (!held) throw notFound("This person");
}

type ActivityRow = Omit<ActivityRecord, "title"> & { title: string | null };

/**
 * What a person did in the event, newest first: reports and comments from the history of its incidents,
 * the rest from the audit log (contract 6.4). Anonymous reports have no actor and so never appear.
 */
export async function listActivity(
  { eventId, userId }: InEvent,
  { page, limit }: ActivityQuery,
): Promise<{ activities: ActivityRecord[]; total: number }> {
  const history = Prisma.sql`h.event_id = ${eventId}::uuid and h.actor_id = ${userId}::uuid`;
  const audited = Prisma.sql`a.event_id = ${eventId}::uuid and a.actor_id = ${userId}::uuid
    and a.object_type <> all(${TOLD_BY_HISTORY}::text[])`;
  const [rows, counted] = await Promise.all([
    db.$queryRaw<ActivityRow[]>`
      select h.id::text as id, ${TYPE_OF_HISTORY} as type, h.action, i.title, h.incident_id as "incidentId",
        h.created_at as timestamp
      from incident_history h join incidents i on i.id = h.incident_id where ${history}
      union all
      select 'audit:' || a.seq, 'audit', a.action, null, null, a.at from audit_entries a where ${audited}
      order by timestamp desc, id desc
      limit ${limit} offset ${(page - 1) * limit}::bigint`,
    db.$queryRaw<{ total: number }[]>`
      select ((select count(*) from incident_history h where ${history})
        + (select count(*) from audit_entries a where ${audited}))::int as total`,
  ]);
  const activities = rows.map((row) => ({ ...row, title: row.title ?? sentenceFor(row.action) }));
  return { activities, total: counted[0]?.total ?? 0 };
}

const TYPE_OF_HISTORY = Prisma.sql`
  case when starts_with(h.action, 'note') or starts_with(h.action, 'message') then 'comment' else 'report' end`;
