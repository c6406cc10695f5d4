import { hrefWith, type Query, valueIn } from "#lib/design/query.ts";

/** The names that a page of an audit log has in its address, besides those of the page itself. */
const FILTERS = ["actor", "action", "objectType", "from", "to"] as const;

/**
 * What an audit operation is asked for, from what stands in the page's address: a day is meant from its first to
 * its last moment (UTC). `more` names what else the page passes on, such as `chain`.
 */
export function auditQuery(query: Query, more: readonly string[] = []): Query {
  const names = [...FILTERS, "page", "before", ...more];
  const asked: Query = Object.fromEntries(names.map((name) => [name, valueIn(query, name)]));
  return { ...asked, to: lastMoment(valueIn(query, "to")) };
}

/** The address of the whole log that fits the filters, as CSV. @param path of the operation under /api */
export function csvHref(path: string, query: Query, more: readonly string[] = []): string {
  return hrefWith(
    path,
    { ...auditQuery(query, more), page: undefined, before: undefined },
    { format: "csv" },
  );
}

/** Is anything filtered? */
export const isFiltered = (query: Query): boolean =>
  FILTERS.some((name) => valueIn(query, name) !== undefined);

const lastMoment = (day: string | undefined): string | undefined =>
  day && /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999Z` : day;
