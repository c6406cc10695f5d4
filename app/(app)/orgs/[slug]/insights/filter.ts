import type { CategoryRow } from "#components/ui/chart.tsx";
import { ReportFilter } from "#lib/analytics/schema.ts";
import { hrefWith, type Query, valueIn } from "#lib/design/query.ts";

/** Which reports are counted, by the names that the interface gives them; only what differs from its defaults. */
export type Filter = { timeRange?: string; eventId?: string; status?: string; severity?: string };

/** How the numbers are shown: beside the period before, and what the bars of the months are made of. */
export type View = { compare: boolean; stack: "severity" | "status" };

const FILTERS = Object.keys(ReportFilter.shape) as (keyof typeof ReportFilter.shape)[];

/** What the address asks for, known or not. */
export const askedIn = (query: Query): Query =>
  Object.fromEntries(FILTERS.map((name) => [name, query[name]]));

/** The filter in the address, without the values that aren't known. */
export function filterOf(query: Query): Filter {
  const filter: Filter = {};
  for (const name of FILTERS) {
    const value = valueIn(query, name);
    const known = value && ReportFilter.shape[name].safeParse(value).data;
    if (known) filter[name] = known;
  }
  if (filter.timeRange === "30d") delete filter.timeRange;
  return filter;
}

/** All time has no period before it. */
export const viewOf = (query: Query, filter: Filter): View => ({
  compare: query.compare === "true" && filter.timeRange !== "all",
  stack: query.stack === "status" ? "status" : "severity",
});

/** The view as the address holds it; what is so by itself is left out. */
const inAddress = ({ compare, stack }: View) => ({
  compare: compare ? "true" : undefined,
  stack: stack === "status" ? stack : undefined,
});

export type Shown = { path: string; filter: Filter; view: View };

/** The same page with another filter. */
export const filtered = ({ path, filter, view }: Shown, changes: Record<string, string | null>): string =>
  hrefWith(path, { ...filter, ...inAddress(view) }, changes);

/** The same numbers shown another way. */
export const viewed = ({ path, filter, view }: Shown, changes: Partial<View>): string =>
  hrefWith(path, { ...filter, ...inAddress({ ...view, ...changes }) }, {});

/** What the filter's form sends along besides its fields. */
export const kept = ({ filter, view }: Shown): Record<string, string | undefined> => ({
  timeRange: filter.timeRange,
  ...inAddress(view),
});

const MOST_BARS = 12;

type EventCount = { eventId: string; eventName: string; eventSlug: string; count: number };

/**
 * A bar an event; where there are many, the smallest are taken together, and those without a report are left
 * out. Names that stand twice get their short name, so that each bar is somebody's.
 * @param others names a bar that stands for so many events
 */
export function chartRowsOf(
  events: readonly EventCount[],
  others: (count: number) => string,
): (CategoryRow & { slug?: string })[] {
  const counted = events.length > MOST_BARS ? events.filter(({ count }) => count > 0) : events;
  const names = counted.map(({ eventName }) => eventName);
  const rows = counted.map(({ eventName, eventSlug, count }) => ({
    label:
      names.indexOf(eventName) === names.lastIndexOf(eventName) ? eventName : `${eventName} (${eventSlug})`,
    value: count,
    slug: eventSlug,
  }));
  if (rows.length <= MOST_BARS) return rows;
  const rest = rows.slice(MOST_BARS - 1);
  const value = rest.reduce((sum, row) => sum + row.value, 0);
  return [...rows.slice(0, MOST_BARS - 1), { label: others(rest.length), value }];
}
