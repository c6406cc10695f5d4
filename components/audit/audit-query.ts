import { buildHref, type SearchParams, readSearchParam } from "#lib/design/query.ts";

/** The names that a page of an audit log has in its address, besides those of the page itself. */
const AUDIT_FILTER_NAMES = ["actor", "action", "objectType", "from", "to"] as const;

/**
 * What an audit operation is asked for, from what stands in the page's address: a day is meant from its first to
 * its last moment (UTC). `more` names what else the page passes on, such as `chain`.
 */
export function buildAuditQuery(query: SearchParams, extraNames: readonly string[] = []): SearchParams {
  const names = [...AUDIT_FILTER_NAMES, "page", "before", ...extraNames];
  const auditParams: SearchParams = Object.fromEntries(
    names.map((name) => [name, readSearchParam(query, name)]),
  );
  return { ...auditParams, to: toEndOfDay(readSearchParam(query, "to")) };
}

/** The address of the whole log that fits the filters, as CSV. @param path of the operation under /api */
export function buildAuditCsvHref(
  path: string,
  query: SearchParams,
  extraNames: readonly string[] = [],
): string {
  return buildHref(
    path,
    { ...buildAuditQuery(query, extraNames), page: undefined, before: undefined },
    { format: "csv" },
  );
}

/** Is anything filtered? */
export const hasAuditFilters = (query: SearchParams): boolean =>
  AUDIT_FILTER_NAMES.some((name) => readSearchParam(query, name) !== undefined);

const toEndOfDay = (day: string | undefined): string | undefined =>
  day && /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T23:59:59.999Z` : day;
