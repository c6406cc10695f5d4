import { parseNextPath } from "#lib/http/next-path.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { INCIDENT_STATES, OPEN_STATES } from "#lib/incidents/schema.ts";
import { SAVED_VIEW_QUERY_PARAMS, normalizeViewQuery } from "#lib/incidents/saved-view-schema.ts";

/**
 * The filters, order and page of a list of incidents, as its address has them, with the API's parameter names (contract
 * 7.12).
 */
export type IncidentListViewParams = Readonly<
  Partial<Record<(typeof SAVED_VIEW_QUERY_PARAMS)[number] | "page" | "limit", string>>
>;

/**
 * Parses the parameters of a list of incidents from its URL. `priority` is the API's other name for `severity`
 * (contract 7.12).
 */
export function parseIncidentListViewParams(query: SearchParams): IncidentListViewParams {
  const names = [...SAVED_VIEW_QUERY_PARAMS, "page", "limit"] as const;
  const paramsWithSeverity: SearchParams = { ...query, severity: query.severity ?? query.priority };
  const parts = names.flatMap((name) => {
    const value = [paramsWithSeverity[name] ?? []].flat().filter(Boolean).join(",");
    return value ? [[name, value]] : [];
  });
  return Object.fromEntries(parts) as IncidentListViewParams;
}

const ORDER_PARAMS = ["sort", "order"];
const INCIDENT_FILTERS = SAVED_VIEW_QUERY_PARAMS.filter((name) => !ORDER_PARAMS.includes(name));
export type IncidentFilterName = (typeof INCIDENT_FILTERS)[number];

/** Returns whether the list is filtered. */
export const hasIncidentFilters = (view: IncidentListViewParams): boolean =>
  INCIDENT_FILTERS.some((name) => view[name] !== undefined);

/** Builds the URL of the same list with some filters changed; keeps the order and starts at page 1. */
export const buildChangedViewHref = (
  path: string,
  view: IncidentListViewParams,
  changes: Partial<Record<IncidentFilterName, string | null>>,
): string => buildHrefWithQueryChanges(path, view, { ...changes, page: null });

/** Builds the URL of the list with only these filters. */
export const buildReplacedFiltersHref = (
  path: string,
  view: IncidentListViewParams,
  filters: Partial<Record<IncidentFilterName, string>>,
): string =>
  buildChangedViewHref(path, view, {
    ...Object.fromEntries(INCIDENT_FILTERS.map((name) => [name, null])),
    ...filters,
  });

/** Returns the values of a filter that accepts several. */
export const listFilterValues = (view: IncidentListViewParams, name: IncidentFilterName): string[] =>
  view[name]?.split(",") ?? [];

const OPEN_STATUSES = OPEN_STATES.join(",");
export const FINISHED_STATUSES = "resolved,closed";
const EVERY_STATUS = INCIDENT_STATES.join(",");

/** Adds the filter that a URL without filters has: open incidents (docs/decisions/042). */
export const addDefaultOpenStatusFilter = (view: IncidentListViewParams): IncidentListViewParams =>
  hasIncidentFilters(view) ? view : { ...view, status: OPEN_STATUSES };

/** Returns the order of a view; without one in the URL, the most urgent first, or the newest first for a search. */
export const getViewOrder = ({ sort, order, search }: IncidentListViewParams) => ({
  sort: sort ?? (search ? "createdAt" : "urgency"),
  order: order ?? "desc",
});

/** Returns whether the view is limited to certain statuses. */
export const isViewLimitedByStatus = ({ status }: IncidentListViewParams): boolean =>
  status !== undefined && !hasSameValues(status, EVERY_STATUS);

/** Returns whether the view shows exactly the open statuses. */
export const isViewLimitedToOpenStatuses = ({ status }: IncidentListViewParams): boolean =>
  hasSameValues(status, OPEN_STATUSES);

/**
 * Builds the URL of the same list with every status. The URL names all of them, since one without filters shows open
 * incidents only.
 */
export const buildAllStatusesHref = (path: string, view: IncidentListViewParams): string =>
  buildChangedViewHref(path, view, { status: EVERY_STATUS });

/** Returns the filters for one event's open incidents. */
export const buildOpenIncidentsOfEventFilters = (
  event: string,
): Partial<Record<IncidentFilterName, string>> => ({
  status: OPEN_STATUSES,
  event,
});

/** The team's views; `key` is the second key of the shortcut, after g. */
export const STANDARD_INBOX_VIEWS = [
  { name: "needsUs", filters: { needsUs: "true" }, key: "n" },
  { name: "mine", filters: { status: OPEN_STATUSES, assigned: "me" }, key: "m" },
  { name: "waiting", filters: { awaiting: "reporter" }, key: "w" },
  { name: "open", filters: { status: OPEN_STATUSES }, key: "i" },
  { name: "finished", filters: { status: FINISHED_STATUSES }, key: "f" },
] as const satisfies readonly {
  name: string;
  filters: Partial<Record<IncidentFilterName, string>>;
  key: string;
}[];

export type StandardViewName = (typeof STANDARD_INBOX_VIEWS)[number]["name"];

/** Builds the URL of a standard view; that of the open incidents has no filters. */
export const buildStandardViewHref = (
  path: string,
  view: IncidentListViewParams,
  { name, filters }: (typeof STANDARD_INBOX_VIEWS)[number],
): string => buildReplacedFiltersHref(path, view, name === "open" ? {} : filters);

/** Returns whether the URL asks for exactly these filters. */
export const hasExactlyTheseFilters = (
  view: IncidentListViewParams,
  filters: Partial<Record<IncidentFilterName, string>>,
): boolean => INCIDENT_FILTERS.every((name) => hasSameValues(view[name], filters[name]));

const hasSameValues = (one = "", other = ""): boolean =>
  one === other || (one.length === other.length && sortValues(one) === sortValues(other));

const sortValues = (values: string): string => values.split(",").toSorted().join();

/** Parses a saved query into a view. */
export const parseSavedViewQuery = (query: string): IncidentListViewParams =>
  parseIncidentListViewParams(Object.fromEntries(new URLSearchParams(query)));

/** Formats a view's filters and order as saved, and as the list's forms send them. */
export const formatViewQuery = (view: IncidentListViewParams): string =>
  normalizeViewQuery(new URLSearchParams(view as Record<string, string>).toString());

/** Builds the URL of the list from which an incident is opened, passed on as `list`: filters, order and page. */
export const buildIncidentListReturnHref = (path: string, view: IncidentListViewParams): string =>
  buildHrefWithQueryChanges(path, view, { limit: null });

const EVENT_LIST_PATTERN = /^\/e\/([a-z0-9-]+)\/incidents$/;

/** Parses the parameter `list` of an incident's page; null if it isn't the URL of an inbox list. */
export function parseIncidentListReturnHref(
  list: string | string[] | undefined,
): { href: string; view: IncidentListViewParams } | null {
  const href = parseNextPath(list);
  if (!href) return null;
  const { pathname, searchParams } = new URL(href, "http://here.invalid");
  const event = EVENT_LIST_PATTERN.exec(pathname)?.[1];
  if (!event && pathname !== "/inbox") return null;
  const { page: _, limit: __, ...params } = parseIncidentListViewParams(Object.fromEntries(searchParams));
  const view = { ...addDefaultOpenStatusFilter(params), ...getViewOrder(params) };
  return { href, view: event ? { ...view, event } : view };
}
