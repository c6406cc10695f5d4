import { db, pool } from "#lib/db.ts";
import { notFound } from "#lib/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { SEVERITIES, STATES, type Severity, type State } from "#lib/incidents/schema.ts";
import { type MonthCount, monthlyTrends, startOf } from "./period.ts";
import type { Analytics, EventsSummary, ReportFilter } from "./schema.ts";

/** Reports to count or list: of one organization, as the filter says, at a time that "30d" and so on refer to. */
export type Selection = { organizationId: string; filter: ReportFilter; now: Date };

type Counted = {
  metrics: {
    total: number;
    pending: number;
    escalated: number;
    unassigned: number;
    meanResolution: number | null;
    medianResolution: number | null;
    medianFirstResponse: number | null;
  };
  states: Partial<Record<State, number>>;
  severities: Partial<Record<Severity | "none", number>>;
  events: Analytics["byEvent"];
  months: MonthCount[];
  recent: (Omit<Analytics["recentReports"][number], "createdAt"> & { createdAt: string })[];
};

/**
 * Everything that analytics shows, counted by the database in one statement and so at one moment. Times in
 * hours with one decimal. `resolved` of a month counts the reports of the selection that were resolved in
 * it. Events without matching reports are listed with 0. Nothing here says who reported what.
 * @throws AppError NOT_FOUND when the filter names an event that isn't the organization's
 */
export async function analyticsOf(selection: Selection): Promise<Analytics> {
  const counted = await count(selection);
  if (selection.filter.eventId && counted.events.length === 0) throw notFound("This event");
  const { metrics } = counted;
  const share = (count: number) => ({
    count,
    percentage: metrics.total ? Math.round((1000 * count) / metrics.total) / 10 : 0,
  });
  return {
    metrics: {
      totalReports: metrics.total,
      pendingReports: metrics.pending,
      avgResolutionTime: inHours(metrics.meanResolution),
      escalatedReports: metrics.escalated,
      medianFirstResponse: inHours(metrics.medianFirstResponse),
      medianResolution: inHours(metrics.medianResolution),
      unassignedReports: metrics.unassigned,
    },
    byStatus: STATES.map((status) => ({ status, ...share(counted.states[status] ?? 0) })),
    bySeverity: [...SEVERITIES, "none" as const].map((severity) => ({
      severity,
      ...share(counted.severities[severity] ?? 0),
    })),
    byEvent: counted.events,
    monthlyTrends: monthlyTrends(
      counted.months,
      startOf(selection.filter.timeRange, selection.now),
      selection.now,
    ),
    recentReports: counted.recent.map((report) => ({ ...report, createdAt: new Date(report.createdAt) })),
  };
}

/** Not a statement that is planned once for all: what is quickest depends on the range and the organization. */
async function count(selection: Selection): Promise<Counted> {
  const { text, values } = countingSql(selection);
  const { rows } = await pool().query<Counted>(text, values);
  return rows[0] as Counted;
}

const inHours = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds / 360) / 10;

/**
 * One pass counts by event, state and severity, and the small table that gives is summed up for each block.
 * Months are counted by day first, which is quick to compute for every row, and gathered afterwards.
 */
function countingSql(selection: Selection): Prisma.Sql {
  const matching = matchingSql(selection);
  return Prisma.sql`
    with cells as materialized (
      select i.event_id, i.state, i.severity, count(*) as n, count(i.escalated_at) as escalated,
        count(*) filter (where i.resolved_at is null and i.assigned_responder_id is null) as unassigned
      ${matching}
      group by 1, 2, 3
    ), times as (
      select avg(i.resolved_at - i.created_at) as mean_resolution,
        percentile_cont(0.5) within group (order by i.resolved_at - i.created_at) as median_resolution,
        percentile_cont(0.5) within group (order by i.first_response_at - i.created_at) as median_first
      ${matching} and i.first_response_at is not null
    ), months as (
      select to_char(day at time zone 'UTC', 'YYYY-MM') as month, sum(n) as n, sum(resolved) as resolved from (
        select date_bin('1 day', i.created_at, '2000-01-01Z') as day, count(*) as n, 0 as resolved ${matching} group by 1
        union all
        select date_bin('1 day', i.resolved_at, '2000-01-01Z'), 0, count(*) ${matching} and i.resolved_at is not null group by 1
      ) days group by 1
    ), recent as (
      select i.id, i.title, i.state, i.severity, i.event_id, e.name, i.created_at
      ${matching} order by i.created_at desc, i.id desc limit 10
    )
    select
      (select json_build_object('total', coalesce(sum(n), 0), 'escalated', coalesce(sum(escalated), 0),
        'pending', coalesce(sum(n) filter (where state not in ('resolved', 'closed')), 0),
        'unassigned', coalesce(sum(unassigned), 0), 'meanResolution', (select extract(epoch from mean_resolution) from times),
        'medianResolution', (select extract(epoch from median_resolution) from times), 'medianFirstResponse', (select extract(epoch from median_first) from times))
        from cells) as metrics,
      (select coalesce(json_object_agg(state, n), '{}') from (select state, sum(n) as n from cells group by state) s) as states,
      (select coalesce(json_object_agg(coalesce(severity::text, 'none'), n), '{}')
        from (select severity, sum(n) as n from cells group by severity) s) as severities,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'eventName', e.name, 'eventSlug', e.slug,
        'count', coalesce(c.n, 0)) order by coalesce(c.n, 0) desc, e.name, e.id), '[]')
        from events e left join (select event_id, sum(n) as n from cells group by event_id) c on c.event_id = e.id
        where e.organization_id = ${selection.organizationId}::uuid ${ofEvent(selection)}) as events,
      (select coalesce(json_agg(json_build_object('month', month, 'count', n, 'resolved', resolved)), '[]') from months) as months,
      (select coalesce(json_agg(json_build_object('id', id, 'title', title, 'status', state, 'severity', severity,
        'eventId', event_id, 'eventName', name, 'createdAt', created_at) order by created_at desc, id desc), '[]')
        from recent) as recent`;
}

/** `from … where …`: incidents `i` and their events `e`. */
function matchingSql(selection: Selection): Prisma.Sql {
  const { timeRange, status, severity } = selection.filter;
  const since = startOf(timeRange, selection.now);
  return Prisma.sql`
    from incidents i join events e on e.id = i.event_id
    where e.organization_id = ${selection.organizationId}::uuid ${ofEvent(selection)}
    ${since ? Prisma.sql`and i.created_at >= ${since.toISOString()}::timestamptz` : Prisma.empty}
    ${status ? Prisma.sql`and i.state = ${status}::incident_state` : Prisma.empty}
    ${severity ? Prisma.sql`and i.severity = ${severity}::severity` : Prisma.empty}`;
}

const ofEvent = ({ filter }: Selection): Prisma.Sql =>
  filter.eventId ? Prisma.sql`and e.id = ${filter.eventId}::uuid` : Prisma.empty;

/** Names for the head of an export. `event` is null without a filter by event. @throws AppError NOT_FOUND */
export async function namesOf({
  organizationId,
  filter,
}: Selection): Promise<{ organization: string; event: string | null }> {
  const [found] = await db.$queryRaw<{ organization: string; event: string | null }[]>`
    select o.name as organization, e.name as event from organizations o
    left join events e on e.organization_id = o.id and e.id = ${filter.eventId ?? null}::uuid
    where o.id = ${organizationId}::uuid`;
  if (!found) throw notFound("This organization");
  if (filter.eventId && found.event === null) throw notFound("This event");
  return found;
}

/**
 * A report as exports list it: no description, no parties, no reporter (rulings R6). Times are texts already,
 * as a response shows them: the database writes them with far less ado than a hundred thousand Dates.
 */
export type ReportRow = {
  id: string;
  title: string;
  state: State;
  severity: Severity | null;
  event: string;
  eventSlug: string;
  assignedTo: string | null;
  createdAt: string;
  firstResponseAt: string | null;
  resolvedAt: string | null;
};

const isoTime = (column: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The next reports after `last`, newest first; at most `count`. Any number of reports takes flat memory. */
export async function reportsAfter(
  selection: Selection,
  last: ReportRow | undefined,
  count: number,
): Promise<ReportRow[]> {
  const after = last
    ? Prisma.sql`and (i.created_at, i.id) < (${last.createdAt}::timestamptz, ${last.id}::uuid)`
    : Prisma.empty;
  const { text, values } = Prisma.sql`
    select r.id, r.title, r.state, r.severity, r.event, r."eventSlug", u.name as "assignedTo",
      ${isoTime(Prisma.sql`r.created_at`)} as "createdAt",
      ${isoTime(Prisma.sql`r.first_response_at`)} as "firstResponseAt",
      ${isoTime(Prisma.sql`r.resolved_at`)} as "resolvedAt"
    from (
      select i.id, i.title, i.state, i.severity, i.created_at, i.first_response_at, i.resolved_at,
        i.assigned_responder_id, e.name as event, e.slug as "eventSlug"
      ${matchingSql(selection)} ${after}
      order by i.created_at desc, i.id desc limit ${count}
    ) r left join users u on u.id = r.assigned_responder_id
    order by r.created_at desc, r.id desc`;
  return (await pool().query<ReportRow>(text, values)).rows;
}

/** The events of an organization with their sizes, by name. Counts come from the counters, not from rows. */
export async function eventsSummary(organizationId: string): Promise<EventsSummary> {
  const events = await db.$queryRaw<EventsSummary["events"]>`
    select e.id, e.name, e.slug, e.is_active as "isActive",
      (select coalesce(sum(submitted + acknowledged + investigating + resolved + closed), 0)::int
        from incident_counts c where c.event_id = e.id) as "reportCount",
      (select count(distinct user_id)::int from event_roles r
        where r.event_id = e.id and r.role_name in ('Responder', 'Admin')) as "teamSize"
    from events e where e.organization_id = ${organizationId}::uuid
    order by e.name, e.id`;
  return {
    totalEvents: events.length,
    activeEvents: events.filter((event) => event.isActive).length,
    events,
  };
}
