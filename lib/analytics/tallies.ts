import { db } from "#lib/db.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { SEVERITIES_AND_NONE, STATES, type Severity, type State } from "#lib/incidents/schema.ts";
import { middleOf, spreadOf } from "./spread.ts";
import { monthName, piecesOf, startOf, type MonthCount, type Pieces } from "./period.ts";
import type { Analytics } from "./schema.ts";
import { narrowed, ofEvent, ofKind, ofSeverity, type Selection } from "./selection.ts";

/** One state and severity of the selection; `resolutionMs` of all that were resolved, together. */
type Cell = {
  state: State;
  severity: Severity | "none";
  reports: number;
  escalated: number;
  unassigned: number;
  resolved: number;
  resolutionMs: number;
};

export type Tallied = {
  cells: Cell[];
  /** Seconds; null where there is nothing to take them from. Medians hold to the tenth of an hour. */
  medianResolution: number | null;
  medianFirstResponse: number | null;
  events: Analytics["byEvent"];
  months: MonthCount[];
  recent: (Omit<Analytics["recentReports"][number], "createdAt"> & { createdAt: string })[];
};

/** What takes time, from the report on. */
type Measure = "answer" | "resolution";

type Counted = Pick<Tallied, "cells" | "events" | "recent"> & {
  months: { month: string; reports: number }[];
  /** Values and counts as the database writes arrays: `{1,2}`. */
  spreads: { measure: Measure | "resolved"; values: string; counts: string }[];
};

/**
 * What analytics shows, in one statement and so at one moment, from tallies by day and month (docs/decisions/022): the
 * cost depends on the events and on the time range, not on the number of reports. A median between two tenths of an hour
 * takes one more.
 */
export async function tally(selection: Selection): Promise<Tallied> {
  const [counted] = await db.$queryRaw<Counted[]>(tallyingSql(selection));
  const { cells, events, recent, months, spreads } = counted as Counted;
  const spread = (measure: string) =>
    spreadOf(
      spreads
        .filter((one) => one.measure === measure)
        .map((one) => ({ values: numbers(one.values), counts: numbers(one.counts) })),
    );
  return {
    cells,
    events,
    recent,
    medianResolution: await medianOf(selection, "resolution", spread("resolution")),
    medianFirstResponse: await medianOf(selection, "answer", spread("answer")),
    months: monthsFrom(months, spread("resolved")),
  };
}

const numbers = (array: string): number[] => JSON.parse(`[${array.slice(1, -1)}]`);

const TENTH_SECONDS = 360;
const ENDS: Record<Measure, Prisma.Sql> = {
  answer: Prisma.sql`i.first_response_at`,
  resolution: Prisma.sql`i.resolved_at`,
};

/**
 * Tallies know times to the tenth of an hour, as they are shown. Only where the two in the middle lie in different tenths
 * are they looked up: the last of the lower tenth, and the first of the upper one.
 */
async function medianOf(
  selection: Selection,
  measure: Measure,
  tenths: Map<number, number>,
): Promise<number | null> {
  const middle = middleOf(tenths);
  if (!middle) return null;
  const { lower, upper } = middle;
  if (lower === upper) return lower * TENTH_SECONDS;
  const took = Prisma.sql`extract(epoch from ${ENDS[measure]} - i.created_at)`;
  const inTenth = (tenth: number) =>
    inEachEvent(
      selection,
      Prisma.sql`${ENDS[measure]} is not null and tenths_of_hours(i.created_at, ${ENDS[measure]}) = ${tenth}::int`,
    );
  const [found] = await db.$queryRaw<{ median: number | null }[]>`
    select (((select max(${took}) ${inTenth(lower)}) + (select min(${took}) ${inTenth(upper)})) / 2)::float8 as median`;
  // Whatever was in one of them may have moved since the tallies were read.
  return found?.median ?? ((lower + upper) / 2) * TENTH_SECONDS;
}

function monthsFrom(made: Counted["months"], resolved: Map<number, number>): MonthCount[] {
  const months = new Map<string, MonthCount>();
  const of = (month: string) => {
    const found = months.get(month) ?? { month, count: 0, resolved: 0 };
    months.set(month, found);
    return found;
  };
  for (const { month, reports } of made) of(month).count += reports;
  for (const [number, count] of resolved) of(monthName(number)).resolved += count;
  return [...months.values()].filter(({ count, resolved }) => count > 0 || resolved > 0);
}

/**
 * `singles` are reports that count one by one: those of the range's first, broken day (of one event, up to the first
 * whole month), and what changed since the tallies were last folded. All else comes from whole days and months.
 */
function tallyingSql(selection: Selection): Prisma.Sql {
  const { organizationId, filter, now } = selection;
  const pieces = piecesOf(filter.timeRange, now);
  // A day of one event has no spreads of its own.
  if (filter.eventId) pieces.firstDay = pieces.firstMonth;
  const whole = wholeSql(pieces);
  const scope = filter.eventId ?? organizationId;
  return Prisma.sql`
    with singles as materialized (${singlesSql(selection, pieces)}), tallied as materialized (
      select t.state, t.severity, t.start, t.reports, t.escalated, t.unassigned, t.resolved, t.resolution_ms
      from report_tallies t where t.scope_id = ${scope}::uuid and ${kindsSql(selection)} and ${whole}
    ), parts as (
      select state, severity, reports, escalated, unassigned, resolved, resolution_ms from tallied
      union all
      select state, severity, weight, case when escalated then weight else 0 end,
        case when resolution is null and not assigned then weight else 0 end, case when resolution is null then 0 else weight end,
        coalesce(weight * round(resolution * 1000), 0)
      from singles
    ), cells as (
      select state, severity, sum(reports)::int as reports, sum(escalated)::int as escalated, sum(unassigned)::int as unassigned,
        sum(resolved)::int as resolved, sum(resolution_ms)::float8 as "resolutionMs"
      from parts group by 1, 2
    ), months as (
      select month, sum(reports)::int as reports from (
        select to_char(start, 'YYYY-MM') as month, sum(reports) as reports from tallied group by start
        union all select to_char(month, 'YYYY-MM'), n from (
          select date_trunc('month', created_at at time zone 'UTC') as month, sum(weight) as n from singles group by 1) s
      ) m group by 1
    ), spreads as (
      select t.measure, t."values"::text, t.counts::text from report_spreads t
      where t.scope_id = ${scope}::uuid and ${togetherSql(selection)} and ${isOfAll(selection) ? IN_ONE : whole}
      union all
      select 'answer', array_agg(${tenths("answer")})::text, array_agg(weight)::text from singles
      where answer is not null having count(*) > 0
      union all
      select 'resolution', array_agg(${tenths("resolution")})::text, array_agg(weight)::text from singles
      where resolution is not null having count(*) > 0
      union all
      select 'resolved', array_agg(month_number(month))::text, array_agg(n)::text from (
        select date_trunc('month', resolved_at, 'UTC') as month, sum(weight) as n from singles
        where resolved_at is not null group by 1) s having count(*) > 0
    ), of_events as (
      select event_id, sum(reports) as n from (${eventTalliesSql(selection, whole)}
        union all select event_id, weight from singles) one group by 1
    ), recent as (${recentSql(selection)})
    select
      (select coalesce(json_agg(cells), '[]') from cells) as cells,
      (select coalesce(json_agg(months), '[]') from months) as months,
      (select coalesce(json_agg(spreads), '[]') from spreads) as spreads,
      (select coalesce(json_agg(json_build_object('eventId', e.id, 'eventName', e.name, 'eventSlug', e.slug,
        'count', coalesce(c.n, 0)) order by coalesce(c.n, 0) desc, e.name, e.id), '[]')
        from events e left join of_events c on c.event_id = e.id
        where e.organization_id = ${organizationId}::uuid ${ofEvent(selection)}) as events,
      (select coalesce(json_agg(json_build_object('id', id, 'title', title, 'status', state, 'severity', severity,
        'eventId', event_id, 'eventName', name, 'createdAt', created_at) order by created_at desc, id desc), '[]')
        from recent) as recent`;
}

/** All that an organization ever had is spread in one row a measure, where nothing narrows it down. */
const isOfAll = ({ filter }: Selection): boolean =>
  filter.timeRange === "all" && !filter.eventId && !filter.status && !filter.severity;

const IN_ONE = Prisma.sql`t.period = 'all'`;

/** Whole days up to the first whole month, and whole months from then on. */
function wholeSql({ firstDay, firstMonth }: Pieces): Prisma.Sql {
  if (!firstDay) return Prisma.sql`t.period = 'month'`;
  return Prisma.sql`((t.period = 'day' and t.start >= ${firstDay}::date and t.start < ${firstMonth}::date)
    or (t.period = 'month' and t.start >= ${firstMonth}::date))`;
}

/** Tallies by state and severity, of those that the filter lets through. */
function kindsSql({ filter: { status, severity } }: Selection): Prisma.Sql {
  const states = status ? [status] : STATES;
  const severities = severity ? [severity] : [...SEVERITIES_AND_NONE];
  return Prisma.sql`t.state = any(${[...states]}::text[]) and t.severity = any(${severities}::text[])`;
}

/** As `kindsSql`, for what needs no telling apart: without a filter, those that hold any state and severity together. */
const togetherSql = (selection: Selection): Prisma.Sql =>
  selection.filter.status || selection.filter.severity
    ? kindsSql(selection)
    : Prisma.sql`t.state = 'any' and t.severity = 'any'`;

/** How long after the report, in seconds. Times are whole milliseconds, so a float holds them, at a third of the cost. */
const seconds = (of: "c" | "i", end: "first_response_at" | "resolved_at"): Prisma.Sql =>
  Prisma.raw(`date_part('epoch', ${of}.${end} - ${of}.created_at)`);

/** As `tenths_of_hours` of the database. */
const tenths = (measure: Measure): Prisma.Sql => Prisma.raw(`floor(${measure} / 360 + 0.5)::int`);

function singlesSql(selection: Selection, { firstDay }: Pieces): Prisma.Sql {
  const { organizationId, filter } = selection;
  const changes = Prisma.sql`
    select c.event_id, c.created_at, c.state::text as state, coalesce(c.severity::text, 'none') as severity, c.escalated,
      c.assigned, ${seconds("c", "first_response_at")} as answer, ${seconds("c", "resolved_at")} as resolution, c.resolved_at,
      c.weight::int as weight
    from report_changes c where c.organization_id = ${organizationId}::uuid
      ${firstDay ? Prisma.sql`and c.created_at >= ${firstDay}::timestamptz` : Prisma.empty}
      ${filter.eventId ? Prisma.sql`and c.event_id = ${filter.eventId}::uuid` : Prisma.empty}
      ${filter.status ? Prisma.sql`and c.state = ${filter.status}::incident_state` : Prisma.empty}
      ${filter.severity ? Prisma.sql`and ${ofSeverity(Prisma.sql`c`, filter.severity)}` : Prisma.empty}`;
  if (!firstDay) return changes;
  return Prisma.sql`${changes} union all
    select i.event_id, i.created_at, i.state::text, coalesce(i.severity::text, 'none'), i.escalated_at is not null,
      i.assigned_responder_id is not null, ${seconds("i", "first_response_at")}, ${seconds("i", "resolved_at")}, i.resolved_at, 1
    ${inEachEvent(selection, Prisma.sql`i.created_at < ${firstDay}::timestamptz`)}`;
}

const eventTalliesSql = (selection: Selection, whole: Prisma.Sql): Prisma.Sql => Prisma.sql`
  select e.id as event_id, c.reports from events e cross join lateral (
    select sum(t.reports) as reports from report_tallies t
    where t.scope_id = e.id and ${togetherSql(selection)} and ${whole}
  ) c where e.organization_id = ${selection.organizationId}::uuid ${ofEvent(selection)}`;

/** `from …`: reports `i` of the selection, looked for event by event, so that those of others are never read. */
const inEachEvent = (selection: Selection, condition: Prisma.Sql): Prisma.Sql => Prisma.sql`
  from events e cross join lateral (
    select * from incidents i where i.event_id = e.id ${narrowed(selection)} and ${condition} offset 0
  ) i where e.organization_id = ${selection.organizationId}::uuid ${ofEvent(selection)}`;

/**
 * The newest of each event, of which the newest ten are wanted. The time range is looked at afterwards: inside, the
 * database would take it for a shorter way than the order, and read all of it.
 */
function recentSql(selection: Selection): Prisma.Sql {
  const since = startOf(selection.filter.timeRange, selection.now);
  return Prisma.sql`
    select r.id, r.title, r.state, r.severity, r.event_id, e.name, r.created_at
    from events e cross join lateral (
      select i.id, i.title, i.state, i.severity, i.event_id, i.created_at from incidents i
      where i.event_id = e.id ${ofKind(selection)} order by i.created_at desc, i.id desc limit 10
    ) r
    where e.organization_id = ${selection.organizationId}::uuid ${ofEvent(selection)}
      ${since ? Prisma.sql`and r.created_at >= ${since.toISOString()}::timestamptz` : Prisma.empty}
    order by r.created_at desc, r.id desc limit 10`;
}
