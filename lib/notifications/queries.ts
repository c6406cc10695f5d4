import { prisma, sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { isConflictCheckUnansweredSql, unknownIncidentIdsSql } from "#lib/access/readers-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { buildEventIncidentsPageUrl, buildNotificationTargetUrl } from "#lib/notifications/links.ts";
import { EVENT_WITHOUT_READER_KIND, REPORTS_WAITING_KIND } from "#lib/jobs/outbox-events.ts";
import { isUnopenedForSql } from "#lib/notifications/team-notices-sql.ts";
import {
  DEFAULT_MAIL_FREQUENCIES,
  NOTIFICATION_KINDS,
  REPORTER_NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationRecord,
  type NotificationsQuery,
  type NotificationSetting,
} from "#lib/notifications/schema.ts";
import {
  buildActorAsOutsidePerson,
  can,
  hasSystemAdminAccessEverywhere,
  hasTeamAccessToEvent,
  type Actor,
} from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter, listOutsideIncidentIds } from "#lib/access/visibility.ts";

/**
 * The list holds a person's newest thousand, so that its cost is bounded; older ones were read long ago or never will
 * be.
 */
const MAX_LISTED_NOTIFICATIONS = 1000;

const newestNotificationsSql = (
  actor: Actor,
) => Prisma.sql`select * from notifications n where n.user_id = ${actor.id}::uuid and n.in_app
  order by n.created_at desc, n.id desc limit ${MAX_LISTED_NOTIFICATIONS}::bigint`;

/** Lists the person's notifications, newest first, without those whose subject they may no longer see. */
export async function listNotifications(
  actor: Actor,
  { unread, page, limit }: NotificationsQuery,
): Promise<{ notifications: NotificationRecord[]; total: number; unread: number }> {
  const readStateFilter = unread === undefined ? Prisma.sql`true` : readStateConditionSql(unread);
  const [listing] = await sql.$queryRaw<{ rows: Row[] | null; total: bigint; unread: bigint }[]>`
    with shown as materialized (
      select n.* from (${newestNotificationsSql(actor)}) n where ${isNotificationVisibleToSql(actor)}
    ), page as materialized (
      select * from shown n where ${readStateFilter} order by n.created_at desc, n.id desc
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint
    )
    select (select count(*) from shown n where ${readStateFilter}) as total,
      (select count(*) from shown n where n.read_at is null) as unread,
      (select json_agg(r) from (
        select ${notificationColumnsSql(actor)} from page n ${PLACE_JOINS} order by n.created_at desc, n.id desc) r) as rows`;
  const rows = listing?.rows ?? [];
  return {
    notifications: rows.map((row) => toNotificationRecord(parseTimes(row), actor)),
    total: Number(listing?.total ?? 0),
    unread: Number(listing?.unread ?? 0),
  };
}

/** Times are text in the database's JSON. */
const parseTimes = (row: Row): Row => ({
  ...row,
  createdAt: new Date(row.createdAt),
  readAt: row.readAt && new Date(row.readAt),
});

const readStateConditionSql = (unread: boolean) =>
  unread ? Prisma.sql`n.read_at is null` : Prisma.sql`n.read_at is not null`;

/** Counts the unread notifications in the person's list. */
export async function countUnreadNotifications(actor: Actor): Promise<number> {
  const [row] = await sql.$queryRaw<{ unread: bigint }[]>`
    select count(*) as unread from (${newestNotificationsSql(actor)}) n where n.read_at is null and ${isNotificationVisibleToSql(actor)}`;
  return Number(row?.unread ?? 0);
}

/**
 * Loads a notification. @throws AppError NOT_FOUND, also for somebody else's, and for one whose subject the actor may
 * no longer see
 */
export async function loadNotification(actor: Actor, id: string): Promise<NotificationRecord> {
  const [row] = await sql.$queryRaw<Row[]>`
    select ${notificationColumnsSql(actor)} from notifications n ${PLACE_JOINS} where n.id = ${id}::uuid and ${isNotificationListedForSql(actor)}`;
  if (!row) throw createNotFoundError("notification");
  return toNotificationRecord(row, actor);
}

/** Condition on `n`: in the person's list, and its subject still visible to them. */
export const isNotificationListedForSql = (actor: Actor) =>
  Prisma.sql`n.user_id = ${actor.id}::uuid and n.in_app and ${isNotificationVisibleToSql(actor)}`;

/**
 * Condition on `n`: the person's current roles let them see its subject. The policy table decides, the same as for
 * every list.
 */
export const isNotificationVisibleToSql = (actor: Actor): Prisma.Sql => Prisma.sql`(
  (n.incident_id is null or n.incident_id not in (${unknownIncidentIdsSql(actor)})) and ${isInReachOf(actor)})`;

function isInReachOf(actor: Actor): Prisma.Sql {
  if (hasSystemAdminAccessEverywhere(actor)) return Prisma.sql`true`;
  return actor.closed
    ? Prisma.sql`(${isOutsideClosedOrganizationsSql(actor.closed)} or ${isVisibleByRolesSql(actor)})`
    : isVisibleByRolesSql(actor);
}

/** For a SystemAdmin to whom some organizations are closed: the notification belongs to none of these. */
const isOutsideClosedOrganizationsSql = ({
  organizations,
  openEvents,
}: NonNullable<Actor["closed"]>): Prisma.Sql => Prisma.sql`case
    when n.event_id is not null then n.event_id = any(${[...openEvents]}::uuid[])
    else n.organization_id is null or n.organization_id <> all(${[...organizations]}::uuid[]) end`;

function isVisibleByRolesSql(actor: Actor): Prisma.Sql {
  const incidents = getVisibleIncidentFilter(actor);
  const { all, own } = incidents.everything ? { all: [], own: [] } : incidents;
  const outside = listOutsideIncidentIds(actor);
  const events = actor.events.map(({ eventId }) => eventId);
  const inviteManagedEventIds = events.filter((eventId) => can(actor, "event.manageInvites", { eventId }));
  const organizations = actor.organizations.map(({ organizationId }) => organizationId);
  const inviteManagedOrganizationIds = organizations.filter((organizationId) =>
    can(actor, "organization.manageInvites", { organizationId }),
  );
  const administeredOrganizationIds = organizations.filter((organizationId) =>
    can(actor, "organization.manageMembers", { organizationId }),
  );
  return Prisma.sql`case
    when n.incident_id is not null then n.event_id = any(${all}::uuid[]) or n.incident_id = any(${outside}::uuid[])
      or (n.event_id = any(${own}::uuid[]) and n.kind = any(${[...REPORTER_NOTIFICATION_KINDS]}::text[])
        and exists (select 1 from incidents i where i.id = n.incident_id and i.reporter_id = ${actor.id}::uuid))
    when n.kind = ${EVENT_WITHOUT_READER_KIND} then n.organization_id = any(${administeredOrganizationIds}::uuid[])
    when n.event_id is not null then n.event_id = any(case n.kind when 'invite.changed' then ${inviteManagedEventIds}::uuid[] else ${events}::uuid[] end)
    else n.organization_id = any(case n.kind when 'invite.changed' then ${inviteManagedOrganizationIds}::uuid[] else ${organizations}::uuid[] end) end`;
}

/** Lists the person's setting for every kind, with defaults where they chose nothing. */
export async function listNotificationSettings(userId: string): Promise<NotificationSetting[]> {
  const choices = await prisma.notificationSetting.findMany({ where: { userId } });
  return NOTIFICATION_KINDS.map((kind) => {
    const choice = choices.find((one) => one.kind === kind);
    return { kind, inApp: choice?.inApp ?? true, mail: choice?.mail ?? DEFAULT_MAIL_FREQUENCIES[kind] };
  });
}

type Row = {
  id: string;
  kind: NotificationKind;
  incidentId: string | null;
  eventId: string | null;
  eventName: string;
  eventSlug: string;
  organizationId: string | null;
  organizationName: string;
  organizationSlug: string;
  title: string | null;
  codeName: string | null;
  severity: NonNullable<NotificationRecord["incident"]>["severity"];
  count: number | null;
  readAt: Date | null;
  createdAt: Date;
};

const notificationColumnsSql = (
  reader: Actor,
) => Prisma.sql`n.id, n.kind, n.incident_id as "incidentId", n.event_id as "eventId",
  e.name as "eventName", e.slug as "eventSlug", n.organization_id as "organizationId",
  o.name as "organizationName", o.slug as "organizationSlug", case when not ${isConflictCheckUnansweredSql(reader)} then i.title end as title, i.code_name as "codeName", i.severity::text as severity,
  case n.kind when ${REPORTS_WAITING_KIND} then (
    select count(*)::int from incidents i where i.event_id = n.event_id and ${isUnopenedForSql(Prisma.sql`n.user_id`)}) end as count, n.read_at as "readAt", n.created_at as "createdAt"`;

const PLACE_JOINS = Prisma.sql`left join events e on e.id = n.event_id left join organizations o on o.id = n.organization_id
  left join incidents i on i.id = n.incident_id`;

function toNotificationRecord(row: Row, actor: Actor): NotificationRecord {
  const { id, kind, incidentId, readAt, createdAt } = row;
  const event = row.eventId ? { id: row.eventId, name: row.eventName, slug: row.eventSlug } : null;
  const organization = row.organizationId
    ? { id: row.organizationId, name: row.organizationName, slug: row.organizationSlug }
    : null;
  const invited = kind === "role.changed" && isInvited(actor, row);
  const url = buildNotificationTargetUrl({ kind, incidentId, event, organization, invited });
  return {
    id,
    kind,
    event,
    organization,
    incidentId,
    incident: toNotifiedIncident(row, actor),
    count: row.count,
    url,
    readAt,
    createdAt,
  };
}

/** Omits the title for reporters, since others may see their screen. */
const toNotifiedIncident = (
  { eventId, incidentId, title, severity }: Row,
  actor: Actor,
): NotificationRecord["incident"] =>
  eventId !== null &&
  incidentId !== null &&
  title !== null &&
  hasTeamAccessToEvent(buildActorAsOutsidePerson(actor, { eventId, incidentId }), eventId)
    ? { title, severity }
    : null;

function isInvited({ events, organizations, withheld }: Actor, place: Row): boolean {
  const matchingRoles = place.eventId
    ? [...events, ...(withheld?.events ?? [])].filter(({ eventId }) => eventId === place.eventId)
    : [...organizations, ...(withheld?.organizations ?? [])].filter(
        ({ organizationId }) => organizationId === place.organizationId,
      );
  return matchingRoles.some(({ invited }) => invited);
}

type MailableNotification = {
  id: string;
  kind: NotificationKind;
  incidentId: string | null;
  place: string;
  url: string;
  codeName: string | null;
  /** The list of the event's reports, if it belongs to an event. */
  placeUrl: string;
};

/**
 * Lists those of the given notifications that a mail may mention: unread, with a subject still visible to this person.
 */
export async function listMailableNotifications(
  actor: Actor,
  ids: string[],
): Promise<MailableNotification[]> {
  const rows = await sql.$queryRaw<Row[]>`
    select ${notificationColumnsSql(actor)} from notifications n ${PLACE_JOINS}
    where n.id = any(${ids}::uuid[]) and n.user_id = ${actor.id}::uuid and n.read_at is null and ${isNotificationVisibleToSql(actor)}
    order by n.created_at, n.id`;
  return rows.map((row) => {
    const { url } = toNotificationRecord(row, actor);
    return {
      id: row.id,
      kind: row.kind,
      incidentId: row.incidentId,
      place: row.eventName ?? row.organizationName,
      url,
      codeName: row.codeName,
      placeUrl: row.eventId ? buildEventIncidentsPageUrl(row.eventSlug) : url,
    };
  });
}
