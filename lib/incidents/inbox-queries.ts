import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { incidentVisibilityConditionSql } from "#lib/access/visibility-sql.ts";
import {
  SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL,
  DUE_FILTER_CONDITIONS_SQL,
  IS_OPEN_SQL,
  NEEDS_US_SQL,
} from "#lib/incidents/list-sql.ts";
import { resolveVisibleIncidentFilter } from "#lib/incidents/list-queries.ts";
import { OPEN_STATES, INCIDENT_STATES } from "#lib/incidents/schema.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isReadableSql, readableIncidentCountsSql } from "#lib/access/readers-sql.ts";
import { sumStateCountsSql } from "#lib/access/policy-sql.ts";
import { getVisibleIncidentFilter, type VisibleIncidentFilter } from "#lib/access/visibility.ts";
import {
  PERSONAL_COUNT_CAP,
  MAX_EVENTS_WITH_INBOX_COUNTS,
  type IncidentMarks,
  type IncidentCountsSummary,
  type IncidentSummaryQuery,
} from "#lib/incidents/inbox-schema.ts";
import { isUnreadSql } from "#lib/incidents/unread-sql.ts";

/** Sums the counters (docs/decisions/005) in one statement, whatever the number of incidents. */
export async function loadIncidentCounts(
  actor: Actor,
  { event }: IncidentSummaryQuery,
): Promise<IncidentCountsSummary> {
  const visibility = await resolveVisibleIncidentFilter(actor, event);
  const countSql = (condition: Prisma.Sql) => cappedCountSql(actor, visibility, condition);
  const [row] = await sql.$queryRaw<{ row: IncidentCountsSummary }[]>`
    with team as materialized (select ${visibility.everything ? [] : visibility.all}::uuid[] as ids), event_counts as materialized (
      select event_id, ${sumColumnsSql(COUNTER_COLUMNS)} from ${readableIncidentCountsSql(actor)} n where ${teamIdsConditionSql(visibility, "event_id")} group by event_id
    )
    select json_build_object(
      'byState', json_build_object(${jsonPairsSql(INCIDENT_STATES)}),
      'open', ${totalSql(OPEN_COUNT)},
      'openBySeverity', json_build_object('critical', ${totalSql("open_critical")}, 'high', ${totalSql("open_high")},
        'medium', ${totalSql("open_medium")}, 'low', ${totalSql("open_low")},
        'none', ${totalSql(`${OPEN_COUNT} - open_critical - open_high - open_medium - open_low`)}),
      'openUnassigned', ${totalSql("open_unassigned")}, 'openEscalated', ${totalSql("open_escalated")},
      'openMine', ${countSql(Prisma.sql`i.assigned_responder_id = ${actor.id}::uuid and ${IS_OPEN_SQL}`)},
      'openOverdue', ${countSql(DUE_FILTER_CONDITIONS_SQL.overdue)},
      'openAwaiting', json_build_object('reporter', ${countSql(SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.reporter)},
        'team', ${countSql(SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.team)}),
      'needsUs', ${countSql(NEEDS_US_SQL)},
      'pinned', (select count(*) from pins p join incidents i on i.id = p.incident_id
        where p.user_id = ${actor.id}::uuid and ${incidentVisibilityConditionSql(visibility, actor)}),
      'events', (select coalesce(json_agg(e), '[]') from (${eventTotalsSql(visibility)}) e)
    ) as row from event_counts`;
  if (!row) throw new Error("an aggregate without a row");
  return row.row;
}

const OPEN_COUNT = OPEN_STATES.join(" + ");
const OPEN_BREAKDOWN = ["unassigned", "escalated", "critical", "high", "medium", "low"];
const COUNTER_COLUMNS = [...INCIDENT_STATES, ...OPEN_BREAKDOWN.map((kind) => `open_${kind}`)];

const sumColumnsSql = (columns: readonly string[]) =>
  Prisma.raw(columns.map((column) => `sum(${column})::bigint as ${column}`).join(", "));
const totalSql = (what: string) => Prisma.raw(`coalesce(sum(${what}), 0)::int`);
const jsonPairsSql = (names: readonly string[]) =>
  Prisma.raw(names.map((name) => `'${name}', coalesce(sum(${name}), 0)::int`).join(", "));

/** Counts the team's incidents up to PERSONAL_COUNT_CAP; each condition has its own index. */
const cappedCountSql = (
  actor: Actor,
  visibility: VisibleIncidentFilter,
  condition: Prisma.Sql,
) => Prisma.sql`(select count(*) from (
  select 1 from incidents i where ${condition} and ${teamIdsConditionSql(visibility, "i.event_id")} and ${isReadableSql(actor)} limit ${PERSONAL_COUNT_CAP}::int) few)`;

/** Like `teamConditionSql`, but takes the ids from the subquery `team`, so that the statement has them only once. */
const teamIdsConditionSql = (visibility: VisibleIncidentFilter, column: "event_id" | "i.event_id" | "e.id") =>
  visibility.everything
    ? Prisma.sql`true`
    : Prisma.sql`${Prisma.raw(column)} = any((select ids from team)::uuid[])`;

const teamConditionSql = (visibility: VisibleIncidentFilter) =>
  visibility.everything ? Prisma.sql`true` : Prisma.sql`i.event_id = any(${visibility.all}::uuid[])`;

const eventTotalsSql = (visibility: VisibleIncidentFilter) => Prisma.sql`
  select e.id, e.name, e.slug, coalesce(${sumStateCountsSql("c", OPEN_STATES)}, 0)::int as open,
    coalesce(${sumStateCountsSql("c", INCIDENT_STATES)}, 0)::int as total
  from events e left join event_counts c on c.event_id = e.id where ${teamIdsConditionSql(visibility, "e.id")} order by e.name collate title_order, e.id limit ${MAX_EVENTS_WITH_INBOX_COUNTS}::int`;

/**
 * Returns the markers of these incidents: pinned, unread, number of messages. Leaves out those that the actor can't
 * see.
 */
export async function listInboxRowMarkers(
  actor: Actor,
  ids: readonly string[],
): Promise<IncidentMarks["marks"]> {
  const visibility = getVisibleIncidentFilter(actor);
  const rows = await sql.$queryRaw<IncidentMarkRow[]>`
    select i.id as "incidentId",
      exists (select 1 from pins p where p.user_id = ${actor.id}::uuid and p.incident_id = i.id) as pinned,
      (select count(*)::int from messages m where m.conversation_id = i.id) as messages,
      ${teamConditionSql(visibility)} and ${isUnreadSql(actor.id)} as unread,
      case when ${teamConditionSql(visibility)} then i.due_for::text end as "dueFor",
      i.due_since as "dueSince", i.due_at as "dueAt",
      case when not ${teamConditionSql(visibility)} then null
        when ${SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.reporter} then 'reporter' when ${SIDE_EXPECTED_TO_REPLY_CONDITIONS_SQL.team} then 'team' end as awaiting
    from incidents i
    where i.id = any(${[...ids]}::uuid[]) and ${incidentVisibilityConditionSql(visibility, actor)}`;
  return rows.map(({ dueFor, dueSince, dueAt, ...mark }) => ({
    ...mark,
    due: dueFor && dueSince && dueAt ? { for: dueFor, since: dueSince, at: dueAt } : null,
  }));
}

type IncidentMarkRow = Omit<IncidentMarks["marks"][number], "due"> & {
  dueFor: "acknowledge" | "update" | null;
  dueSince: Date | null;
  dueAt: Date | null;
};
