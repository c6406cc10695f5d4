import { db } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";
import {
  aggregateCache,
  type CachedAggregates,
  type Measure,
  type PartialDayReport,
  type MeasureHistograms,
} from "./cache.ts";
import { findMedianPair, mergeHistograms, type WeightedValues, type Histogram } from "./histogram.ts";
import { monthFromIndex, toIsoMonth, splitRange, startOfRange, type MonthCount } from "./period.ts";
import type { Analytics } from "./schema.ts";
import type { ReportSelection } from "./filter-sql.ts";
import { reportsByEventSql, aggregateReportsSql } from "./rollup-sql.ts";

const SECONDS_PER_TENTH_HOUR = 360;

/** The numbers for one status and severity. `resolutionMs` is the total over all resolved reports. */
type Cell = {
  state: IncidentState;
  severity: Severity | "none";
  reports: number;
  escalated: number;
  unassigned: number;
  resolved: number;
  resolutionMs: number;
};

export type ReportAggregates = {
  cells: Cell[];
  /** Seconds; null if no report has a value. Medians are exact to a tenth of an hour. */
  medianResolution: number | null;
  medianFirstResponse: number | null;
  events: Analytics["byEvent"];
  months: MonthCount[];
  recent: (Omit<Analytics["recentReports"][number], "createdAt"> & { createdAt: string })[];
};

/** Values and counts as PostgreSQL array text: `{1,2}`. */
type ListRow = { measure: keyof MeasureHistograms; values: string; counts: string };

/** `PartialDayReport`s as the database sends them: one list per column. */
type PartialDayColumns = { [name in keyof PartialDayReport]: PartialDayReport[name][] };

type AggregateRow = Pick<ReportAggregates, "cells" | "recent"> & {
  months: { month: string; reports: number }[];
  /** Sorted by name. */
  events: ReportAggregates["events"];
  /**
   * The version of the lists of whole days and months, which changes whenever one of them does. `lists` is null if the
   * caller's version is current.
   */
  listsVersion: string;
  lists: ListRow[] | null;
  /** The same for the partial first day. */
  singlesVersion: string;
  singles: PartialDayColumns | null;
  /** The changes that aren't rolled up yet. */
  changes: ListRow[];
};

/**
 * Returns the numbers that analytics shows. They come from aggregates by day and month (docs/decisions/022), read in
 * one statement and so at one point in time; the cost depends on the number of events and on the time range, not on the
 * number of reports. A median that falls between two tenths of an hour takes another query.
 */
export async function aggregateReports(selection: ReportSelection): Promise<ReportAggregates> {
  const { organizationId, filter } = selection;
  const key = JSON.stringify([organizationId, filter, splitRange(filter.timeRange, selection.now)]);
  const before = aggregateCache.get(key);
  const [row] = await db.$queryRaw<AggregateRow[]>(aggregateReportsSql(selection, before));
  const counted = row as AggregateRow;
  const now = updateCache(key, counted, before);
  const since = startOfRange(filter.timeRange, selection.now)?.getTime() ?? 0;
  const singles = now.singles.filter(({ createdAt }) => createdAt >= since);
  const histograms = mergeMeasures(counted.changes, singles, now.spreads);
  return {
    cells: addToCells(counted.cells, singles),
    events: countEvents(counted.events, singles),
    recent: counted.recent,
    medianResolution: await findMedian(selection, "resolution", histograms.resolution),
    medianFirstResponse: await findMedian(selection, "answer", histograms.answer),
    months: countMonths(counted.months, singles, histograms.resolved),
  };
}

/** Returns what the database sent, or else the cached values. */
function updateCache(
  key: string,
  counted: AggregateRow,
  before: CachedAggregates | undefined,
): CachedAggregates {
  const { lists, listsVersion, singles, singlesVersion } = counted;
  const now = {
    listsVersion,
    spreads: lists || !before ? mergeMeasures(lists ?? []) : before.spreads,
    singlesVersion,
    singles: singles ? toPartialDayReports(singles) : (before?.singles ?? []),
  };
  if (lists || singles) aggregateCache.set(key, now);
  return now;
}

const toPartialDayReports = (columns: PartialDayColumns): PartialDayReport[] =>
  columns.createdAt.map(
    (_, at) =>
      Object.fromEntries(
        Object.entries(columns).map(([name, values]) => [name, values[at]]),
      ) as PartialDayReport,
  );

/** Merges lists and single reports with `rolledUp`. */
function mergeMeasures(
  lists: readonly ListRow[],
  singles: readonly PartialDayReport[] = [],
  rolledUp?: MeasureHistograms,
): MeasureHistograms {
  const mergeMeasure = (measure: keyof MeasureHistograms) => {
    const parts: WeightedValues[] = lists
      .filter((one) => one.measure === measure)
      .map(({ values, counts }) => ({ values: parseNumbers(values), counts: parseNumbers(counts) }));
    const over = singles.filter((single) => single[measure] !== null);
    parts.push({
      values: over.map((single) => single[measure] as number),
      counts: over.map(({ weight }) => weight),
    });
    return mergeHistograms(rolledUp ? [rolledUp[measure], ...parts] : parts);
  };
  return {
    answer: mergeMeasure("answer"),
    resolution: mergeMeasure("resolution"),
    resolved: mergeMeasure("resolved"),
  };
}

const parseNumbers = (array: string): number[] => JSON.parse(`[${array.slice(1, -1)}]`);

const END_COLUMNS: Record<Measure, Prisma.Sql> = {
  answer: Prisma.sql`i.first_response_at`,
  resolution: Prisma.sql`i.resolved_at`,
};

/**
 * Aggregates store times to a tenth of an hour, which is the precision shown. Only if the two middle values lie in
 * different tenths are their exact times queried: the last of the lower tenth and the first of the upper one.
 */
async function findMedian(
  selection: ReportSelection,
  measure: Measure,
  tenths: Histogram,
): Promise<number | null> {
  const middle = findMedianPair(tenths);
  if (!middle) return null;
  const { lower, upper } = middle;
  if (lower === upper) return lower * SECONDS_PER_TENTH_HOUR;
  const took = Prisma.sql`extract(epoch from ${END_COLUMNS[measure]} - i.created_at)`;
  const inTenth = (tenth: number) =>
    reportsByEventSql(
      selection,
      Prisma.sql`${END_COLUMNS[measure]} is not null and tenths_of_hours(i.created_at, ${END_COLUMNS[measure]}) = ${tenth}::int`,
    );
  const [found] = await db.$queryRaw<{ median: number | null }[]>`
    select (((select max(${took}) ${inTenth(lower)}) + (select min(${took}) ${inTenth(upper)})) / 2)::float8 as median`;
  // The reports in one of the tenths may have changed since the aggregates were read.
  return found?.median ?? ((lower + upper) / 2) * SECONDS_PER_TENTH_HOUR;
}

function addToCells(counted: readonly Cell[], singles: readonly PartialDayReport[]): Cell[] {
  const cells = new Map(counted.map((cell) => [`${cell.state} ${cell.severity}`, { ...cell }]));
  for (const { state, severity, weight, ...single } of singles) {
    const nothing = { reports: 0, escalated: 0, unassigned: 0, resolved: 0, resolutionMs: 0 };
    const cell = cells.get(`${state} ${severity}`) ?? { state, severity, ...nothing };
    cells.set(`${state} ${severity}`, cell);
    cell.reports += weight;
    if (single.escalated) cell.escalated += weight;
    if (single.unassigned) cell.unassigned += weight;
    if (single.resolutionMs === null) continue;
    cell.resolved += weight;
    cell.resolutionMs += weight * single.resolutionMs;
  }
  return [...cells.values()];
}

/** Sorts events by the number of reports, descending, then by name. */
function countEvents(
  byName: AggregateRow["events"],
  singles: readonly PartialDayReport[],
): ReportAggregates["events"] {
  const more = new Map<string, number>();
  for (const { eventId, weight } of singles) more.set(eventId, (more.get(eventId) ?? 0) + weight);
  return byName
    .map((event) => ({ ...event, count: event.count + (more.get(event.eventId) ?? 0) }))
    .sort((a, b) => b.count - a.count);
}

function countMonths(
  made: AggregateRow["months"],
  singles: readonly PartialDayReport[],
  resolved: Histogram,
): MonthCount[] {
  const months = new Map<string, MonthCount>();
  const of = (month: string) => {
    const found = months.get(month) ?? { month, count: 0, resolved: 0 };
    months.set(month, found);
    return found;
  };
  for (const { month, reports } of made) of(month).count += reports;
  for (const { createdAt, weight } of singles) of(toIsoMonth(new Date(createdAt))).count += weight;
  for (const [at, number] of resolved.values.entries())
    of(monthFromIndex(number)).resolved += resolved.counts[at] as number;
  return [...months.values()].filter(({ count, resolved }) => count > 0 || resolved > 0);
}
