import type { CategoryRow } from "#components/ui/chart.tsx";
import { ReportFilter } from "#lib/analytics/schema.ts";
import type { Query } from "#lib/design/query.ts";

/** Which reports are counted, by the names that the interface gives them; only what differs from its defaults. */
export type Filter = { timeRange?: string; eventId?: string; status?: string; severity?: string };

/** "Last 30 days" is what is shown without a choice. */
export const RANGES = [
  { value: "90d", label: "Last 90 days" },
  { value: "1y", label: "Last year" },
  { value: "all", label: "All time" },
];

/**
 * The filter in the address, without what makes no sense there: an unknown value, or an event of another
 * organization, which would lead to the not-found page.
 */
export function filterOf(query: Query, events: readonly { id: string }[]): Filter {
  const filter: Filter = {};
  for (const [name, schema] of Object.entries(ReportFilter.shape)) {
    const value = query[name];
    if (typeof value === "string" && value !== "" && schema.safeParse(value).success)
      filter[name as keyof Filter] = value;
  }
  if (!events.some(({ id }) => id === filter.eventId)) delete filter.eventId;
  if (filter.timeRange === "30d") delete filter.timeRange;
  return filter;
}

const MOST_BARS = 12;

/**
 * A bar an event; where there are many, the smallest are taken together, and those without a report are left
 * out. Names that stand twice get their short name, so that each bar is somebody's.
 */
export function chartRowsOf(
  events: readonly { eventName: string; eventSlug: string; count: number }[],
): CategoryRow[] {
  const counted = events.length > MOST_BARS ? events.filter(({ count }) => count > 0) : events;
  const names = counted.map(({ eventName }) => eventName);
  const rows = counted.map(({ eventName, eventSlug, count }) => ({
    label:
      names.indexOf(eventName) === names.lastIndexOf(eventName) ? eventName : `${eventName} (${eventSlug})`,
    value: count,
  }));
  if (rows.length <= MOST_BARS) return rows;
  const rest = rows.slice(MOST_BARS - 1);
  const value = rest.reduce((sum, row) => sum + row.value, 0);
  return [...rows.slice(0, MOST_BARS - 1), { label: `${rest.length} other events`, value }];
}
