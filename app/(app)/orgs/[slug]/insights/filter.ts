import type { CategoryBarData } from "#lib/design/charts.ts";
import {
  isCustomPeriod,
  computePeriodStart,
  type PeriodFilter,
  type TimeRangeName,
} from "#lib/analytics/period.ts";
import { ReportFilter } from "#lib/analytics/schema.ts";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";

/** The filter of the counted reports, by the API's parameter names; only values that differ from its defaults. */
type InsightsFilter = {
  timeRange?: string;
  /** First and last day; they replace the time range. */
  from?: string;
  to?: string;
  eventId?: string;
  /** One or several, separated by commas. */
  status?: string;
  severity?: string;
};

/** The display of the numbers: compared with the previous period or not, and how the bars are split. */
type InsightsDisplayOptions = { compare: boolean; stack: "severity" | "status" };

const FILTER_NAMES = Object.keys(ReportFilter.shape) as (keyof typeof ReportFilter.shape)[];

/** Returns the filters in the URL, valid or not. */
export const pickInsightsFilterParams = (query: SearchParams): SearchParams =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, query[name]]));

/** Parses the filters in the URL, without unknown values. */
export function parseInsightsFilter(query: SearchParams): InsightsFilter {
  const filter: InsightsFilter = {};
  for (const name of FILTER_NAMES) {
    const value = readSingleSearchParam(query, name);
    const parsed = ReportFilter.shape[name].safeParse(value);
    if (value && parsed.success) filter[name] = String(parsed.data);
  }
  if (filter.from && filter.to && filter.to < filter.from) delete filter.to;
  if (filter.timeRange === "30d" || isCustomPeriod(toPeriodFilter(filter))) delete filter.timeRange;
  return filter;
}

/** Converts the filter to the period of the statistics. */
export const toPeriodFilter = ({ timeRange = "30d", from, to }: InsightsFilter): PeriodFilter => ({
  timeRange: timeRange as TimeRangeName,
  from,
  to,
});

/** Parses how the numbers are shown. A period without a start has no previous one to compare with. */
export const parseInsightsDisplayOptions = (
  query: SearchParams,
  filter: InsightsFilter,
): InsightsDisplayOptions => ({
  compare:
    query.compare === "true" &&
    computePeriodStart({ filter: toPeriodFilter(filter), now: new Date() }) !== undefined,
  stack: query.stack === "status" ? "status" : "severity",
});

/** The view as query parameters, without defaults. */
const toViewParams = ({ compare, stack }: InsightsDisplayOptions) => ({
  compare: compare ? "true" : undefined,
  stack: stack === "status" ? stack : undefined,
});

export type InsightsPageState = { path: string; filter: InsightsFilter; view: InsightsDisplayOptions };

/** Builds the URL of the same page with another filter. */
export const buildInsightsFilterHref = (
  { path, filter, view }: InsightsPageState,
  changes: Record<string, string | null>,
): string => buildHrefWithQueryChanges(path, { ...filter, ...toViewParams(view) }, changes);

/** Builds the URL of the same numbers, shown differently. */
export const buildInsightsDisplayHref = (
  { path, filter, view }: InsightsPageState,
  changes: Partial<InsightsDisplayOptions>,
): string => buildHrefWithQueryChanges(path, { ...filter, ...toViewParams({ ...view, ...changes }) }, {});

/** Hidden parameters of the filter form. */
export const buildInsightsHiddenParams = ({
  filter,
  view,
}: InsightsPageState): Record<string, string | undefined> => ({
  timeRange: filter.timeRange,
  ...toViewParams(view),
});

const MAX_EVENT_BARS = 12;

type EventCount = { eventId: string; eventName: string; eventSlug: string; count: number };

/**
 * Returns one bar per event. With more than MAX_EVENT_BARS events, omits those without a report and combines
 * the smallest. Duplicate names get the slug appended, so that each bar is unambiguous.
 * @param others names the bar that combines this many events
 */
export function buildEventChartBars(
  events: readonly EventCount[],
  others: (count: number) => string,
): (CategoryBarData & { slug?: string })[] {
  const countedEvents = events.length > MAX_EVENT_BARS ? events.filter(({ count }) => count > 0) : events;
  const names = countedEvents.map(({ eventName }) => eventName);
  const rows = countedEvents.map(({ eventName, eventSlug, count }) => ({
    label:
      names.indexOf(eventName) === names.lastIndexOf(eventName) ? eventName : `${eventName} (${eventSlug})`,
    value: count,
    slug: eventSlug,
  }));
  if (rows.length <= MAX_EVENT_BARS) return rows;
  const rest = rows.slice(MAX_EVENT_BARS - 1);
  const value = rest.reduce((sum, row) => sum + row.value, 0);
  return [...rows.slice(0, MAX_EVENT_BARS - 1), { label: others(rest.length), value }];
}
