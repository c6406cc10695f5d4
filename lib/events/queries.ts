import { hasSystemAdminAccessToEvent, hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import {
  auditEntryNotHiddenSql,
  auditEntryWithoutUnopenedIncidentSql,
} from "#lib/audit/hidden-entries-sql.ts";
import { buildAvatarUrl, toUser } from "#lib/accounts/schema.ts";
import { derivePublicRecordUuid } from "#lib/crypto/record-id.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { describeAuditAction, AUDIT_OBJECT_TYPES_IN_INCIDENT_HISTORY } from "#lib/events/activity.ts";
import type { GoLiveStep } from "#lib/events/go-live.ts";
import { EVENT_COLUMNS, toEventRecord } from "#lib/events/schema.ts";
import type {
  EventUserActivityQuery,
  EventUserActivityEntryRecord,
  EventRecord,
  EventUserProfileRecord,
  EventUserRecord,
  EventUsersQuery,
  EveryEventUserQuery,
  OrganizationEventsQuery,
} from "#lib/events/schema.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { listHiddenIncidentIds } from "#lib/access/readers-queries.ts";
import {
  countedIncidentCountsSql,
  isCountedSql,
  isReadableSql,
  type Reader,
} from "#lib/access/readers-sql.ts";
import type { EventRole } from "#lib/operation/policy.ts";
import { INCIDENT_STATES } from "#lib/access/incident-states.ts";
import { sumStateCountsSql, REPORTER_ROLES_SQL, TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";

/** Loads one event. @throws AppError NOT_FOUND when it was deleted since its path was resolved */
export const loadEvent = (eventId: string): Promise<EventRecord> => loadEventByIdOrSlug({ id: eventId });

/** An event as a path names it: by id or by slug. */
export type EventIdOrSlug = { id: string } | { slug: string };

/** Loads the event of an id or slug. @throws AppError NOT_FOUND */
export async function loadEventByIdOrSlug(where: EventIdOrSlug): Promise<EventRecord> {
  const row = await prisma.event.findUnique({ where, select: EVENT_COLUMNS });
  if (!row) throw createNotFoundError("event");
  return toEventRecord(row);
}

/** The maximum number of URLs in a sitemap. */
const MAX_SITEMAP_PAGES = 50_000;

/** Lists the public pages of active events that let search engines find them, newest first. */
export async function listSitemapEventPages(): Promise<{ slug: string; updatedAt: Date }[]> {
  const events = await prisma.event.findMany({
    where: { isActive: true, OR: [{ reportSettings: null }, { reportSettings: { searchEngines: true } }] },
    orderBy: [{ createdAt: "desc" }, { id: "asc" }],
    take: MAX_SITEMAP_PAGES,
    select: { slug: true, updatedAt: true, reportSettings: { select: { updatedAt: true } } },
  });
  return events.map(({ slug, updatedAt, reportSettings }) => ({
    slug,
    updatedAt: reportSettings && reportSettings.updatedAt > updatedAt ? reportSettings.updatedAt : updatedAt,
  }));
}

/** Lists a page of an organization's events, newest first by default; `search` covers name and description. */
export async function listOrganizationEvents(
  organizationId: string,
  query: OrganizationEventsQuery,
  reader: Reader,
): Promise<{ events: EventRecord[]; total: number }> {
  const order =
    query.order === "asc" ? Prisma.sql`place nulls last, id` : Prisma.sql`place desc nulls last, id desc`;
  const matching = Prisma.sql`
    select e.id, ${eventSortColumnSql(query.sort, reader)} as place from events e
    where e.organization_id = ${organizationId}::uuid and ${activeFilterSql(query)} and ${searchFilterSql(query)}`;
  const { ids, total } = await findPageOfIds(matching, order, query);
  const rows = await prisma.event.findMany({ where: { id: { in: ids } }, select: EVENT_COLUMNS });
  return { events: sortByIds(ids, rows).map(toEventRecord), total };
}

const eventSortColumnSql = (sort: OrganizationEventsQuery["sort"], reader: Reader): Prisma.Sql =>
  sort === "reports" ? reportCountSql(reader) : EVENT_SORT_COLUMNS[sort];

const EVENT_SORT_COLUMNS: Record<Exclude<OrganizationEventsQuery["sort"], "reports">, Prisma.Sql> = {
  createdAt: Prisma.sql`e.created_at`,
  name: Prisma.sql`e.name collate title_order`,
  startDate: Prisma.sql`e.start_date`,
};

const reportCountSql = (reader: Reader): Prisma.Sql => Prisma.sql`(
  select coalesce(sum(${sumStateCountsSql("c", INCIDENT_STATES)}), 0)
  from ${countedIncidentCountsSql(reader)} c where c.event_id = e.id) + (select count(*) from report_tombstones t where t.event_id = e.id)`;

const activeFilterSql = ({ isActive }: OrganizationEventsQuery) =>
  isActive === undefined ? Prisma.sql`true` : Prisma.sql`e.is_active = ${isActive}`;

const searchFilterSql = ({ search }: OrganizationEventsQuery) =>
  search ? containsSearchTextSql([Prisma.sql`e.name`, Prisma.sql`e.description`], search) : Prisma.sql`true`;

/**
 * The viewer of an event's people. Below the response team (contract 6.3), addresses, dates and activity are hidden,
 * and so is everybody except the team and the viewer: a Reporter role at an event suggests that the person has
 * something to report.
 */
export type EventPeopleViewer = {
  eventId: string;
  team: boolean;
  viewer: NonNullable<Reader>;
  /** Sees the activity of people who haven't accepted their role yet (contract 2.7): a SystemAdmin does. */
  seesInvited: boolean;
};

export const toEventPeopleViewer = (actor: Actor, eventId: string): EventPeopleViewer => ({
  eventId,
  team: hasTeamAccessToEvent(actor, eventId),
  viewer: actor,
  seesInvited: hasSystemAdminAccessToEvent(actor, eventId),
});

/** Lists a page of the people of an event, each person once; `total` counts people. */
export async function listEventUsers(
  viewer: EventPeopleViewer,
  query: EventUsersQuery,
): Promise<{ users: EventUserRecord[]; total: number }> {
  const condition = Prisma.sql`${viewerConditionSql(viewer)} and ${roleFilterSql(query)} and ${groupFilter(query)} and ${personFilterSql(query, viewer)}`;
  return listPeoplePage(viewer, condition, { ...query, order: personOrderSql(query, viewer) });
}

/** Lists all people of an event by name, or a page of them if a limit is given. */
export const listUnfilteredEventUsers = (
  viewer: EventPeopleViewer,
  { page, limit }: EveryEventUserQuery,
): Promise<{ users: EventUserRecord[]; total: number }> =>
  listPeoplePage(viewer, viewerConditionSql(viewer), {
    page,
    limit,
    order: Prisma.sql`name collate title_order, id`,
  });

async function listPeoplePage(
  viewer: EventPeopleViewer,
  condition: Prisma.Sql,
  { order, ...page }: { page: number; limit: number | undefined; order: Prisma.Sql },
): Promise<{ users: EventUserRecord[]; total: number }> {
  const matching = Prisma.sql`select u.id, u.name, u.email, p.invited, p.strongest
    from (${roleHoldersSql(viewer.eventId)}) p join users u on u.id = p.user_id where ${condition}`;
  const { ids, total } = await findPageOfIds(matching, order, page);
  const rows = sortByIds(ids, await listPeopleByIds(viewer, ids));
  return { users: rows.map((row) => toEventUserRecord(row, viewer)), total };
}

type PersonRow = {
  id: string;
  email: string;
  name: string;
  avatarKey: string | null;
  roles: EventRole[];
  /** Hasn't accepted yet; their address and activity are hidden until then (contract 2.7). */
  invited: boolean;
  joinDate: Date;
  lastActivity: Date | null;
};

const listPeopleByIds = (viewer: Omit<EventPeopleViewer, "team">, ids: string[]): Promise<PersonRow[]> =>
  sql.$queryRaw<PersonRow[]>`
    select u.id, u.email, u.name, u.avatar_key as "avatarKey", p.roles, p.invited, p.joined as "joinDate",
      ${lastActivitySql(viewer)} as "lastActivity"
    from (${roleHoldersSql(viewer.eventId)}) p join users u on u.id = p.user_id where u.id = any(${ids}::uuid[])`;

const toEventUserRecord = (row: PersonRow, { team }: EventPeopleViewer): EventUserRecord => ({
  id: row.id,
  name: row.name,
  email: team && !row.invited ? row.email : null,
  avatarUrl: buildAvatarUrl(row.id, row.avatarKey),
  roles: row.roles,
  invited: row.invited,
  joinDate: team ? row.joinDate : null,
  lastActivity: team ? row.lastActivity : null,
});

const viewerConditionSql = ({ team, viewer }: EventPeopleViewer) =>
  team ? Prisma.sql`true` : Prisma.sql`(p.strongest in ${TEAM_ROLES_SQL} or p.user_id = ${viewer.id}::uuid)`;

const roleFilterSql = ({ role }: EventUsersQuery) =>
  role ? Prisma.sql`${role} = any(p.roles)` : Prisma.sql`true`;

/** A person with several roles belongs to the group of the strongest one. */
const GROUP_CONDITIONS: Record<NonNullable<EventUsersQuery["group"]>, Prisma.Sql> = {
  team: Prisma.sql`p.strongest in ${TEAM_ROLES_SQL}`,
  reporters: Prisma.sql`p.strongest not in ${TEAM_ROLES_SQL}`,
};
const groupFilter = ({ group }: EventUsersQuery) => (group ? GROUP_CONDITIONS[group] : Prisma.sql`true`);

/** A viewer can't search what they can't see. */
function personFilterSql({ search }: EventUsersQuery, { team }: EventPeopleViewer): Prisma.Sql {
  if (!search) return Prisma.sql`true`;
  const matchesName = containsSearchTextSql([Prisma.sql`u.name`], search);
  return team
    ? Prisma.sql`(${matchesName} or (not p.invited and ${containsSearchTextSql([Prisma.sql`u.email`], search)}))`
    : matchesName;
}

/**
 * Returns the SQL of the list's order; `role` orders by strongest role. An order by address would reveal hidden
 * addresses, so viewers who don't see addresses get an order by name.
 */
function personOrderSql({ sort, order }: EventUsersQuery, { team }: EventPeopleViewer): Prisma.Sql {
  const direction = order === "asc" ? Prisma.sql`asc` : Prisma.sql`desc`;
  if (sort === "email" && team)
    return Prisma.sql`case when invited then null else email end ${direction} nulls last, name collate title_order, id`;
  if (sort === "role") return Prisma.sql`strongest ${direction}, name collate title_order, id`;
  return Prisma.sql`name collate title_order ${direction}, id`;
}

const roleHoldersSql = (eventId: string) => Prisma.sql`
  select user_id, array_agg(role_name::text order by role_name) as roles, max(role_name) as strongest,
    bool_or(pending) as invited, min(created_at) as joined
  from event_roles where event_id = ${eventId}::uuid group by user_id`;

/**
 * The last time the person did anything to an incident of the event that the viewer may see; null if the viewer doesn't
 * see the activity of people who haven't accepted their role, and the person is one.
 */
const lastActivitySql = ({
  eventId,
  viewer,
  seesInvited,
}: Omit<EventPeopleViewer, "team">) => Prisma.sql`case when ${seesInvited}::boolean or not p.invited then
  (select h.created_at from incident_history h join incidents i on i.id = h.incident_id
    where h.event_id = ${eventId}::uuid and h.actor_id = u.id and ${isReadableSql(viewer)}
    order by h.created_at desc limit 1) end`;

type EventUserKey = { eventId: string; userId: string };

/** Loads a person of an event. @throws AppError NOT_FOUND without a role in it */
export async function loadEventUser(
  viewer: EventPeopleViewer,
  userId: string,
): Promise<EventUserProfileRecord> {
  const [row] = await listPeopleByIds(viewer, [userId]);
  if (!row) throw createNotFoundError("person");
  const { roles, invited, joinDate, lastActivity } = row;
  const user = { ...toUser(row), email: invited ? null : row.email };
  return { user, roles, invited, joinDate, lastActivity };
}

/**
 * Requires that a user holds a role in the event, and returns whether they haven't accepted it yet.
 * @throws AppError NOT_FOUND
 */
export async function requireEventUser({ eventId, userId }: EventUserKey): Promise<{ invited: boolean }> {
  const assignments = await prisma.eventRole.findMany({
    where: { eventId, userId },
    select: { pending: true },
  });
  if (assignments.length === 0) throw createNotFoundError("person");
  return { invited: assignments.some(({ pending }) => pending) };
}

/**
 * An entry of an incident's history or of the audit log. For an audit entry, `auditKey` is its chain and number; for a
 * history entry it is null, and `id` is the entry's own id.
 */
type ActivityRow = Omit<EventUserActivityEntryRecord, "title"> & {
  title: string | null;
  auditKey: string | null;
  seq: bigint;
};

/**
 * Lists what a person did in the event, newest first: reports and comments from the history of its incidents, the rest
 * from the audit log (contract 6.4). Anonymous reports have no actor and so never appear.
 */
export async function listUserActivity(
  { eventId, organizationId, userId }: EventUserKey & { organizationId: string },
  { page, limit }: EventUserActivityQuery,
  viewer: NonNullable<Reader>,
): Promise<{ activities: EventUserActivityEntryRecord[]; total: number }> {
  const historySql = Prisma.sql`from incident_history h join incidents i on i.id = h.incident_id
    where h.event_id = ${eventId}::uuid and h.actor_id = ${userId}::uuid and ${isReadableSql(viewer)}`;
  const hidden = await listHiddenIncidentIds(viewer);
  // An entry about an incident that was hidden from somebody when the entry was appended is in the system's chain, so
  // it isn't listed.
  const auditCondition = Prisma.sql`e.chain = ${organizationId} and e.event_id = ${eventId}::uuid
    and e.actor_id = ${userId}::uuid and ${auditEntryNotHiddenSql(hidden)} and ${auditEntryWithoutUnopenedIncidentSql(viewer)}
    and e.object_type <> all(${AUDIT_OBJECT_TYPES_IN_INCIDENT_HISTORY}::text[])`;
  const [rows, countRows] = await Promise.all([
    sql.$queryRaw<ActivityRow[]>`
      select h.id::text as id, null as "auditKey", ${HISTORY_TYPE_SQL} as type, h.action, i.title, h.incident_id as "incidentId",
        h.created_at as timestamp, h.seq
      ${historySql}
      union all
      select 'audit:' || e.seq, e.chain || ' ' || e.seq, 'audit', e.action, null, null, e.at, e.seq from audit_entries e where ${auditCondition}
      order by timestamp desc, seq desc, id desc
      limit ${limit} offset ${(page - 1) * limit}::bigint`,
    sql.$queryRaw<{ total: number }[]>`
      select ((select count(*) ${historySql})
        + (select count(*) from audit_entries e where ${auditCondition}))::int as total`,
  ]);
  const activities = rows.map(({ auditKey, seq: _seq, ...row }) => ({
    ...row,
    id: auditKey === null ? row.id : derivePublicRecordUuid("audit", auditKey),
    title: row.title ?? describeAuditAction(row.action),
  }));
  return { activities, total: countRows[0]?.total ?? 0 };
}

const HISTORY_TYPE_SQL = Prisma.sql`
  case when starts_with(h.action, 'note') or starts_with(h.action, 'message') then 'comment' else 'report' end`;

/** People who must share the work, so that a report about one of them has another reader. */
const MIN_TEAM_SIZE = 2;

/** Finds which go-live steps an event has done: those to take before it is announced. */
export async function findGoLiveStepStatuses(
  eventId: string,
  reader: Reader,
): Promise<Record<GoLiveStep, boolean> | undefined> {
  const [row] = await sql.$queryRaw<Record<GoLiveStep, boolean>[]>`
    select (select count(distinct r.user_id) from event_roles r join users u on u.id = r.user_id
        where r.event_id = e.id and r.role_name in ${TEAM_ROLES_SQL} and not r.pending
          and u.disabled_at is null and ${isEmailVerifiedIfRequiredSql()}) >= ${MIN_TEAM_SIZE}::int as team,
      exists (select 1 from incidents i where i.event_id = e.id and ${isCountedSql(reader)})
        or exists (select 1 from event_roles r where r.event_id = e.id and r.role_name in ${REPORTER_ROLES_SQL} and not r.pending) as reporting,
      e.contact_email is not null and s.emergency_contact is not null as contact,
      e.code_of_conduct is not null as conduct, s.poster_opened_at is not null as poster
    from events e left join event_report_settings s on s.event_id = e.id where e.id = ${eventId}::uuid`;
  return row;
}
