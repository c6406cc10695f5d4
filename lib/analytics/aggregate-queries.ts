import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";
import { findMedianPair, mergeHistograms, type Histogram } from "./histogram.ts";
import type { MonthReportCounts } from "./period.ts";
import type { Analytics } from "./schema.ts";
import type { ConductReportSelection } from "./filter-sql.ts";
import {
  fromReportsEventByEventSql,
  selectReportAggregatesSql,
  type ReportDurationName,
} from "./rollup-sql.ts";

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
  months: MonthReportCounts[];
  recent: (Omit<Analytics["recentReports"][number], "createdAt"> & { createdAt: string })[];
};

/**
 * The values of one measure, in tenths of hours, and how often each occurs, both as PostgreSQL array text: `{1,2}`.
 */
type HistogramRow = { measure: ReportDurationName; values: string; counts: string };

type AggregateRow = Pick<ReportAggregates, "cells" | "events" | "recent"> & {
  months: { month: string; reports: number }[];
  /** Reports that were resolved in the month, whenever they were created. */
  resolutions: { month: string; resolved: number }[];
  histograms: HistogramRow[];
};

/**
 * Returns the numbers that analytics shows. They come from aggregates by day and month (docs/decisions/022), read in
 * one statement and so at one point in time; only the resolutions of a month are counted from the reports. A median that falls between two tenths of an hour takes another query.
 */
export async function loadReportAggregates(selection: ConductReportSelection): Promise<ReportAggregates> {
  const [row] = await sql.$queryRaw<AggregateRow[]>(selectReportAggregatesSql(selection));
  const { cells, events, recent, months, resolutions, histograms } = row as AggregateRow;
  const mergeMeasure = (measure: ReportDurationName) =>
    mergeHistograms(
      histograms
        .filter((one) => one.measure === measure)
        .map(({ values, counts }) => ({ values: parseNumbers(values), counts: parseNumbers(counts) })),
    );
  return {
    cells,
    events,
    recent,
    medianResolution: await findMedian(selection, "resolution", mergeMeasure("resolution")),
    medianFirstResponse: await findMedian(selection, "first_response", mergeMeasure("first_response")),
    months: countMonths(months, resolutions),
  };
}

const parseNumbers = (array: string): number[] => JSON.parse(`[${array.slice(1, -1)}]`);

const END_COLUMNS: Record<ReportDurationName, Prisma.Sql> = {
  first_response: Prisma.sql`i.first_response_at`,
  resolution: Prisma.sql`i.resolved_at`,
};

/**
 * Aggregates store times to a tenth of an hour, which is the precision shown. Only if the two middle values lie in
 * different tenths are their exact times queried: the last of the lower tenth and the first of the upper one.
 */
async function findMedian(
  selection: ConductReportSelection,
  measure: ReportDurationName,
  tenths: Histogram,
): Promise<number | null> {
  const middle = findMedianPair(tenths);
  if (!middle) return null;
  const { lower, upper } = middle;
  if (lower === upper) return lower * SECONDS_PER_TENTH_HOUR;
  const took = Prisma.sql`extract(epoch from ${END_COLUMNS[measure]} - i.created_at)`;
  const inTenth = (tenth: number) =>
    fromReportsEventByEventSql(
      selection,
      Prisma.sql`${END_COLUMNS[measure]} is not null and tenths_of_hours(i.created_at, ${END_COLUMNS[measure]}) = ${tenth}::int`,
    );
  const [found] = await sql.$queryRaw<{ median: number | null }[]>`
    select (((select max(${took}) ${inTenth(lower)}) + (select min(${took}) ${inTenth(upper)})) / 2)::float8 as median`;
  // The reports in one of the tenths may have changed since the aggregates were read.
  return found?.median ?? ((lower + upper) / 2) * SECONDS_PER_TENTH_HOUR;
}

function countMonths(
  created: AggregateRow["months"],
  resolutions: AggregateRow["resolutions"],
): MonthReportCounts[] {
  const months = new Map<string, MonthReportCounts>();
  const countsOf = (month: string) => {
    const counts = months.get(month) ?? { month, count: 0, resolved: 0 };
    months.set(month, counts);
    return counts;
  };
  for (const { month, reports } of created) countsOf(month).count += reports;
  for (const { month, resolved } of resolutions) countsOf(month).resolved += resolved;
  return [...months.values()].filter(({ count, resolved }) => count > 0 || resolved > 0);
}
