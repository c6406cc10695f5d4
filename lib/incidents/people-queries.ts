import { TEAM_ROLES } from "#lib/access/role-sets.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { resolveVisibleIncidentFilter } from "#lib/incidents/list-queries.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isKnownSql, isReadableSql } from "#lib/access/readers-sql.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import type { VisibleIncidentFilter } from "#lib/access/visibility.ts";
import {
  MAX_PEOPLE_PER_INBOX_FILTER,
  type InboxFilterPeople,
  type InboxFilterPeopleQuery,
} from "#lib/incidents/inbox-schema.ts";

/** Newest reports of an event whose reporters are offered as filters. */
const RECENT_REPORTS_PER_EVENT = 20;
const RECENT_REPORTS_OF_EVERYTHING = 500;

/**
 * Lists the people by whom the inbox can be filtered: the response teams, and recent reporters, in the events whose
 * every incident the actor may see. People whom a filter already names are included only if they hold a role or sent an
 * incident there, so that a filter reveals nobody whom the actor couldn't see otherwise.
 */
export async function listInboxFilterPeople(
  actor: Actor,
  { event, assigned = [], reporter = [] }: InboxFilterPeopleQuery,
): Promise<InboxFilterPeople> {
  const visibility = await resolveVisibleIncidentFilter(actor, event);
  const isInEvents = isInEventSql(visibility, Prisma.sql`i.event_id`);
  const named = assigned.filter((one) => UUID_PATTERN.test(one));
  const [row] = await sql.$queryRaw<InboxFilterPeople[]>`
    select ${peopleJsonSql(Prisma.sql`${teamIdsSql(visibility)} union ${namedIdsSql("assigned_responder_id", named, Prisma.sql`${isInEvents} and ${isKnownSql(actor)}`)}`)} as assignees,
      ${peopleJsonSql(Prisma.sql`${recentReporterIdsSql(actor, visibility)} union ${namedIdsSql("reporter_id", reporter, Prisma.sql`${isInEvents} and ${isNamedSql(actor)}`)}`)} as reporters`;
  return row ?? { assignees: [], reporters: [] };
}

/** People by name, as a JSON array; those who are named in a filter are few and never cut off. */
const peopleJsonSql = (ids: Prisma.Sql) => Prisma.sql`(
  select coalesce(json_agg(json_build_object('id', u.id, 'name', u.name, 'emailVerified', ${isEmailVerifiedIfRequiredSql()})
    order by u.name collate title_order, u.id), '[]')
  from users u where u.id in (${ids}))`;

type TeamMember = { eventId: string; id: string; name: string };

/** Lists the people on the response teams of some events. */
export async function listTeamsOfEvents(eventIds: readonly string[]): Promise<TeamMember[]> {
  const roles = await prisma.eventRole.findMany({
    where: { eventId: { in: [...eventIds] }, roleName: { in: TEAM_ROLES } },
    select: { eventId: true, user: { select: { id: true, name: true } } },
  });
  return roles.map(({ eventId, user }) => ({ eventId, ...user }));
}

const isInEventSql = (visibility: VisibleIncidentFilter, column: Prisma.Sql) =>
  visibility.everything ? Prisma.sql`true` : Prisma.sql`${column} = any(${visibility.all}::uuid[])`;

const teamIdsSql = (visibility: VisibleIncidentFilter) => Prisma.sql`(
  select r.user_id from event_roles r where ${isInEventSql(visibility, Prisma.sql`r.event_id`)}
    and r.role_name in ${TEAM_ROLES_SQL}
  group by r.user_id order by r.user_id limit ${MAX_PEOPLE_PER_INBOX_FILTER}::int)`;

const recentReporterIdsSql = (actor: Actor, visibility: VisibleIncidentFilter) => Prisma.sql`(
  select n.reporter_id from (${recentReportsSql(actor, visibility)}) n where n.reporter_id is not null
  group by n.reporter_id order by max(n.created_at) desc limit ${MAX_PEOPLE_PER_INBOX_FILTER}::int)`;

/** The condition that the actor may know who reported incident `i`: its conflict check doesn't withhold it. */
const isNamedSql = (actor: Actor) => isReadableSql(actor);

const recentReportsSql = (actor: Actor, visibility: VisibleIncidentFilter) =>
  visibility.everything
    ? Prisma.sql`select i.reporter_id, i.created_at from incidents i where ${isNamedSql(actor)}
        order by i.created_at desc, i.id desc limit ${RECENT_REPORTS_OF_EVERYTHING}::int`
    : Prisma.sql`select f.reporter_id, f.created_at from unnest(${visibility.all}::uuid[]) as v(event_id)
        cross join lateral (
          select i.reporter_id, i.created_at from incidents i where i.event_id = v.event_id and ${isNamedSql(actor)}
          order by i.created_at desc, i.id desc limit ${RECENT_REPORTS_PER_EVENT}::int
        ) f`;

const namedIdsSql = (
  column: "assigned_responder_id" | "reporter_id",
  ids: readonly string[],
  condition: Prisma.Sql,
) => Prisma.sql`(
  select g.id from unnest(${[...ids]}::uuid[]) as g(id) where exists (
    select 1 from incidents i where i.${Prisma.raw(column)} = g.id and ${condition}))`;
