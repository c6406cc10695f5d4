import { parseNextPath } from "#lib/http/next-path.ts";
import { buildHref, type SearchParams } from "#lib/design/query.ts";
import { OPEN_STATES } from "#lib/incidents/schema.ts";
import { VIEW_PARAMS, normalizeViewQuery } from "#lib/saved-views/schema.ts";

/** A list of reports as its address tells it, by the names of the API (contract 7.12). */
export type IncidentListView = Readonly<
  Partial<Record<(typeof VIEW_PARAMS)[number] | "page" | "limit", string>>
>;

/** `priority` is another name of the API for `severity` (contract 7.12). */
export function parseIncidentListView(query: SearchParams): IncidentListView {
  const names = [...VIEW_PARAMS, "page", "limit"] as const;
  const paramsWithSeverity: SearchParams = { ...query, severity: query.severity ?? query.priority };
  const parts = names.flatMap((name) => {
    const value = [paramsWithSeverity[name] ?? []].flat().filter(Boolean).join(",");
    return value ? [[name, value]] : [];
  });
  return Object.fromEntries(parts) as IncidentListView;
}

const ORDER_PARAMS = ["sort", "order"];
export const INCIDENT_FILTERS = VIEW_PARAMS.filter((name) => !ORDER_PARAMS.includes(name));
export type IncidentFilter = (typeof INCIDENT_FILTERS)[number];

/** True where the list shows less than there is. */
export const hasIncidentFilters = (view: IncidentListView): boolean =>
  INCIDENT_FILTERS.some((name) => view[name] !== undefined);

/** The same list with other filters; the order stays, the page is the first. */
export const buildChangedViewHref = (
  path: string,
  view: IncidentListView,
  changes: Partial<Record<IncidentFilter, string | null>>,
): string => buildHref(path, view, { ...changes, page: null });

/** The list with these filters and no others. */
export const buildViewHref = (
  path: string,
  view: IncidentListView,
  filters: Partial<Record<IncidentFilter, string>>,
): string =>
  buildChangedViewHref(path, view, {
    ...Object.fromEntries(INCIDENT_FILTERS.map((name) => [name, null])),
    ...filters,
  });

/** The values of a filter that takes several. */
export const listFilterValues = (view: IncidentListView, name: IncidentFilter): string[] =>
  view[name]?.split(",") ?? [];

const OPEN_STATUSES = OPEN_STATES.join(",");

/** What is open in one event. */
export const filterOpenInEvent = (event: string): Partial<Record<IncidentFilter, string>> => ({
  status: OPEN_STATUSES,
  event,
});

/** What a team asks for most, one press away; `key` by the key that follows g. */
export const STANDARD_VIEWS = [
  { name: "all", filters: {}, key: "i" },
  { name: "first", filters: { status: "submitted" }, key: "f" },
  { name: "mine", filters: { status: OPEN_STATUSES, assigned: "me" }, key: "m" },
  { name: "unassigned", filters: { status: OPEN_STATUSES, assigned: "unassigned" }, key: "u" },
  { name: "answer", filters: { awaiting: "team" }, key: "a" },
  { name: "overdue", filters: { due: "overdue" }, key: "d" },
  { name: "waiting", filters: { awaiting: "reporter" }, key: "w" },
  { name: "escalated", filters: { status: OPEN_STATUSES, escalated: "true" }, key: "e" },
  { name: "open", filters: { status: OPEN_STATUSES }, key: "o" },
  { name: "pinned", filters: { pinned: "true" }, key: "p" },
  { name: "closed", filters: { status: "resolved,closed" }, key: "c" },
] as const satisfies readonly {
  name: string;
  filters: Partial<Record<IncidentFilter, string>>;
  key: string;
}[];

export type StandardViewName = (typeof STANDARD_VIEWS)[number]["name"];

/** Does the address ask for exactly these filters? */
export const hasExactFilters = (
  view: IncidentListView,
  filters: Partial<Record<IncidentFilter, string>>,
): boolean => INCIDENT_FILTERS.every((name) => hasSameValues(view[name], filters[name]));

const hasSameValues = (one = "", other = ""): boolean =>
  one === other || (one.length === other.length && sortValues(one) === sortValues(other));

const sortValues = (values: string): string => values.split(",").toSorted().join();

/** The filters of a query text as it is saved. */
export const parseSavedQuery = (query: string): IncidentListView =>
  parseIncidentListView(Object.fromEntries(new URLSearchParams(query)));

/** The filters and the order of a view as they are saved, and as the forms of the list send them. */
export const formatViewQuery = (view: IncidentListView): string =>
  normalizeViewQuery(new URLSearchParams(view as Record<string, string>).toString());

/** The list that a report is opened from, to be sent along as `list`: its filters and order, and its page. */
export const buildReturnListHref = (path: string, view: IncidentListView): string =>
  buildHref(path, view, { limit: null });

const EVENT_LIST_PATTERN = /^\/e\/([a-z0-9-]+)\/incidents$/;

/** A list as `list` tells it; null for what is none of the lists of a desk. */
export function parseReturnList(
  paramsWithSeverity: string | string[] | undefined,
): { href: string; view: IncidentListView } | null {
  const href = parseNextPath(paramsWithSeverity);
  if (!href) return null;
  const { pathname, searchParams } = new URL(href, "http://here.invalid");
  const event = EVENT_LIST_PATTERN.exec(pathname)?.[1];
  if (!event && pathname !== "/inbox") return null;
  const { page: _, limit: __, ...view } = parseIncidentListView(Object.fromEntries(searchParams));
  return { href, view: event ? { ...view, event } : view };
}
