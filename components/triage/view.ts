import { sameSitePath } from "#lib/http/next-path.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { OPEN_STATES } from "#lib/incidents/schema.ts";
import { VIEW_PARAMS, viewQueryOf } from "#lib/saved-views/schema.ts";

/** A list of reports as its address tells it, by the names of the API (contract 7.12). */
export type View = Readonly<Partial<Record<(typeof VIEW_PARAMS)[number] | "page" | "limit", string>>>;

/** `priority` is another name of the API for `severity` (contract 7.12). */
export function viewOf(query: Query): View {
  const names = [...VIEW_PARAMS, "page", "limit"] as const;
  const given: Query = { ...query, severity: query.severity ?? query.priority };
  const parts = names.flatMap((name) => {
    const value = [given[name] ?? []].flat().filter(Boolean).join(",");
    return value ? [[name, value]] : [];
  });
  return Object.fromEntries(parts) as View;
}

const ORDER = ["sort", "order"];
export const FILTERS = VIEW_PARAMS.filter((name) => !ORDER.includes(name));
export type Filter = (typeof FILTERS)[number];

/** True where the list shows less than there is. */
export const isFiltered = (view: View): boolean => FILTERS.some((name) => view[name] !== undefined);

/** The same list with other filters; the order stays, the page is the first. */
export const changed = (path: string, view: View, changes: Partial<Record<Filter, string | null>>): string =>
  hrefWith(path, view, { ...changes, page: null });

/** The list with these filters and no others. */
export const only = (path: string, view: View, filters: Partial<Record<Filter, string>>): string =>
  changed(path, view, { ...Object.fromEntries(FILTERS.map((name) => [name, null])), ...filters });

/** The values of a filter that takes several. */
export const valuesIn = (view: View, name: Filter): string[] => view[name]?.split(",") ?? [];

const OPEN = OPEN_STATES.join(",");

/** What is open in one event. */
export const openIn = (event: string): Partial<Record<Filter, string>> => ({ status: OPEN, event });

/** What a team asks for most, one press away; `key` by the key that follows g. */
export const VIEWS = [
  { name: "all", filters: {}, key: "i" },
  { name: "first", filters: { status: "submitted" }, key: "f" },
  { name: "mine", filters: { status: OPEN, assigned: "me" }, key: "m" },
  { name: "unassigned", filters: { status: OPEN, assigned: "unassigned" }, key: "u" },
  { name: "answer", filters: { awaiting: "team" }, key: "a" },
  { name: "overdue", filters: { due: "overdue" }, key: "d" },
  { name: "waiting", filters: { awaiting: "reporter" }, key: "w" },
  { name: "escalated", filters: { status: OPEN, escalated: "true" }, key: "e" },
  { name: "open", filters: { status: OPEN }, key: "o" },
  { name: "pinned", filters: { pinned: "true" }, key: "p" },
  { name: "closed", filters: { status: "resolved,closed" }, key: "c" },
] as const satisfies readonly { name: string; filters: Partial<Record<Filter, string>>; key: string }[];

export type ViewName = (typeof VIEWS)[number]["name"];

/** Does the address ask for exactly these filters? */
export const asksFor = (view: View, filters: Partial<Record<Filter, string>>): boolean =>
  FILTERS.every((name) => sameValues(view[name], filters[name]));

const sameValues = (one = "", other = ""): boolean =>
  one === other || (one.length === other.length && sorted(one) === sorted(other));

const sorted = (values: string): string => values.split(",").toSorted().join();

/** The filters of a query text as it is saved. */
export const filtersIn = (query: string): View => viewOf(Object.fromEntries(new URLSearchParams(query)));

/** The filters and the order of a view as they are saved, and as the forms of the list send them. */
export const queryOf = (view: View): string =>
  viewQueryOf(new URLSearchParams(view as Record<string, string>).toString());

/** The list that a report is opened from, to be sent along as `list`: its filters and order, and its page. */
export const listAddress = (path: string, view: View): string => hrefWith(path, view, { limit: null });

const EVENT_LIST = /^\/e\/([a-z0-9-]+)\/incidents$/;

/** A list as `list` tells it; null for what is none of the lists of a desk. */
export function listIn(given: string | string[] | undefined): { href: string; view: View } | null {
  const href = sameSitePath(given);
  if (!href) return null;
  const { pathname, searchParams } = new URL(href, "http://here.invalid");
  const event = EVENT_LIST.exec(pathname)?.[1];
  if (!event && pathname !== "/inbox") return null;
  const { page: _, limit: __, ...view } = viewOf(Object.fromEntries(searchParams));
  return { href, view: event ? { ...view, event } : view };
}
