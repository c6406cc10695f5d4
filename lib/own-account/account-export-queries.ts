import { sql } from "#lib/database/client.ts";
import { Prisma, type Notification, type TeamNote } from "#lib/generated/prisma/client.ts";
import { isKnownSql } from "#lib/access/readers-sql.ts";
import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { getVisibleIncidentFilter } from "#lib/access/visibility.ts";
import { isNotificationVisibleToSql } from "#lib/notifications/queries.ts";

/**
 * Batches of the export of a person's own data. Each leaves out what is hidden from them when it is read, since they
 * may be kept from an incident while they download the rest (contract 16.1).
 */

type AuthoredRow = Pick<TeamNote, "id" | "incidentId" | "body" | "createdAt" | "updatedAt"> & {
  eventId: string;
};

/** A batch that begins after the last row of the one before. */
type ExportBatch = { last: { id: string; createdAt: Date } | undefined; limit: number };

const isAfterSql = (columns: Prisma.Sql, last: ExportBatch["last"]): Prisma.Sql =>
  last ? Prisma.sql`(${columns}) > (${last.createdAt}::timestamptz, ${last.id}::uuid)` : Prisma.sql`true`;

/** Reads a batch of what the person wrote on other people's reports; team notes only while they are on that team. */
export function readOwnCommentsOnOthersReports(
  actor: Actor,
  table: "messages" | "team_notes",
  { last, limit, withheldEventIds }: ExportBatch & { withheldEventIds: string[] },
): Promise<AuthoredRow[]> {
  return sql.$queryRaw<AuthoredRow[]>`
    select m.id, i.id as "incidentId", i.event_id as "eventId", m.body, m.created_at as "createdAt",
      m.updated_at as "updatedAt"
    from ${Prisma.raw(table)} m join incidents i on i.id = m.${table === "messages" ? Prisma.sql`conversation_id` : Prisma.sql`incident_id`}
    where m.author_id = ${actor.id}::uuid and i.reporter_id is distinct from ${actor.id}::uuid
      and i.event_id <> all(${withheldEventIds}::uuid[]) and ${table === "team_notes" ? onTeamSql(actor) : Prisma.sql`true`}
      and ${isKnownSql(actor)} and ${isAfterSql(Prisma.sql`m.created_at, m.id`, last)} order by m.created_at, m.id limit ${limit}::int`;
}

function onTeamSql(actor: Actor): Prisma.Sql {
  const visibility = getVisibleIncidentFilter(actor);
  return visibility.everything ? Prisma.sql`true` : Prisma.sql`i.event_id = any(${visibility.all}::uuid[])`;
}

type PinRow = { id: string; eventId: string; createdAt: Date };

/** Reads a batch of the person's pins on incidents that they may still see. A pin has the id of its incident. */
export function readVisiblePins(actor: Actor, { last, limit }: ExportBatch): Promise<PinRow[]> {
  return sql.$queryRaw<PinRow[]>`
    select i.id, p.event_id as "eventId", p.created_at as "createdAt"
    from pins p join incidents i on i.id = p.incident_id
    where p.user_id = ${actor.id}::uuid and ${incidentVisibilityConditionSql(getVisibleIncidentFilter(actor), actor)}
      and ${isKnownSql(actor)} and ${isAfterSql(Prisma.sql`p.created_at, p.incident_id`, last)} order by p.created_at, p.incident_id limit ${limit}::int`;
}

type NotificationRow = Pick<Notification, "id" | "kind" | "eventId" | "incidentId" | "createdAt" | "readAt">;

/** Reads a batch of the person's notifications whose subject they may still see, also of those that were only mailed. */
export function readVisibleNotifications(
  actor: Actor,
  { last, limit }: ExportBatch,
): Promise<NotificationRow[]> {
  return sql.$queryRaw<NotificationRow[]>`
    select n.id, n.kind, n.event_id as "eventId", n.incident_id as "incidentId", n.created_at as "createdAt", n.read_at as "readAt"
    from notifications n left join incidents i on i.id = n.incident_id
    where n.user_id = ${actor.id}::uuid and ${isNotificationVisibleToSql(actor)} and ${isKnownSql(actor)}
      and ${isAfterSql(Prisma.sql`n.created_at, n.id`, last)} order by n.created_at, n.id limit ${limit}::int`;
}
