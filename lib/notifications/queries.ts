import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { incidentsPage, linkTo } from "#lib/notifications/links.ts";
import {
  DEFAULT_MAIL,
  KINDS,
  REPORTER_KINDS,
  type Kind,
  type NotificationRecord,
  type NotificationsQuery,
  type Setting,
} from "#lib/notifications/schema.ts";
import { can, incidentsVisibleTo, passesEverywhere, type Actor } from "#lib/operation/policy.ts";

/**
 * The list holds the newest thousand of a person, so that it costs the same however much happens around them; what is
 * older was read long ago, or never will be.
 */
const NEWEST = 1000;

const newestOf = (
  actor: Actor,
) => Prisma.sql`select * from notifications n where n.user_id = ${actor.id}::uuid and n.in_app
  order by n.created_at desc, n.id desc limit ${NEWEST}::bigint`;

/** One's own notifications, newest first, without those whose subject one may no longer see. */
export async function listNotifications(
  actor: Actor,
  { unread, page, limit }: NotificationsQuery,
): Promise<{ notifications: NotificationRecord[]; total: number; unread: number }> {
  const wanted = unread === undefined ? Prisma.sql`true` : isUnread(unread);
  const [found] = await db.$queryRaw<{ rows: Row[] | null; total: bigint; unread: bigint }[]>`
    with shown as materialized (
      select n.* from (${newestOf(actor)}) n where ${seenBy(actor)}
    ), page as materialized (
      select * from shown n where ${wanted} order by n.created_at desc, n.id desc
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint
    )
    select (select count(*) from shown n where ${wanted}) as total,
      (select count(*) from shown n where n.read_at is null) as unread,
      (select json_agg(r) from (
        select ${COLUMNS} from page n ${PLACES} order by n.created_at desc, n.id desc) r) as rows`;
  const rows = found?.rows ?? [];
  return {
    notifications: rows.map((row) => notificationOf(withTimes(row), actor)),
    total: Number(found?.total ?? 0),
    unread: Number(found?.unread ?? 0),
  };
}

/** Times are text in the database's JSON. */
const withTimes = (row: Row): Row => ({
  ...row,
  createdAt: new Date(row.createdAt),
  readAt: row.readAt && new Date(row.readAt),
});

const isUnread = (unread: boolean) =>
  unread ? Prisma.sql`n.read_at is null` : Prisma.sql`n.read_at is not null`;

/** How many the person has not read, of those that the list shows. */
export async function countUnread(actor: Actor): Promise<number> {
  const [row] = await db.$queryRaw<{ unread: bigint }[]>`
    select count(*) as unread from (${newestOf(actor)}) n where n.read_at is null and ${seenBy(actor)}`;
  return Number(row?.unread ?? 0);
}

/** @throws AppError NOT_FOUND also for somebody else's, and for what one may no longer see */
export async function findNotification(actor: Actor, id: string): Promise<NotificationRecord> {
  const [row] = await db.$queryRaw<Row[]>`
    select ${COLUMNS} from notifications n ${PLACES} where n.id = ${id}::uuid and ${ownOf(actor)}`;
  if (!row) throw notFound("This notification");
  return notificationOf(row, actor);
}

/** Conditions on `n`: in the person's list, and still to be seen. */
export const ownOf = (actor: Actor) =>
  Prisma.sql`n.user_id = ${actor.id}::uuid and n.in_app and ${seenBy(actor)}`;

/**
 * A condition on `n`: the roles of this moment let the person see what it is about. The rows of the policy
 * table decide, as for every list.
 */
function seenBy(actor: Actor): Prisma.Sql {
  if (passesEverywhere(actor)) return Prisma.sql`true`;
  return actor.closed
    ? Prisma.sql`(${isOutside(actor.closed)} or ${seenByRoles(actor)})`
    : seenByRoles(actor);
}

/** Of a SystemAdmin to whom some organizations are closed: it belongs to none of these. */
const isOutside = ({ organizations, openEvents }: NonNullable<Actor["closed"]>): Prisma.Sql => Prisma.sql`case
    when n.event_id is not null then n.event_id = any(${[...openEvents]}::uuid[])
    else n.organization_id is null or n.organization_id <> all(${[...organizations]}::uuid[]) end`;

function seenByRoles(actor: Actor): Prisma.Sql {
  const incidents = incidentsVisibleTo(actor);
  const { all, own } = incidents.everything ? { all: [], own: [] } : incidents;
  const events = actor.events.map(({ eventId }) => eventId);
  const managed = events.filter((eventId) => can(actor, "event.manageInvites", { eventId }));
  const organizations = actor.organizations.map(({ organizationId }) => organizationId);
  const administered = organizations.filter((organizationId) =>
    can(actor, "organization.manageInvites", { organizationId }),
  );
  return Prisma.sql`case
    when n.incident_id is not null then n.event_id = any(${all}::uuid[])
      or (n.event_id = any(${own}::uuid[]) and n.kind = any(${[...REPORTER_KINDS]}::text[])
        and exists (select 1 from incidents i where i.id = n.incident_id and i.reporter_id = ${actor.id}::uuid))
    when n.event_id is not null then n.event_id = any(case n.kind when 'invite.changed' then ${managed}::uuid[] else ${events}::uuid[] end)
    else n.organization_id = any(case n.kind when 'invite.changed' then ${administered}::uuid[] else ${organizations}::uuid[] end) end`;
}

/** What the person chose for every kind; the defaults where nothing was chosen. */
export async function settingsOf(userId: string): Promise<Setting[]> {
  const chosen = await db.notificationChoice.findMany({ where: { userId } });
  return KINDS.map((kind) => {
    const choice = chosen.find((one) => one.kind === kind);
    return { kind, inApp: choice?.inApp ?? true, mail: choice?.mail ?? DEFAULT_MAIL[kind] };
  });
}

type Row = {
  id: string;
  kind: Kind;
  incidentId: string | null;
  eventId: string | null;
  eventName: string;
  eventSlug: string;
  organizationId: string | null;
  organizationName: string;
  organizationSlug: string;
  readAt: Date | null;
  createdAt: Date;
};

const COLUMNS = Prisma.sql`n.id, n.kind, n.incident_id as "incidentId", n.event_id as "eventId",
  e.name as "eventName", e.slug as "eventSlug", n.organization_id as "organizationId",
  o.name as "organizationName", o.slug as "organizationSlug", n.read_at as "readAt", n.created_at as "createdAt"`;

const PLACES = Prisma.sql`left join events e on e.id = n.event_id left join organizations o on o.id = n.organization_id`;

function notificationOf(row: Row, actor: Actor): NotificationRecord {
  const { id, kind, incidentId, readAt, createdAt } = row;
  const event = row.eventId ? { id: row.eventId, name: row.eventName, slug: row.eventSlug } : null;
  const organization = row.organizationId
    ? { id: row.organizationId, name: row.organizationName, slug: row.organizationSlug }
    : null;
  const invited = kind === "role.changed" && isInvited(actor, row);
  const url = linkTo({ kind, incidentId, event, organization, invited });
  return { id, kind, event, organization, incidentId, url, readAt, createdAt };
}

function isInvited({ events, organizations, withheld }: Actor, place: Row): boolean {
  const held = place.eventId
    ? [...events, ...(withheld?.events ?? [])].filter(({ eventId }) => eventId === place.eventId)
    : [...organizations, ...(withheld?.organizations ?? [])].filter(
        ({ organizationId }) => organizationId === place.organizationId,
      );
  return held.some(({ invited }) => invited);
}

export type Waiting = {
  id: string;
  kind: Kind;
  incidentId: string | null;
  place: string;
  url: string;
  /** The list of the event's reports, where it belongs to an event. */
  placeUrl: string;
};

/** What a mail may tell this person of, of the given notifications: still to be seen, and not read meanwhile. */
export async function waitingFor(actor: Actor, ids: string[]): Promise<Waiting[]> {
  const rows = await db.$queryRaw<Row[]>`
    select ${COLUMNS} from notifications n ${PLACES}
    where n.id = any(${ids}::uuid[]) and n.user_id = ${actor.id}::uuid and n.read_at is null and ${seenBy(actor)}
    order by n.created_at, n.id`;
  return rows.map((row) => {
    const { url } = notificationOf(row, actor);
    return {
      id: row.id,
      kind: row.kind,
      incidentId: row.incidentId,
      place: row.eventName ?? row.organizationName,
      url,
      placeUrl: row.eventId ? incidentsPage(row.eventSlug) : url,
    };
  });
}
